// SPDX-License-Identifier: Apache-2.0
#include "server/hub/processes/named_process.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>

namespace headway::server {
namespace {

/// The first bytes of a small file; empty if it cannot be read.
std::string read_start(const std::string& path) {
    const system::FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!file.open()) return {};
    std::array<char, 1024> space{};  // the fields of a stat file are numbers, except for a short
                                     // name
    const ::ssize_t got = ::read(file.get(), space.data(), space.size());
    return got > 0 ? std::string{space.data(), static_cast<std::size_t>(got)} : std::string{};
}

std::string_view first_word(std::string_view text) {
    return text.substr(0, text.find_first_of(" \n"));
}

/// Field 22 of a stat file. The second one is a name in parentheses, which may hold any character.
std::string_view start_in(std::string_view stat) {
    constexpr int kFieldsBetween = 22 - 3;
    const std::size_t name_end = stat.rfind(") ");
    if (name_end == stat.npos) return {};
    stat.remove_prefix(name_end + 2);
    for (int i = 0; i < kFieldsBetween; ++i) {
        const std::size_t blank = stat.find(' ');
        if (blank == stat.npos) return {};
        stat.remove_prefix(blank + 1);
    }
    return first_word(stat);
}

}  // namespace

ProcessPlace own_place() {
    ProcessPlace place;
    place.boot = first_word(read_start("/proc/sys/kernel/random/boot_id"));
    std::array<char, 64> link{};  // `pid:[4026531836]`
    const ::ssize_t got = ::readlink("/proc/self/ns/pid", link.data(), link.size());
    const std::string_view text{link.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
    if (text.starts_with("pid:[") && text.ends_with("]"))
        place.pid_ns = text.substr(5, text.size() - 6);
    return place;
}

system::FileDescriptor open_process(const ProcessNumbers& numbers, const ProcessPlace& place) {
    int pid = 0;
    const char* const end = numbers.pid.data() + numbers.pid.size();
    const auto read = std::from_chars(numbers.pid.data(), end, pid);
    const bool number =
        !numbers.pid.empty() && read.ec == std::errc{} && read.ptr == end && pid > 1;
    const bool here = !place.boot.empty() && numbers.boot == place.boot && !place.pid_ns.empty() &&
                      numbers.pid_ns == place.pid_ns;
    if (!number || !here || numbers.start.empty()) return {};
    system::FileDescriptor process{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
    if (!process.open()) return {};
    // Read once it is held: the number cannot become another process's any more.
    const std::string stat = read_start("/proc/" + std::to_string(pid) + "/stat");
    if (start_in(stat) != numbers.start) return {};
    return process;
}

}  // namespace headway::server
