// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/http/message/process_numbers.hpp"
#include "server/http/sockets/passed_descriptors.hpp"

namespace headway::server {

/// Where the numbers count. Read once; numbers of a process do not change.
struct ProcessPlace {
    std::string boot;
    std::string pid_ns;
};

/// This process's own place; members are empty where /proc does not say.
ProcessPlace own_place();

/// A pidfd of that process, if it is of this place and /proc confirms that it is the one that began
/// then. Closed otherwise: of a process elsewhere, that is gone, or that may not be looked at,
/// nothing is known. Numbers are the client's word, so only what may hurt its own session may rest
/// on them.
system::FileDescriptor open_process(const ProcessNumbers& numbers, const ProcessPlace& place);

}  // namespace headway::server
