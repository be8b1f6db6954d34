// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/encode/encode.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// The time used in documents made on the I/O thread: all reports up to this time have been
/// received.
inline api::ReadingTime reading_time(const Clock& clock) {
    return {clock.heard_until(), clock.watch()};
}

}  // namespace headway::server
