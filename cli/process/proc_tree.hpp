// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace headway::cli {

/// The resources that a process tree uses. `cpu_ms` and `disk_bytes` (bytes written) only grow;
/// `rss_bytes` is the memory used now.
struct TreeUsage {
    std::uint64_t cpu_ms = 0;
    std::uint64_t rss_bytes = 0;
    std::uint64_t disk_bytes = 0;
    std::uint32_t processes = 0;
};

/// The fields of /proc/PID/stat that matter here, in clock ticks and pages. Pure.
struct ProcStat {
    pid_t pid = 0;
    pid_t parent = 0;
    std::uint64_t cpu_ticks = 0;  ///< the process's own and those of children already waited for
    std::uint64_t rss_pages = 0;
};
std::optional<ProcStat> parse_proc_stat(std::string_view text);

/// The start of a process, in ticks since the machine started; empty: no such process. The result
/// differs if another process has this PID now.
std::string process_began(std::int64_t pid);

/// The value of write_bytes in /proc/PID/io, or 0. Pure.
std::uint64_t parse_write_bytes(std::string_view text);

/// All descendants of a process, from /proc. A process that has ended is included in the sums of
/// the process that waited for it. The calling process must be a child subreaper, so that no orphan
/// is lost. Any thread.
class ProcTree {
public:
    explicit ProcTree(std::filesystem::path proc = "/proc") : proc_(std::move(proc)) {}

    /// `without`: processes that are left out with their descendants.
    std::vector<pid_t> descendants(pid_t root, const std::vector<pid_t>& without = {}) const;
    /// The descendants in the same run: every other `headway run` is left out, with its
    /// descendants.
    std::vector<pid_t> descendants_of_run(pid_t root) const;
    TreeUsage usage(pid_t root) const;
    /// True if the environment with which the process was started can be read, and does not have
    /// the variable `name` with this value.
    bool lacks_variable(pid_t pid, std::string_view name, std::string_view value) const;
    /// The other processes of this user that were started with a variable `name` whose value begins
    /// with `beginning`, except processes of `headway run` itself.
    std::vector<pid_t> with_variable(std::string_view name, std::string_view beginning) const;

private:
    /// The process tree. If `with` returns false for a process, it is left out with its
    /// descendants.
    std::vector<ProcStat> tree(
        pid_t root, const std::function<bool(pid_t, const std::string& folder)>& with) const;

    std::filesystem::path proc_;
};

}  // namespace headway::cli
