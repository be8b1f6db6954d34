// SPDX-License-Identifier: Apache-2.0
#include "cli/held/held_events.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace headway::cli {

using std::chrono::milliseconds;

void HeldEvents::add(HeldEvent event, SteadyTime now) {
    Item item;
    item.since = item.first = now;
    item.number = ++added_;
    item.uses = event.data.contains("usage");
    if (is_call(event.type)) {
        item.call = event.data.text_of("call_id");
        item.ends = event.type == "tool.finished";
        if (item.call.empty()) item.call = "\n" + std::to_string(++unnamed_);  // no id is like it
        if (event.other_ids) item.essence = essence_of(event.data);
    }
    const SteadyTime look =
        now + (item.call.empty() && !silent_ ? milliseconds{kUseMax} : kLookEvery);
    item.event = std::move(event);
    if (events_.size() >= kEventsMax) make_room();
    events_.push_back(std::move(item));
    next_look_ = std::min(next_look_.value_or(look), look);
}

/// Figures become one sum. Else the oldest goes, a message first.
void HeldEvents::make_room() {
    const auto oldest = [this](auto matches) {
        return std::find_if(events_.begin(), events_.end(), matches);
    };
    auto spare = oldest([](const Item& item) { return item.call.empty() && !item.uses; });
    if (spare == events_.end() && merge_uses()) return;
    if (spare == events_.end()) spare = oldest([](const Item& item) { return !item.uses; });
    events_.erase(spare == events_.end() ? events_.begin() : spare);
    ++dropped_;
}

void HeldEvents::note(const Json& event, SteadyTime at) {
    const std::string& type = event.text_of("type");
    const Json& data = event["data"];
    if (type == "heartbeat") {
        const TokenSums more = reported_tokens(data);
        for (std::size_t i = 0; i < more.size(); ++i)
            told_tokens_[i] += more[i];
    }
    if (type == "message") told_words_ = told_words_ || data["role"] == "assistant";
    told_.note(type, data, at);
}

std::optional<std::string> HeldEvents::take_told(const Item& item, SteadyTime now, bool over) {
    std::optional<std::string> told = told_.take_same(item.call);
    if (told || !item.event.other_ids) return told;
    const auto at = item.event.late ? std::nullopt : std::optional(item.since);
    told = told_.take_like(item.essence, at);
    const bool waited = item.ends && (over || now - item.since >= kRowMax);
    if (!told && waited) told = told_.take_any(at);
    return told;
}

HeldEvents::Told HeldEvents::find_told(const Item& item, SteadyTime now, bool over) {
    const auto open = open_.find(item.call);
    std::string told = open == open_.end() ? std::string() : open->second.told;
    if (told.empty()) {
        const auto taken = take_told(item, now, over);
        if (!taken) return Told::kNo;
        told = *taken;
        // Without its result the start that was released would never end.
        if (open != open_.end() && told != item.call) return Told::kRunElsewhere;
        open_[item.call] = {told, item.number};
    }
    return told_.has_run(told) ? Told::kRun : Told::kAsked;
}

void HeldEvents::pair(Item& item, SteadyTime now, bool over) {
    const Told told = find_told(item, now, over);
    if (told == Told::kNo) return;
    const bool failed = item.ends && item.event.data["ok"] == false;
    item.asked = told == Told::kAsked;
    if (item.asked && !failed) return;  // only asked for: its execution is still to be reported
    if (!item.asked) told_calls_ = new_pair_ = true;
    item.fate = told == Told::kRunElsewhere ? Fate::kReleased : Fate::kDropped;
    if (item.ends) open_.erase(item.call);  // the next with this id is another
}

void HeldEvents::pair_calls(SteadyTime now, bool over) {
    new_pair_ = false;
    for (Item& item : events_) {
        if (!item.call.empty()) pair(item, now, over);
    }
    drop_starts();
    while (open_.size() > kCallsMax)
        open_.erase(open_.begin());
}

/// A result may be found among the calls of hooks by what its start does not show.
void HeldEvents::drop_starts() {
    std::set<std::string> dropped;
    for (auto item = events_.rbegin(); item != events_.rend(); ++item) {
        if (item->call.empty()) continue;
        if (!item->ends) {
            if (item->fate == Fate::kHeld && dropped.contains(item->call))
                item->fate = Fate::kDropped;
        } else if (item->fate == Fate::kDropped) {
            dropped.insert(item->call);
        } else {
            dropped.erase(item->call);
        }
    }
}

/// Notes for each start how long no earlier call of the lines has been open.
void HeldEvents::find_first(SteadyTime now, bool waits) {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    for (const auto& [call, open] : open_)
        first = std::min(first, open.number);
    std::set<std::string> ended;
    for (auto item = events_.rbegin(); item != events_.rend(); ++item) {
        if (item->call.empty() || item->fate != Fate::kHeld) continue;
        if (item->ends) {
            ended.insert(item->call);
        } else if (ended.erase(item->call) == 0) {
            first = std::min(first, item->number);
        }
    }
    for (Item& item : events_) {
        if (item.number > first || waits) item.first = now;
    }
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
        const bool hangs = !told_calls_ && !waits && !item.asked && age >= kStartMax;
        if (item.ends && (over || age >= kRowMax) && !(partly_ && told_calls_)) ++row;
        if (row >= kRow || (item.ends && first) || hangs) silent_ = true;
    }
}

bool HeldEvents::is_due(const Item& item, SteadyTime now, bool over, bool waits) const {
    const auto age = now - item.since;
    if (item.asked && !item.ends) return false;  // it goes the way of its result
    if (over || (silent_ && age >= kSilentMax)) return true;
    if (item.ends) return age >= kFinishMax;
    return age >= kStartMax && !waits && (!told_calls_ || now - item.first >= kStartMax);
}

void HeldEvents::decide_calls(SteadyTime now, bool over, bool waits) {
    std::set<std::string> ended;
    for (auto item = events_.rbegin(); item != events_.rend(); ++item) {
        if (item->call.empty() || item->fate != Fate::kHeld) continue;
        if (is_due(*item, now, over, waits) || ended.contains(item->call)) {
            if (item->ends) ended.insert(item->call);
            release(*item);
        } else if (over) {
            item->fate = Fate::kDropped;
        }
    }
}

void HeldEvents::release(Item& item) {
    item.fate = Fate::kReleased;
    if (!item.ends) {
        open_[item.call] = {{}, item.number};
        return;
    }
    open_.erase(item.call);
    ++row_;
}

/// Messages, plans and the like: hooks that have reported a later call have reported these too.
void HeldEvents::decide_others(SteadyTime now, bool over) {
    bool later = false;
    for (auto item = events_.rbegin(); item != events_.rend(); ++item) {
        if (!item->call.empty()) later = later || item->fate == Fate::kDropped;
        if (!item->call.empty() || item->uses) continue;
        const auto age = now - item->since;
        if (later) {
            item->fate = Fate::kDropped;
        } else if (silent_ && (over || age >= kSilentMax)) {
            item->fate = Fate::kReleased;
        } else if (over || age >= kUseMax) {
            item->fate = told_calls_ || told_words_ ? Fate::kDropped : Fate::kReleased;
        }
    }
}

std::vector<HeldEvent> HeldEvents::take(SteadyTime now, bool over, bool waits) {
    pair_calls(now, over);
    find_first(now, waits);
    judge(now, over, waits);
    decide_calls(now, over, waits);
    decide_others(now, over);
    decide_uses(now, over);
    if (over) open_.clear();  // an agent that begins after it has calls of its own
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
    look_after_ = soon || silent_ ? kLookEvery : calls ? kLookSeldom : milliseconds{kUseMax};
    looked(now);
    return due;
}

void HeldEvents::looked(SteadyTime now) {
    if (!events_.empty()) next_look_ = now + look_after_;
}

bool HeldEvents::looks_further(SteadyTime now) const {
    return std::any_of(events_.begin(), events_.end(), [now](const Item& item) {
        return !item.call.empty() && now - item.since >= kRowMax / 2;
    });
}

void HeldEvents::clear() {
    events_.clear();
    open_.clear();
    next_look_.reset();
}

}  // namespace headway::cli
