// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/texts/goal_report.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "api/text/plain_text.hpp"

namespace headway::api::hooks {
namespace {

constexpr std::uint64_t kExitStatusMax = 255;

/// Takes the part before the next `;` off.
std::string_view take_part(std::string_view& rest) {
    const std::string_view part = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    return part;
}

std::optional<std::string> bytes_of_hex(std::string_view digits) {
    if (digits.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(digits.size() / 2);
    for (std::size_t at = 0; at < digits.size(); at += 2) {
        unsigned byte = 0;
        const char* const begin = digits.data() + at;
        const auto read = std::from_chars(begin, begin + 2, byte, 16);
        if (read.ec != std::errc{} || read.ptr != begin + 2) return std::nullopt;
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

bool read_goal_status(std::string_view text, GoalReport& report) {
    report.timed_out = text == "time";
    if (report.timed_out) return true;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, report.exit_status);
    return read.ec == std::errc{} && read.ptr == end && report.exit_status <= kExitStatusMax;
}

}  // namespace

GoalReport read_goal_report(std::string_view header, const core::SecretFinder* secrets) {
    GoalReport report;
    const std::string_view kind = take_part(header);
    const auto command = bytes_of_hex(take_part(header));
    const auto output = bytes_of_hex(take_part(header));
    if (!command || !output || command->empty() || !header.empty()) return {};
    report.ran = kind != "ask";
    if (report.ran && !read_goal_status(kind, report)) return {};
    report.set = true;
    // First without secrets: a cut could leave half of one.
    report.command = tail_of(without_secrets(as_utf8(*command), secrets), kGoalCommandMax);
    report.output = tail_of(without_secrets(as_utf8(*output), secrets), kGoalOutputMax);
    return report;
}

}  // namespace headway::api::hooks
