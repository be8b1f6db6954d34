// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

// Text for people and for a terminal. The text of an agent is passed through clean_line() before it
// is shown, or through core::visible() if a person decides about it. A terminal obeys escape
// sequences, and an agent must not control the terminal of the person who watches.

namespace headway::cli {

/// Line breaks, tabs and blanks become single blanks; blanks at both ends are removed. Pure.
std::string on_one_line(std::string_view text);

/// core::visible() of on_one_line(). Pure.
std::string clean_line(std::string_view text);

/// The non-empty parts between the separators. Pure.
std::vector<std::string> split(std::string_view list, char separator);

/// The lines, without line ends. Pure.
std::vector<std::string> lines_of(std::string_view text);

/// The words with the separator between them. Pure.
std::string join(const std::vector<std::string>& words, std::string_view separator);

/// Columns on a terminal: two for each wide character of East Asia and each emoji, one for any
/// other. Pure.
std::size_t width_of(std::string_view text);

/// The beginning of `text` that is at most `columns` wide. Pure.
std::string_view within(std::string_view text, std::size_t columns);

/// At most `columns` columns, the last one an ellipsis if something was cut. Pure.
std::string crop(std::string_view text, std::size_t columns);

/// Padded with spaces to `columns` columns. Pure.
std::string pad(std::string_view text, std::size_t columns);

/// The text in upper case. Changes ASCII letters only.
std::string uppercase(std::string text);

/// " name value" and a line end; writes nothing if the value is empty.
void field_line(std::ostream& out, std::string_view name, std::string_view value);

/// At most `bytes` bytes, never cutting a code point. Pure.
std::string_view cut_bytes(std::string_view text, std::size_t bytes);

/// "850ms", "5.1s", "2m05s", "3h12m", "4d02h". Pure.
std::string human_duration(std::chrono::milliseconds duration);

/// "512 B", "4.2 MiB". Pure.
std::string human_bytes(double bytes);

/// The number with `digits` decimal places. Pure.
std::string fixed_text(double value, int digits);

/// "950", "12.3k", "4.56M", "1.20B". Pure.
std::string count_text(double count);

using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

/// Reads "2026-11-21T02:00:00.000Z". Pure.
std::optional<WallTime> parse_time(std::string_view text);

/// "11-28": month and day in the local time zone.
std::string local_day(std::chrono::sys_time<std::chrono::milliseconds> time);

/// HH:MM:SS in the zone of this machine.
std::string local_clock(std::chrono::sys_time<std::chrono::milliseconds> time);

}  // namespace headway::cli
