// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/time.hpp"

namespace headway::server {

/// Finds out whether an agent's process or its descendants compute, by the difference of two reads
/// of /proc from the timer of a session that does not report. Works for other users' processes too,
/// but not for processes without a PID here. Engine thread only.
class AgentWork {
public:
    /// Sets the process.
    void follow(int number);
    /// Reads /proc again, unless it has just done so; true if the process has computed since the
    /// last read. The first call returns false. Reads at most kProcessesMax processes.
    bool look(core::Timestamp now);

    /// Enough for a shell, its build and its compilers; a larger build shows in its first
    /// processes.
    static constexpr int kProcessesMax = 64;

private:
    int number_ = 0;
    std::uint64_t ticks_ = 0;  ///< processor time at the last read
    core::Timestamp looked_at_ = core::kNever;
    bool works_ = false;
};

/// Ticks of processor time that a process and its descendants have used, including ended ones that
/// were waited for; 0 if /proc does not show them.
std::uint64_t ticks_of_processes(int number);

}  // namespace headway::server
