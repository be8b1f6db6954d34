// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/time.hpp"

namespace headway::server {

/// Whether the process of an agent computes, with the processes that it has started: by the
/// difference of two looks at /proc, from the timer of a session that does not report. Other users'
/// processes can be looked at too; of a process elsewhere nothing is known. Engine thread only.
class AgentWork {
public:
    /// From now on it is this process.
    void follow(int number);
    /// Looks again, unless it has just done so; true if the process has computed since the last
    /// look. The first look tells nothing. Reads at most kProcessesMax processes.
    bool look(core::Timestamp now);

    /// A shell, its build and what that has started; a larger build shows in its first ones.
    static constexpr int kProcessesMax = 64;

private:
    int number_ = 0;
    std::uint64_t ticks_ = 0;  ///< of processor time, at the last look
    core::Timestamp looked_at_ = core::kNever;
    bool works_ = false;
};

/// Ticks of processor time that a process and its descendants have used, the ended ones that were
/// waited for included; 0 where /proc does not say.
std::uint64_t ticks_of_processes(int number);

}  // namespace headway::server
