// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace headway::server {

/// The process of an agent, as named by headers that the client sent (hook/README.md). Headers that
/// were not sent are empty.
struct ProcessNumbers {
    std::string_view pid;
    std::string_view start;   ///< start time, field 22 of /proc/PID/stat: clock ticks since the
                              ///< boot
    std::string_view boot;    ///< content of /proc/sys/kernel/random/boot_id
    std::string_view pid_ns;  ///< inode of the PID namespace to which `pid` belongs
};

}  // namespace headway::server
