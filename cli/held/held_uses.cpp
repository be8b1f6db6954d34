// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <string>
#include <utility>

#include "cli/held/held_events.hpp"

// HeldEvents: tokens.

namespace headway::cli {

/// Hooks report tokens later and in other portions, so sums decide: hooks that have reported most
/// of them report all.
void HeldEvents::decide_uses(SteadyTime now, bool over) {
    std::uint64_t sum = 0;
    std::optional<SteadyTime> oldest;
    for (const Item& item : events_) {
        if (!item.uses) continue;
        sum += sum_of(reported_tokens(item.event.data));
        if (!oldest) oldest = item.since;
    }
    if (!oldest) return;
    const bool old = now - *oldest >= (silent_ ? kSilentMax : kUseMax) && (silent_ || !runs());
    const bool covered = sum > 0 ? sum_of(told_tokens_) >= sum - sum / 2 : told_calls_ && !silent_;
    const bool settled = new_pair_ && !silent_ && covered;
    if (!settled && !over && !old) return;
    if (covered) {
        for (Item& item : events_)
            if (item.uses) item.fate = Fate::kDropped;
    } else {
        release_uses();
    }
    told_tokens_ = {};
}

/// Without the few tokens that hooks have reported: these count already.
void HeldEvents::release_uses() {
    const bool some = sum_of(told_tokens_) > 0;
    for (Item& item : events_) {
        if (!item.uses) continue;
        item.fate = Fate::kReleased;
        if (!some || sum_of(reported_tokens(item.event.data)) == 0) continue;
        if (!take_out(told_tokens_, item.event.data)) item.fate = Fate::kDropped;
        if (item.event.report.empty()) continue;
        Json report = Json::parse(item.event.report).value_or(Json::object());
        report["data"] = item.event.data;
        item.event.report = dump(report);
    }
}

/// The oldest two events that one can stand for become one; false if there are no such two. A whole
/// report stays as it is: it is known by its id if it comes again.
bool HeldEvents::merge_uses() {
    std::map<std::string, Item*> first;  // by model
    for (auto item = events_.begin(); item != events_.end(); ++item) {
        if (!item->uses || !item->event.report.empty()) continue;
        const Json& data = std::as_const(item->event.data);
        const auto [place, fresh] = first.try_emplace(data["usage"].text_of("model"), &*item);
        HeldEvent& sum = place->second->event;
        if (fresh || sum.type != item->event.type || !can_merge_use(sum.data, data)) continue;
        merge_use(sum.data, data);
        events_.erase(item);
        return true;
    }
    return false;
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

}  // namespace headway::cli
