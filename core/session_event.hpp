#pragma once

#include <utility>

#include "core/session.hpp"

namespace headway::core {

/// An event of Headway's own at the moment of the command; Session::add numbers it. Internal to the
/// session*.cpp files. Pure.
inline Event make_event(Payload payload, const Context& context) {
    Event event;
    event.at = context.now;
    event.payload = std::move(payload);
    return event;
}

}  // namespace headway::core
