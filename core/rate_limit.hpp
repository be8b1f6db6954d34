// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace headway::core {

/// Whether a failure says that a provider holds the agent off for a while: too many requests, or
/// overloaded. `error_class` is believed, then `status`; `message` is only read when there is
/// neither. Pure.
bool is_rate_limit(std::string_view error_class, std::optional<std::uint64_t> status,
                   std::string_view message);

}  // namespace headway::core
