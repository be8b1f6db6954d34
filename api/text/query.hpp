// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.hpp"

namespace headway::api {

/// `text` with its percent sequences decoded; nothing if a sequence is invalid or means NUL. Pure.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space);

/// Query parameters, decoded, in order.
class Query {
public:
    /// `known` lists the names that are allowed, separated by blanks. Error: kInvalidParameter for
    /// an invalid percent sequence, and for a repeated or unknown name.
    static core::Result<Query> parse(std::string_view query, std::string_view known);

    /// The value, or null. The value lives as long as this object.
    const std::string* find(std::string_view name) const;

private:
    std::vector<std::pair<std::string, std::string>> parameters_;
};

/// Reads "55s", "500ms" or "2m"; a number alone means seconds. Error: kInvalidParameter on `field`.
core::Result<std::int64_t> parse_duration_ms(std::string_view text, std::string_view field);

/// Reads a whole number within bounds. Error: kInvalidParameter on `field`.
core::Result<std::uint64_t> parse_number(std::string_view text, std::string_view field,
                                         std::uint64_t min, std::uint64_t max);

}  // namespace headway::api
