// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace headway::server {

/// The number of connections that the limit of open files allows: from 16 to `wanted`. Raises the
/// soft limit of the process as far as allowed. Reserves limits::kDescriptorsReserved for the
/// daemon itself, so that many clients cannot block its access to the database. Also reserves up to
/// limits::kPassedDescriptorsMax for descriptors that clients send, and up to
/// limits::kAgentProcessesMax for agent processes that are followed.
std::uint32_t connections_that_fit(std::uint32_t wanted);
/// How many descriptors from clients fit in addition to this many connections.
std::uint32_t passed_descriptors_that_fit(std::uint32_t connections);
/// How many agent processes can be followed in addition to this many connections.
std::uint32_t agent_processes_that_fit(std::uint32_t connections);

}  // namespace headway::server
