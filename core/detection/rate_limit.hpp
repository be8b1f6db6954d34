// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace headway::core {

/// True if a failure is a provider's rate limit or overload. `error_class` decides, then `status`;
/// `message` is read only if both are absent. Pure.
bool is_rate_limit(std::string_view error_class, std::optional<std::uint64_t> status,
                   std::string_view message);

}  // namespace headway::core
