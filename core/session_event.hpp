// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "core/session.hpp"

namespace headway::core {

/// An event of Headway's own at the time of the command; Session::add numbers it. Internal to the
/// session*.cpp files. Pure.
inline Event make_event(Payload payload, const Context& context) {
    Event event;
    event.at = context.now;
    event.payload = std::move(payload);
    return event;
}

/// The error for a command to an ended session. Pure.
inline Error ended_error(const SessionState& state) {
    if (!state.ended()) {
        return {ErrorCode::kSessionEnded, "no event may follow session.ended in a report", {}};
    }
    return {ErrorCode::kSessionEnded,
            "the session has ended (" + std::string{name_of(*state.outcome)} +
                "); open a new session to report more",
            {}};
}

}  // namespace headway::core
