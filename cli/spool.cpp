// SPDX-License-Identifier: Apache-2.0
#include "cli/spool.hpp"

#include <algorithm>
#include <string_view>

#include "cli/daemon.hpp"
#include "cli/json.hpp"

namespace headway::cli {

void Spool::add(const std::string& type, const Json& data) {
    if (events_.size() >= kEventsMax) make_room();
    const std::string id = prefix_ + "-" + std::to_string(next_++);
    events_.push_back({type, dump({{"type", type}, {"event_id", id}, {"data", data}})});
}

void Spool::make_room() {
    const auto begin = events_.begin() + static_cast<std::ptrdiff_t>(in_flight_);
    for (const std::string_view spare : {"heartbeat", "message"}) {
        const auto found = std::find_if(
            begin, events_.end(), [spare](const Event& event) { return event.type == spare; });
        if (found == events_.end()) continue;
        events_.erase(found);
        ++dropped_;
        return;
    }
}

std::string Spool::batch() {
    if (in_flight_ == 0) in_flight_ = std::min(events_.size(), kBatchMax);
    std::string report = "[";
    for (std::size_t i = 0; i < in_flight_; ++i) {
        if (i > 0) report += ',';
        report += events_[i].text;
    }
    return report + "]";
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
