#pragma once

#include <string>

#include "core/time.hpp"

namespace headway::api {

/// Appends RFC 3339 UTC with milliseconds, "2026-11-21T02:37:00.123Z", without quotes. Pure.
void append_timestamp(std::string& out, core::Timestamp at);

}  // namespace headway::api
