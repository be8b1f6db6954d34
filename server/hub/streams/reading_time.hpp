// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/encode/encode.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// The time for documents made on the I/O thread: all reports up to it were received.
inline api::ReadingTime reading_time(const Clock& clock) {
    return {clock.heard_until(), clock.watch()};
}

}  // namespace headway::server
