// SPDX-License-Identifier: Apache-2.0
#include "hook/way/ancestor.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "hook/text/bytes.hpp"

namespace headway::hook {
namespace {

constexpr std::array<std::string_view, 12> kShells{"ash", "bash", "busybox", "csh", "dash", "fish",
                                                   "ksh", "mksh", "rbash",   "sh",  "tcsh", "zsh"};
/// Processes that adopt the children of dead ones. Another first process of a container may be an
/// agent.
constexpr std::array<std::string_view, 6> kInits{"catatonit", "docker-init", "dumb-init",
                                                 "init",      "systemd",     "tini"};
constexpr int kStartField = 22;
constexpr int kFieldAfterName = 3;

template <class Number>
bool read_number(std::string_view text, Number& number) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc{} && read.ptr == end && !text.empty();
}

std::string_view next_word(std::string_view& text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \n"), text.size());
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return word;
}

/// A descriptor of this very process: the number may be another's since its stat was read.
int open_process(const ProcessStat& agent) {
    const long descriptor = ::syscall(SYS_pidfd_open, agent.pid, 0);
    if (descriptor < 0) return -1;
    const auto again = parse_stat(read_proc_stat(agent.pid));
    if (again && again->start == agent.start) return static_cast<int>(descriptor);
    ::close(static_cast<int>(descriptor));
    return -1;
}

}  // namespace

/// The name is in parentheses and may contain any character, these too, so the last one ends it.
std::optional<ProcessStat> parse_stat(std::string_view text) {
    const std::size_t open = text.find('(');
    const std::size_t close = text.rfind(')');
    if (open == text.npos || close == text.npos || close < open) return std::nullopt;
    ProcessStat stat;
    std::string_view first = text.substr(0, open);
    if (!read_number(next_word(first), stat.pid)) return std::nullopt;
    stat.name = text.substr(open + 1, close - open - 1);
    std::string_view rest = text.substr(close + 1);
    for (int field = kFieldAfterName; field <= kStartField; ++field) {
        const std::string_view word = next_word(rest);
        if (field == 4 && !read_number(word, stat.parent)) return std::nullopt;
        if (field == kStartField && !read_number(word, stat.start)) return std::nullopt;
    }
    return stat;
}

bool is_shell(std::string_view name) noexcept {
    return std::find(kShells.begin(), kShells.end(), name) != kShells.end();
}

std::optional<ProcessStat> nearest_agent(int parent, ReadStat read) {
    int pid = parent;
    for (int shells = 0; shells <= kShellsMax && pid > 0; ++shells) {
        auto stat = parse_stat(read(pid));
        if (!stat) return std::nullopt;
        if (std::find(kInits.begin(), kInits.end(), stat->name) != kInits.end()) {
            return std::nullopt;
        }
        if (!is_shell(stat->name)) return stat;
        pid = stat->parent;
    }
    return std::nullopt;
}

std::string read_proc_stat(int pid) {
    return read_small_file("/proc/" + std::to_string(pid) + "/stat");
}

std::string_view namespace_inode(std::string_view link) noexcept {
    const std::size_t open = link.find('[');
    const std::size_t close = link.find(']');
    if (open == link.npos || close == link.npos || close < open) return {};
    const std::string_view inode = link.substr(open + 1, close - open - 1);
    const bool digits = inode.find_first_not_of("0123456789") == inode.npos;
    return digits ? inode : std::string_view{};
}

AgentProcess find_agent() {
    AgentProcess agent;
    const auto stat = nearest_agent(::getppid(), read_proc_stat);
    if (!stat) return agent;
    agent.pid = std::to_string(stat->pid);
    agent.start = std::to_string(stat->start);
    agent.boot = trimmed_line(read_small_file("/proc/sys/kernel/random/boot_id"));
    char link[64];
    const ssize_t size = ::readlink("/proc/self/ns/pid", link, sizeof link);
    if (size > 0) agent.pid_ns = namespace_inode({link, static_cast<std::size_t>(size)});
    agent.pidfd = open_process(*stat);
    return agent;
}

}  // namespace headway::hook
