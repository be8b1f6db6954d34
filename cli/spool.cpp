#include "cli/spool.hpp"

#include <algorithm>
#include <string_view>

namespace headway::cli {

using nlohmann::json;

void Spool::add(const std::string& type, json data) {
    if (events_.size() >= kEventsMax) make_room();
    json event = {{"type", type}, {"data", std::move(data)}};
    event["event_id"] = prefix_ + "-" + std::to_string(next_++);
    events_.push_back(std::move(event));
}

void Spool::make_room() {
    const auto begin = events_.begin() + static_cast<std::ptrdiff_t>(in_flight_);
    for (const std::string_view spare : {"heartbeat", "message"}) {
        const auto found = std::find_if(begin, events_.end(), [spare](const json& event) {
            return event["type"].get_ref<const std::string&>() == spare;
        });
        if (found == events_.end()) continue;
        events_.erase(found);
        ++dropped_;
        return;
    }
}

json Spool::batch() {
    if (in_flight_ == 0) in_flight_ = std::min(events_.size(), kBatchMax);
    json report = json::array();
    for (std::size_t i = 0; i < in_flight_; ++i)
        report.push_back(events_[i]);
    return report;
}

void Spool::confirm() {
    events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(in_flight_));
    in_flight_ = 0;
}

void Spool::clear() {
    events_.clear();
    in_flight_ = 0;
}

}  // namespace headway::cli
