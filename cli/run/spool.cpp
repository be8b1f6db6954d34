// SPDX-License-Identifier: Apache-2.0
#include "cli/run/spool.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"
#include "cli/held/use_sums.hpp"

namespace headway::cli {

void Spool::add(const std::string& type, const Json& data, bool hooks_tell, bool other_ids) {
    put({}, type, data, hooks_tell, other_ids);
}

void Spool::add_as(std::string_view author, const std::string& type, const Json& data) {
    put(author, type, data, false, false);
}

void Spool::put(std::string_view author, const std::string& type, const Json& data, bool hooks_tell,
                bool other_ids) {
    if (events_.size() >= kEventsMax) make_room();
    const std::string id = std::string(author) + prefix_ + "-" + std::to_string(next_++);
    events_.push_back({type, dump({{"type", type}, {"event_id", id}, {"data", data}}), hooks_tell,
                       other_ids, data.contains("usage")});
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

std::string Spool::batch() {
    const bool again = in_flight_ > 0;
    const std::size_t most = alone_ > 0 ? 1 : std::min(events_.size(), kBatchMax);
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
        taken.push_back({event->type, whole["data"], {}, event->other_ids});
    }
    events_.erase(told, events_.end());
    return taken;
}

bool Spool::has_told() const {
    return std::any_of(events_.begin(), events_.end(),
                       [](const Event& event) { return event.hooks_tell; });
}

void Spool::drop_ends_of_earlier_calls() {
    std::set<std::string> begun;
    std::erase_if(events_, [&begun](const Event& event) {
        if (!event.type.starts_with("tool.")) return false;
        const Json whole = Json::parse(event.text).value_or(Json::object());
        const std::string call_id = std::as_const(whole)["data"].text_of("call_id");
        if (event.type != "tool.finished") begun.insert(call_id);
        return event.type == "tool.finished" && !begun.contains(call_id);
    });
    in_flight_ = alone_ = 0;  // the last batch was refused as a whole
}

void Spool::clear() {
    events_.clear();
    in_flight_ = 0;
    alone_ = 0;
}

}  // namespace headway::cli
