// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/time.hpp"

namespace headway::api {

/// Appends RFC 3339 UTC with milliseconds, "2026-11-21T02:37:00.123Z", without quotes. Changes only
/// `out`.
void append_timestamp(std::string& out, core::Timestamp at);
std::string timestamp_text(core::Timestamp at);

/// Reads RFC 3339 in UTC ("Z"), with or without a fraction of a second, which is cut to
/// milliseconds. False for any other text, with `at` unchanged. Changes only `at`.
bool parse_timestamp(std::string_view text, core::Timestamp& at);

}  // namespace headway::api
