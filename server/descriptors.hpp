// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace headway::server {

/// The number of connections that the limit of open files allows: 16 to `wanted`. Raises the soft
/// limit of the process as far as allowed. Reserves limits::kDescriptorsReserved for the daemon
/// itself, so that many clients cannot keep it from its database.
std::uint32_t connections_that_fit(std::uint32_t wanted);

}  // namespace headway::server
