// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/base/text.hpp"

namespace headway::cli {

class Json;

/// How `watch` and `events` show an event.
struct LineStyle {
    std::size_t width = 0;          ///< columns to crop to; 0: do not crop
    std::size_t session_width = 0;  ///< columns for the session id; 0: leave it out
    bool color = false;
};

/// "02:03:04 tool.finished make ok 5.1s: all" without a line feed. The parts align from line to
/// line; they are closer together if the width is below 100. Nothing in the line can control a
/// terminal. `event` is an event envelope; any other value also gives a line.
std::string event_line(const Json& event, const LineStyle& style);

/// Summary of an event, in a few words. Pure.
std::string event_summary(std::string_view type, const Json& data);

/// A JSON value for people, as one clean line: a string is unchanged, a text that the daemon has
/// shortened becomes its beginning, and any other value becomes JSON. Pure.
std::string plain_text(const Json& value);
/// The member `name` for people, as one clean line; empty if it is null or absent. Pure.
std::string plain_text(const Json& object, std::string_view name);

/// The status for people: "ALARM stuck", "waiting, needs you" or, in other cases, the status alone.
/// Pure.
std::string shown_status(std::string_view status, bool alarm, bool needs_somebody);

/// ", until 03:10": the local time at which a blocked session's provider accepts requests again,
/// with the day unless that is today. Empty if the provider reported no time. Pure, except for the
/// time zone.
std::string until_text(const Json& verdict, WallTime now);

/// The age at `now` of the time in the member `name`, at least 0; "-" without this member. Pure.
std::string age_at(const Json& object, const char* name, WallTime now);

/// The escape sequence that colours a verdict, or "". Pure.
std::string_view verdict_color(std::string_view status);
inline constexpr std::string_view kColorReset = "\x1b[0m";
inline constexpr std::string_view kColorBold = "\x1b[1m";
inline constexpr std::string_view kColorAlarm = "\x1b[1;31m";

}  // namespace headway::cli
