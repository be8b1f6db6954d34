// SPDX-License-Identifier: Apache-2.0
#include "cli/run/spool.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"
#include "cli/held/use_sums.hpp"

namespace headway::cli {

void Spool::add(const std::string& type, const Json& data, bool hooks_tell, bool other_ids,
                SubAgentRef by) {
    put({}, type, data, hooks_tell, other_ids, std::move(by));
}

void Spool::add_as(std::string_view author, const std::string& type, const Json& data) {
    put(author, type, data, false, false, nullptr);
}

void Spool::put(std::string_view author, const std::string& type, const Json& data, bool hooks_tell,
                bool other_ids, SubAgentRef by) {
    if (events_.size() >= kEventsMax) make_room();
    const std::string id = std::string(author) + prefix_ + "-" + std::to_string(next_++);
    events_.push_back({type, dump({{"type", type}, {"event_id", id}, {"data", data}}), hooks_tell,
                       other_ids, data.contains("usage"), std::move(by)});
}

void Spool::make_room() {
    const auto begin = events_.begin() + static_cast<std::ptrdiff_t>(in_flight_);
    auto spare = events_.end();
    for (const std::string_view type : {"heartbeat", "message"}) {
        if (spare != events_.end()) break;
        spare = std::find_if(begin, events_.end(), [type](const Event& event) {
            return event.type == type && !event.figures;
        });
    }
    if (spare == events_.end() && merge_figures()) return;
    if (spare == events_.end())
        spare =
            std::find_if(begin, events_.end(), [](const Event& event) { return !event.figures; });
    if (spare == events_.end()) spare = begin;
    if (spare == events_.end()) return;
    if (spare - events_.begin() < static_cast<std::ptrdiff_t>(alone_)) --alone_;
    events_.erase(spare);
    ++dropped_;
}

/// Two events with figures become one; false if there are no two that one can stand for.
bool Spool::merge_figures() {
    const auto kept = static_cast<std::ptrdiff_t>(std::max(in_flight_, alone_));
    std::optional<Json> sum;
    auto first = events_.end();
    for (auto event = events_.begin() + kept; event != events_.end(); ++event) {
        if (event->type != "heartbeat" || !event->figures) continue;
        Json whole = Json::parse(event->text).value_or(Json::object());
        if (!sum) {
            sum = std::move(whole);
            first = event;
        } else if (event->hooks_tell == first->hooks_tell &&
                   can_merge_use((*sum)["data"], whole["data"])) {
            merge_use((*sum)["data"], whole["data"]);
            first->text = dump(*sum);
            events_.erase(event);
            return true;
        }
    }
    return false;
}

/// Puts events of the first one's session next to it; how many there are at the front.
std::size_t Spool::gather() {
    if (events_.empty()) return 0;
    const SubAgentRef by = events_.front().by;
    const auto is_same = [&by](const Event& event) { return event.by == by; };
    const auto window =
        events_.begin() + static_cast<std::ptrdiff_t>(std::min(events_.size(), kGatherMax));
    const auto end = by == nullptr ? std::find_if_not(events_.begin(), window, is_same)
                                   : std::stable_partition(events_.begin(), window, is_same);
    return static_cast<std::size_t>(end - events_.begin());
}

bool Spool::batch_ends(bool only) const {
    if (in_flight_ == 0 || (only && in_flight_ > 1)) return false;
    const Event& last = events_[in_flight_ - 1];
    return last.by != nullptr && last.type == "session.ended";
}

void Spool::take_over() {
    for (std::size_t i = 0; i < in_flight_; ++i) {
        Event& event = events_[i];
        if (event.type == "tool.finished") {
            Json whole = Json::parse(event.text).value_or(Json::object());
            whole["data"]["lane"] = event.by->lane;
            event.text = dump(whole);
        }
    }
    const auto sent = events_.begin() + static_cast<std::ptrdiff_t>(in_flight_);
    const auto kept = std::remove_if(events_.begin(), sent, [](const Event& event) {
        return event.type == "session.ended";  // of a session that there is not
    });
    for (auto event = events_.begin(); event != kept; ++event)
        event->by = nullptr;
    events_.erase(kept, sent);
    in_flight_ = alone_ = 0;
}

std::string Spool::batch() {
    const bool again = in_flight_ > 0;
    const std::size_t most = again ? 0 : alone_ > 0 ? 1 : std::min(gather(), kBatchMax);
    std::string report = "[";
    for (std::size_t i = 0; i < (again ? in_flight_ : most); ++i) {
        const std::string& text = events_[i].text;
        if (!again && i > 0 && report.size() + text.size() > kBatchBytesMax) break;
        if (i > 0) report += ',';
        report += text;
        if (!again) ++in_flight_;
    }
    return report + "]";
}

void Spool::confirm() {
    alone_ -= std::min(alone_, in_flight_);
    events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(in_flight_));
    in_flight_ = 0;
}

bool Spool::names_call(const std::string& call_id) const {
    return std::any_of(events_.begin(), events_.end(), [&call_id](const Event& event) {
        const Json whole = Json::parse(event.text).value_or(Json::object());
        return std::as_const(whole)["data"].text_of("call_id") == call_id;
    });
}

bool Spool::narrow() {
    if (in_flight_ <= 1) return false;
    alone_ = in_flight_;
    in_flight_ = 0;
    return true;
}

std::vector<HeldEvent> Spool::take_told() {
    const std::size_t kept = std::max(in_flight_, alone_);
    const auto begin = events_.begin() + static_cast<std::ptrdiff_t>(kept);
    const auto told = std::stable_partition(begin, events_.end(),
                                            [](const Event& event) { return !event.hooks_tell; });
    std::vector<HeldEvent> taken;
    for (auto event = told; event != events_.end(); ++event) {
        const Json whole = Json::parse(event->text).value_or(Json::object());
        taken.push_back(
            {event->type, whole["data"], {}, event->other_ids, false, std::move(event->by)});
    }
    events_.erase(told, events_.end());
    return taken;
}

bool Spool::has_told() const {
    return std::any_of(events_.begin(), events_.end(),
                       [](const Event& event) { return event.hooks_tell; });
}

void Spool::clear() {
    events_.clear();
    in_flight_ = 0;
    alone_ = 0;
}

}  // namespace headway::cli
