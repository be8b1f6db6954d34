// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "server/http/message/process_numbers.hpp"
#include "server/http/sockets/passed_descriptors.hpp"

namespace headway::server {

/// The boot and the PID namespace in which a PID is valid. Read once, because they do not change.
struct ProcessPlace {
    std::string boot;
    std::string pid_ns;
};

/// This process's own place; members are empty if /proc lacks them.
ProcessPlace own_place();

/// A pidfd of the process with these numbers, if it belongs to `place` and /proc confirms its start
/// time; otherwise an invalid descriptor, because nothing is known of a process that is elsewhere,
/// gone or unreadable. The client may send false numbers, so nothing that could harm another
/// session may depend on them.
system::FileDescriptor open_process(const ProcessNumbers& numbers, const ProcessPlace& place);

}  // namespace headway::server
