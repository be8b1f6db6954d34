// SPDX-License-Identifier: Apache-2.0
#include "server/engine/queries/verdict_hour.hpp"

namespace headway::server {

void VerdictHour::note(core::Timestamp now, const Counts& open) {
    using std::chrono::minutes;
    const auto begun = std::chrono::floor<minutes>(now);
    // The first turn, or the clock of a shared store went back: older minutes have other times.
    if (noted_ == decltype(noted_){} || begun < noted_) {
        minutes_.clear();
        noted_ = begun;
    }
    if (begun - noted_ > minutes{kMinutesMax}) noted_ = begun - minutes{kMinutesMax};
    for (; noted_ < begun; noted_ += minutes{1}) {
        if (minutes_.size() == kMinutesMax) minutes_.pop_front();
        minutes_.push_back(open);
    }
}

}  // namespace headway::server
