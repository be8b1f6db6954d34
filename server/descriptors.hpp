// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace headway::server {

/// How many connections fit below the limit of open files, at most `wanted`: the soft limit is
/// raised as far as it may, and limits::kDescriptorsReserved are kept for the daemon itself, so
/// that no crowd of clients keeps it from its database. At least 16. Changes the limit of the
/// process.
std::uint32_t connections_that_fit(std::uint32_t wanted);

}  // namespace headway::server
