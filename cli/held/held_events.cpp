// SPDX-License-Identifier: Apache-2.0
#include "cli/held/held_events.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cli/lines/line_words.hpp"
#include "core/text/words.hpp"

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

bool is_call(const std::string& type) {
    return type == "tool.started" || type == "tool.finished";
}

/// How a call is recognised that has another id: agents name the same tool differently in hooks and
/// in lines, but the command of a shell is the same.
std::string essence_of(const Json& call) {
    static constexpr std::array<std::string_view, 5> kShells{"bash", "shell", "run_shell_command",
                                                             "exec_command", "local_shell"};
    const std::string tool = core::lower(call.text_of("tool"));
    const Json& command = call["args"]["command"];
    const bool shell = std::find(kShells.begin(), kShells.end(), tool) != kShells.end();
    return shell && command.is_string() ? "$ " + std::string(inner_command(command.text())) : tool;
}

std::uint64_t tokens_of(const Json& data) {
    std::uint64_t sum = 0;
    for (const char* part : {"input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens",
                             "reasoning_tokens"})
        sum += data["usage"].count_of(part);
    return sum;
}

}  // namespace

bool HeldEvents::ToldCall::is_free() const {
    return taken < std::max({started, finished, std::uint64_t{1}});  // or only asked for
}

void HeldEvents::add(HeldEvent event, SteadyTime now) {
    Item item;
    item.since = now;
    item.uses = event.data.contains("usage");
    if (is_call(event.type)) {
        item.call = event.data.text_of("call_id");
        item.ends = event.type == "tool.finished";
        if (item.call.empty()) item.call = "\n" + std::to_string(++unnamed_);  // no id is like it
    }
    const SteadyTime look =
        now + (item.call.empty() && !silent_ ? milliseconds{kUseMax} : kLookEvery);
    item.event = std::move(event);
    if (events_.size() >= kEventsMax) make_room();
    events_.push_back(std::move(item));
    next_look_ = std::min(next_look_.value_or(look), look);
}

/// The oldest goes: a message first, figures last.
void HeldEvents::make_room() {
    auto spare = std::find_if(events_.begin(), events_.end(),
                              [](const Item& item) { return item.call.empty() && !item.uses; });
    if (spare == events_.end())
        spare = std::find_if(events_.begin(), events_.end(),
                             [](const Item& item) { return !item.uses; });
    events_.erase(spare == events_.end() ? events_.begin() : spare);
}

void HeldEvents::note(const Json& event) {
    const std::string& type = event.text_of("type");
    const Json& data = event["data"];
    if (type == "heartbeat") told_tokens_ += tokens_of(data);
    if (type == "message") told_words_ = told_words_ || data["role"] == "assistant";
    const bool asked = type == "approval.requested";
    const std::string& id = data.text_of("call_id");
    if ((!asked && !is_call(type)) || id.empty()) return;
    const auto [place, fresh] = told_.try_emplace(id);
    ToldCall& call = place->second;
    call.essence = essence_of(data);
    if (type == "tool.started") ++call.started;
    if (type == "tool.finished") ++call.finished;
    if (!fresh) return;
    told_order_.push_back(id);
    if (told_order_.size() <= kCallsMax) return;
    told_.erase(told_order_.front());
    told_order_.pop_front();
}

/// A call of hooks that no call of the lines has taken; `essence` empty: any, the oldest.
HeldEvents::ToldCall* HeldEvents::free_call(const std::string& essence) {
    for (const std::string& id : told_order_) {
        ToldCall& call = told_.at(id);
        if (call.is_free() && (essence.empty() || call.essence == essence)) return &call;
    }
    return nullptr;
}

bool HeldEvents::pairs(const Item& item, SteadyTime now, bool over) {
    if (paired_.contains(item.call)) return true;
    const auto same = told_.find(item.call);
    ToldCall* call = same != told_.end() && same->second.is_free() ? &same->second : nullptr;
    const bool late = item.ends && (over || now - item.since >= kRowMax);
    if (call == nullptr && item.event.other_ids) call = free_call(essence_of(item.event.data));
    if (call == nullptr && item.event.other_ids && late) call = free_call({});
    if (call == nullptr) return false;
    ++call->taken;
    told_calls_ = new_pair_ = true;
    paired_.insert(item.call);
    return true;
}

void HeldEvents::pair_calls(SteadyTime now, bool over) {
    new_pair_ = false;
    for (Item& item : events_) {
        if (item.call.empty() || !pairs(item, now, over)) continue;
        item.fate = Fate::kDropped;
        if (item.ends) paired_.erase(item.call);  // the next with this id is another
    }
    while (paired_.size() > kCallsMax)
        paired_.erase(paired_.begin());
}

/// Whether hooks are silent: from the results in a row that none of them has reported.
void HeldEvents::judge(SteadyTime now, bool over, bool waits) {
    if (new_pair_) silent_ = false;
    std::size_t row = row_;
    for (const Item& item : events_) {
        if (item.call.empty()) continue;
        if (item.fate == Fate::kDropped) {
            row = row_ = 0;
            continue;
        }
        const auto age = now - item.since;
        const bool first = !told_calls_ && (over || age >= kFinishMax);
        const bool hangs = !told_calls_ && !waits && age >= kStartMax;
        if (item.ends && (over || age >= kRowMax)) ++row;
        if (row >= kRow || (item.ends && first) || hangs) silent_ = true;
    }
}

bool HeldEvents::is_due(const Item& item, SteadyTime now, bool over, bool waits) const {
    const auto age = now - item.since;
    if (over || (silent_ && age >= kSilentMax)) return true;
    if (item.ends) return age >= kFinishMax;
    return age >= kStartMax && !told_calls_ && !waits;
}

void HeldEvents::decide_calls(SteadyTime now, bool over, bool waits) {
    std::set<std::string> ended;
    for (auto item = events_.rbegin(); item != events_.rend(); ++item) {
        if (item->call.empty() || item->fate != Fate::kHeld) continue;
        if (!is_due(*item, now, over, waits) && !ended.contains(item->call)) continue;
        item->fate = Fate::kReleased;
        if (!item->ends) continue;
        ended.insert(item->call);
        ++row_;
    }
}

/// Messages, plans and the like: hooks that have reported a later call have reported these too.
void HeldEvents::decide_others(SteadyTime now, bool over) {
    bool later = false;
    for (auto item = events_.rbegin(); item != events_.rend(); ++item) {
        if (!item->call.empty()) later = later || item->fate == Fate::kDropped;
        if (!item->call.empty() || item->uses) continue;
        if (later) {
            item->fate = Fate::kDropped;
        } else if (silent_ && (over || now - item->since >= kSilentMax)) {
            item->fate = Fate::kReleased;
        } else if (over) {
            item->fate = told_calls_ || told_words_ ? Fate::kDropped : Fate::kReleased;
        }
    }
}

/// Hooks report tokens later and in other portions, so sums decide: hooks that have reported most
/// of them report all.
void HeldEvents::decide_uses(SteadyTime now, bool over) {
    std::uint64_t sum = 0;
    bool old = false;
    for (const Item& item : events_) {
        if (!item.uses) continue;
        sum += tokens_of(item.event.data);
        old = old || (silent_ ? now - item.since >= kSilentMax
                              : told_tokens_ == 0 && !runs() && now - item.since >= kUseMax);
    }
    const bool covered = sum > 0 ? told_tokens_ >= sum - sum / 2 : told_calls_ && !silent_;
    const bool settled = new_pair_ && !silent_ && covered;
    if (!settled && !over && !old) return;
    for (Item& item : events_) {
        if (item.uses) item.fate = covered ? Fate::kDropped : Fate::kReleased;
    }
    told_tokens_ = 0;
}

/// True while a call of the lines has begun and not ended.
bool HeldEvents::runs() const {
    std::set<std::string> open;
    for (const Item& item : events_) {
        if (item.call.empty()) continue;
        if (item.ends) {
            open.erase(item.call);
        } else {
            open.insert(item.call);
        }
    }
    return !open.empty();
}

std::vector<HeldEvent> HeldEvents::take(SteadyTime now, bool over, bool waits) {
    pair_calls(now, over);
    judge(now, over, waits);
    decide_calls(now, over, waits);
    decide_others(now, over);
    decide_uses(now, over);
    std::vector<HeldEvent> due;
    std::deque<Item> held;
    bool calls = false;
    for (Item& item : events_) {
        if (item.fate == Fate::kReleased) due.push_back(std::move(item.event));
        if (item.fate != Fate::kHeld) continue;
        calls = calls || !item.call.empty();
        held.push_back(std::move(item));
    }
    events_ = std::move(held);
    next_look_.reset();
    if (events_.empty()) return due;
    const bool soon = calls && now - events_.front().since < kStartMax;
    const milliseconds wait = soon || silent_ ? kLookEvery : calls ? kLookSeldom : kUseMax;
    next_look_ = now + wait;
    return due;
}

bool HeldEvents::looks_further(SteadyTime now) const {
    return std::any_of(events_.begin(), events_.end(), [now](const Item& item) {
        return !item.call.empty() && now - item.since >= kRowMax / 2;
    });
}

void HeldEvents::clear() {
    events_.clear();
    next_look_.reset();
}

}  // namespace headway::cli
