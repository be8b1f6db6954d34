// SPDX-License-Identifier: Apache-2.0
#include "config/values/size.hpp"

#include <array>
#include <charconv>

namespace headway::config {
namespace {

struct SizeUnit {
    std::string_view name;
    std::uint64_t bytes;
};

// Largest first: print_size takes the first that divides.
constexpr std::array<SizeUnit, 4> kSizeUnits{
    {{"GiB", 1ULL << 30}, {"MiB", 1ULL << 20}, {"KiB", 1ULL << 10}, {"B", 1}}};

core::Error no_size(std::string_view text, std::string_view why) {
    std::string detail = "\"" + std::string(text) + "\" " + std::string(why);
    detail += "; write a whole number and a unit, as 512KiB, 64MiB or 1GiB";
    return {core::ErrorCode::kInvalidConfig, std::move(detail), {}};
}

}  // namespace

core::Result<std::uint64_t> parse_size(std::string_view text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc::result_out_of_range) return no_size(text, "is too large");
    if (error != std::errc{}) return no_size(text, "is not a size");

    const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
    if (suffix.empty() && number == 0) return std::uint64_t{0};
    if (suffix.empty()) return no_size(text, "has no unit");
    for (const SizeUnit& unit : kSizeUnits) {
        if (suffix != unit.name) continue;
        if (number > kSizeMax / unit.bytes) return no_size(text, "is too large");
        return number * unit.bytes;
    }
    return no_size(text, "has an unknown unit");
}

std::string print_size(std::uint64_t bytes) {
    if (bytes == 0) return "0B";
    for (const SizeUnit& unit : kSizeUnits) {
        if (bytes % unit.bytes == 0)
            return std::to_string(bytes / unit.bytes) + std::string(unit.name);
    }
    return {};  // not reached: the last unit divides everything
}

}  // namespace headway::config
