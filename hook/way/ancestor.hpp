// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headway::hook {

/// A process as /proc/PID/stat tells it.
struct ProcessStat {
    int pid = 0;
    int parent = 0;
    std::uint64_t start = 0;  ///< field 22: clock ticks since boot
    std::string name;         ///< at most 15 bytes, any but NUL
};

/// Reads the text of /proc/PID/stat; none when it is cut or no such text. Pure.
std::optional<ProcessStat> parse_stat(std::string_view text);

/// True for the name of a shell, which agents start a hook with. Pure.
bool is_shell(std::string_view name) noexcept;

/// The text of /proc/PID/stat; empty if the process is gone or hidden.
using ReadStat = std::string (*)(int pid);

/// The nearest process from `parent` up that is no shell: the agent. None behind more than
/// kShellsMax shells, behind one that cannot be read, and where an init took the place of a dead
/// one.
std::optional<ProcessStat> nearest_agent(int parent, ReadStat read);
inline constexpr int kShellsMax = 8;

/// ReadStat of this machine.
std::string read_proc_stat(int pid);

/// The inode in a link such as `pid:[4026531836]`; empty for other texts. Pure.
std::string_view namespace_inode(std::string_view link) noexcept;

/// Facts about the agent's process. Empty texts are left out.
struct AgentProcess {
    std::string pid;
    std::string start;
    std::string boot;    ///< id of the boot
    std::string pid_ns;  ///< inode of the PID namespace in which `pid` counts
    int pidfd = -1;      ///< of that very process; -1: none
};

/// Finds the agent above this process and opens it. The descriptor stays open until the exit.
AgentProcess find_agent();

}  // namespace headway::hook
