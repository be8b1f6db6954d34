// SPDX-License-Identifier: Apache-2.0
#include "config/values/duration.hpp"

#include <array>
#include <charconv>
#include <cstdint>

namespace headway::config {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t ms;
};

// Largest first: print_duration takes the first that divides.
constexpr std::array<Unit, 5> kUnits{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

core::Error no_duration(std::string_view text, std::string_view why) {
    std::string detail = "\"" + std::string(text) + "\" " + std::string(why);
    detail += "; write a whole number and a unit, as 500ms, 10s, 2m, 12h or 30d";
    return {core::ErrorCode::kInvalidConfig, std::move(detail), {}};
}

}  // namespace

core::Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc::result_out_of_range) return no_duration(text, "is too long");
    if (error != std::errc{}) return no_duration(text, "is not a duration");
    if (number < 0) return no_duration(text, "is negative");

    const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
    if (suffix.empty() && number == 0) return std::chrono::milliseconds{0};
    if (suffix.empty()) return no_duration(text, "has no unit");
    for (const Unit& unit : kUnits) {
        if (suffix != unit.name) continue;
        if (number > kDurationMax.count() / unit.ms) return no_duration(text, "is too long");
        return std::chrono::milliseconds{number * unit.ms};
    }
    return no_duration(text, "has an unknown unit");
}

std::string print_duration(std::chrono::milliseconds duration) {
    const std::int64_t ms = duration.count();
    if (ms == 0) return "0s";
    for (const Unit& unit : kUnits) {
        if (ms % unit.ms == 0) return std::to_string(ms / unit.ms) + std::string(unit.name);
    }
    return std::to_string(ms) + "ms";  // not reached: the last unit divides everything
}

}  // namespace headway::config
