// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <system_error>

#include "cli/doctor/doctor.hpp"
#include "config/values/size.hpp"

// Checks of `headway doctor` on the disk, and its report of a repair.

namespace headway::cli {
namespace {

using std::chrono::microseconds;

constexpr int kSyncs = 5;
constexpr microseconds kSlowSync{1'000'000};

/// "3.40.1" as {3, 40, 1}.
std::array<int, 3> numbers_of(std::string_view version) {
    std::array<int, 3> numbers{};
    for (int& number : numbers) {
        const auto [rest, error] =
            std::from_chars(version.data(), version.data() + version.size(), number);
        if (error != std::errc{}) break;
        version.remove_prefix(static_cast<std::size_t>(rest - version.data()));
        if (!version.empty()) version.remove_prefix(1);
    }
    return numbers;
}

std::string mebibytes(std::uint64_t bytes) {
    return std::to_string(bytes >> 20) + " MiB";
}

/// A small write and its sync, in this file; negative when they fail.
microseconds sync_once(int file) {
    const std::array<char, 4096> page{};
    const auto began = std::chrono::steady_clock::now();
    const bool written =
        ::pwrite(file, page.data(), page.size(), 0) == static_cast<ssize_t>(page.size()) &&
        ::fdatasync(file) == 0;
    const auto took = std::chrono::steady_clock::now() - began;
    return written ? std::chrono::duration_cast<microseconds>(took) : microseconds{-1};
}

}  // namespace

Finding check_sqlite(std::string_view version) {
    const auto numbers = numbers_of(version);
    const bool affected = numbers >= std::array{3, 7, 0} && numbers < std::array{3, 51, 3};
    std::string detail{version};
    if (affected) {
        detail +=
            ", which has the WAL-reset bug: harmless with one connection, so open the live "
            "database only with headway, and copy it with `headway backup`";
    }
    return {"sqlite", true, std::move(detail), {}};
}

Finding check_room(const std::filesystem::path& directory, std::uint64_t free_min) {
    std::error_code ec;
    const auto space = std::filesystem::space(directory, ec);
    if (ec) return {"disk space", true, "not known before the first start", {}};
    std::string detail = mebibytes(space.available) + " free";
    if (space.available >= free_min) return {"disk space", true, std::move(detail), {}};
    return {"disk space", false,
            detail + ", less than storage.free_space_min, " + config::print_size(free_min) +
                ": reports are refused",
            "free some of it, or set a lower limit"};
}

Finding check_sync(const std::filesystem::path& directory) {
    const std::string file = (directory / ".doctor-XXXXXX").string();
    std::string name = file;
    const int fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0) return {"disk sync", true, "not measured: no file can be made there", {}};
    ::unlink(name.c_str());
    std::array<microseconds, kSyncs> times{};
    for (microseconds& time : times)
        time = sync_once(fd);
    ::close(fd);
    std::sort(times.begin(), times.end());
    if (times.front() < microseconds{0}) {
        return {"disk sync", false, "the disk failed to write or sync a page",
                "look at the kernel's log, and at how full the disk is"};
    }
    const double median_ms = static_cast<double>(times[kSyncs / 2].count()) / 1000;
    char number[32];
    const auto end =
        std::to_chars(number, number + sizeof number, median_ms, std::chars_format::fixed, 1);
    const std::string detail = "a sync takes " + std::string(number, end.ptr) + " ms";
    if (times[kSyncs / 2] < kSlowSync) return {"disk sync", true, detail, {}};
    return {"disk sync", false, detail + ", and every report waits for one",
            "keep the state directory on a local disk"};
}

std::vector<Finding> repair_findings(const RepairReport& report) {
    const auto count = [](std::uint64_t number, const char* what) {
        return std::to_string(number) + what;
    };
    std::vector<Finding> findings;
    findings.push_back({"repair",
                        true,
                        count(report.sessions, " sessions with ") +
                            count(report.events, " events were saved into a new database"),
                        {}});
    findings.push_back({"damaged database", true, "kept as " + report.damaged, {}});
    if (report.unread > 0)
        findings.push_back({"unreadable", true, count(report.unread, " places and rows"), {}});
    if (report.cut > 0) {
        findings.push_back(
            {"cut short",
             true,
             count(report.cut, " of the sessions end before the first event that was lost"),
             {}});
    }
    if (report.lost > 0)
        findings.push_back({"lost", true, count(report.lost, " sessions altogether"), {}});
    if (report.renamed > 0) {
        findings.push_back(
            {"renamed",
             true,
             count(report.renamed, " sessions lost their id and are called recovered-<number>"),
             {}});
    }
    return findings;
}

}  // namespace headway::cli
