// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headway::hook {

/// A process as described in /proc/PID/stat.
struct ProcessStat {
    int pid = 0;
    int parent = 0;
    std::uint64_t start = 0;  ///< field 22: start time in clock ticks since boot
    std::string name;         ///< at most 15 bytes, without NUL
};

/// Reads the text of /proc/PID/stat; nothing for truncated or other text. Pure.
std::optional<ProcessStat> parse_stat(std::string_view text);

/// True for the name of a shell. Agents start hooks through shells. Pure.
bool is_shell(std::string_view name) noexcept;

/// The text of /proc/PID/stat; empty if the process is gone or hidden.
using ReadStat = std::string (*)(int pid);

/// The nearest process, from `parent` upwards, that is not a shell: the agent. Nothing if there are
/// more than kShellsMax shells, if a process cannot be read, or if an init process has replaced a
/// parent that has ended.
std::optional<ProcessStat> nearest_agent(int parent, ReadStat read);
inline constexpr int kShellsMax = 8;

/// ReadStat for this machine.
std::string read_proc_stat(int pid);

/// The inode in a link such as `pid:[4026531836]`; empty for other texts. Pure.
std::string_view namespace_inode(std::string_view link) noexcept;

/// Facts about the agent's process. Empty texts are not sent.
struct AgentProcess {
    std::string pid;
    std::string start;
    std::string boot;    ///< boot id
    std::string pid_ns;  ///< inode of the PID namespace of `pid`
    int pidfd = -1;      ///< pidfd of exactly this process; -1: none
};

/// Finds the agent among the ancestors of this process, and opens a pidfd for the agent. The pidfd
/// stays open until exit.
AgentProcess find_agent();

}  // namespace headway::hook
