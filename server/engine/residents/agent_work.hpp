// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/time.hpp"

namespace headway::server {

/// Finds out whether an agent's process or its descendants use the CPU, by comparing two reads of
/// /proc. Used by the timer of a session that sends no reports. Works for processes of other users
/// too, but not for processes that have no PID in this namespace. Engine thread only.
class AgentWork {
public:
    /// Sets the PID of the agent's process.
    void follow(int number);
    /// Reads /proc again, unless the last read was only a moment ago; true if the processes have
    /// used at least 2 % of one CPU since the last read. The first call returns false. Reads at
    /// most kProcessesMax processes.
    bool look(core::Timestamp now);

    /// Enough for a shell, a build and its compilers. For a larger build, its first processes
    /// suffice to see CPU use.
    static constexpr int kProcessesMax = 64;

private:
    int number_ = 0;
    std::uint64_t ticks_ = 0;  ///< processor time at the last read
    core::Timestamp looked_at_ = core::kNever;
    bool works_ = false;
};

/// Processor time in ticks that a process and its descendants have used, including descendants that
/// ended and were waited for; 0 if /proc does not show it.
std::uint64_t ticks_of_processes(int number);

}  // namespace headway::server
