// SPDX-License-Identifier: Apache-2.0
#include "cli/process/proc_tree.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string>

#include "config/values/read_file.hpp"

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || rest != end) return std::nullopt;
    return number;
}

/// Empty for a process that has ended meanwhile.
std::string content_of(const fs::path& path) {
    return config::read_file(path).value_or(std::string{});
}

bool is_of_this_user(const fs::path& process) {
    struct stat about {};
    return ::stat(process.c_str(), &about) == 0 && about.st_uid == ::geteuid();
}

bool any_process(pid_t, const std::string&) {
    return true;
}

/// By its command line, and by its program unless that is hidden, as it is where a process has
/// secrets: another program may have this command line.
bool is_no_run(pid_t, const std::string& folder) {
    std::error_code hidden;
    const std::string program = fs::read_symlink(fs::path(folder) / "exe", hidden).filename();
    // It may be installed under another name, as this one is then.
    std::error_code unknown;
    const std::string own = fs::read_symlink("/proc/self/exe", unknown).filename();
    const auto is_ours = [&own](std::string_view name) { return name == "headway" || name == own; };
    constexpr std::string_view kDeleted = " (deleted)";
    std::string_view name = program;
    if (name.ends_with(kDeleted)) name.remove_suffix(kDeleted.size());
    if (!hidden && !is_ours(name)) return true;
    constexpr std::string_view kRun{"\0run\0", 5};
    const std::string line = content_of(fs::path(folder) / "cmdline") + '\0';
    std::string_view words = line;
    const std::size_t end = words.find('\0');
    const std::size_t slash = words.substr(0, end).rfind('/');
    if (slash != words.npos) words.remove_prefix(slash + 1);
    name = words.substr(0, words.find('\0'));
    return !is_ours(name) || !words.substr(name.size()).starts_with(kRun);
}

std::vector<pid_t> pids_of(const std::vector<ProcStat>& tree) {
    std::vector<pid_t> pids;
    pids.reserve(tree.size());
    for (const ProcStat& stat : tree)
        pids.push_back(stat.pid);
    return pids;
}

// The kernel adds the usage of children when we wait for them.
std::uint64_t reaped_cpu_ms() {
    rusage usage{};
    if (::getrusage(RUSAGE_CHILDREN, &usage) != 0) return 0;
    const auto ms = [](const timeval& time) { return time.tv_sec * 1'000 + time.tv_usec / 1'000; };
    return static_cast<std::uint64_t>(ms(usage.ru_utime) + ms(usage.ru_stime));
}

}  // namespace

std::string process_began(std::int64_t pid) {
    constexpr int kBehindName = 20;  // field 22, the name being field 2
    const std::string text = content_of("/proc/" + std::to_string(pid) + "/stat");
    const std::size_t close = text.rfind(") ");  // the name may have both in it
    if (close == std::string::npos) return {};
    std::istringstream fields{text.substr(close + 2)};
    std::string field;
    for (int i = 0; i < kBehindName; ++i)
        fields >> field;
    return field;
}

std::optional<ProcStat> parse_proc_stat(std::string_view text) {
    // "PID (NAME) STATE PPID ...": the name may hold anything, also ") ".
    const std::size_t open = text.find(" (");
    const std::size_t close = text.rfind(") ");
    if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;

    std::array<std::string_view, 22> fields;  // from the state on, which proc(5) numbers 3
    std::size_t count = 0;
    std::string_view rest = text.substr(close + 2);
    while (!rest.empty() && count < fields.size()) {
        const std::size_t end = std::min(rest.find_first_of(" \n"), rest.size());
        fields[count++] = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (count < fields.size()) return std::nullopt;

    const auto pid = parse_number<pid_t>(text.substr(0, open));
    const auto parent = parse_number<pid_t>(fields[1]);
    if (!pid || !parent) return std::nullopt;
    ProcStat stat{*pid, *parent};
    for (const std::size_t i : {11U, 12U, 13U, 14U}) {  // utime stime cutime cstime
        stat.cpu_ticks += parse_number<std::uint64_t>(fields[i]).value_or(0);
    }
    stat.rss_pages = parse_number<std::uint64_t>(fields[21]).value_or(0);
    return stat;
}

std::uint64_t parse_write_bytes(std::string_view text) {
    constexpr std::string_view kName = "\nwrite_bytes: ";
    const std::size_t found = text.find(kName);
    if (found == std::string_view::npos) return 0;
    const std::string_view value = text.substr(found + kName.size());
    return parse_number<std::uint64_t>(value.substr(0, value.find('\n'))).value_or(0);
}

std::vector<ProcStat> ProcTree::tree(
    pid_t root, const std::function<bool(pid_t, const std::string& folder)>& with) const {
    std::vector<ProcStat> all;
    std::error_code error;
    fs::directory_iterator entries(proc_, error);
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
        if (!parse_number<pid_t>(entries->path().filename().native())) continue;
        const auto stat = parse_proc_stat(content_of(entries->path() / "stat"));
        if (stat && (stat->pid == root || with(stat->pid, entries->path()))) all.push_back(*stat);
    }
    std::vector<ProcStat> found;
    std::vector<pid_t> parents{root};
    for (std::size_t next = 0; next < parents.size(); ++next) {
        for (const ProcStat& stat : all) {
            if (stat.parent != parents[next] || stat.pid == root) continue;
            found.push_back(stat);
            parents.push_back(stat.pid);
        }
        // Read one after the other, /proc may show a circle when numbers are used again.
        if (parents.size() > all.size() + 1) break;
    }
    return found;
}

std::vector<pid_t> ProcTree::descendants(pid_t root, const std::vector<pid_t>& without) const {
    return pids_of(tree(root, [&without](pid_t pid, const std::string&) {
        return std::find(without.begin(), without.end(), pid) == without.end();
    }));
}

std::vector<pid_t> ProcTree::descendants_of_run(pid_t root) const {
    return pids_of(tree(root, is_no_run));
}

std::vector<pid_t> ProcTree::with_variable(std::string_view name,
                                           std::string_view beginning) const {
    const std::string entry =
        std::string(1, '\0') + std::string(name) + "=" + std::string(beginning);
    std::vector<pid_t> pids;
    std::error_code error;
    fs::directory_iterator entries(proc_, error);
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
        const auto pid = parse_number<pid_t>(entries->path().filename().native());
        if (!pid || *pid == ::getpid() || !is_of_this_user(entries->path())) continue;
        const std::string all = std::string(1, '\0') + content_of(entries->path() / "environ");
        if (all.find(entry) != std::string::npos && is_no_run(*pid, entries->path()))
            pids.push_back(*pid);
    }
    return pids;
}

bool ProcTree::lacks_variable(pid_t pid, std::string_view name, std::string_view value) const {
    const std::string all = content_of(proc_ / std::to_string(pid) / "environ");
    const std::string entry = std::string(name) + "=" + std::string(value) + std::string(1, '\0');
    return !all.empty() && (std::string(1, '\0') + all).find('\0' + entry) == std::string::npos;
}

TreeUsage ProcTree::usage(pid_t root) const {
    static const auto ticks_per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    static const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    TreeUsage usage;
    usage.cpu_ms = reaped_cpu_ms();
    usage.disk_bytes = parse_write_bytes(content_of(proc_ / std::to_string(root) / "io"));
    for (const ProcStat& stat : tree(root, any_process)) {
        usage.cpu_ms += stat.cpu_ticks * 1'000 / ticks_per_second;
        usage.rss_bytes += stat.rss_pages * page_bytes;
        usage.disk_bytes += parse_write_bytes(content_of(proc_ / std::to_string(stat.pid) / "io"));
        ++usage.processes;
    }
    return usage;
}

}  // namespace headway::cli
