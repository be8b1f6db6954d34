// SPDX-License-Identifier: Apache-2.0
#include "cli/process/proc_tree.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temp_dir.hpp"

using namespace headway::cli;
namespace fs = std::filesystem;

namespace {

std::string stat_line(int pid, const std::string& name, int parent, int ticks, int pages) {
    std::string line = std::to_string(pid) + " (" + name + ") S " + std::to_string(parent);
    line += " 1 1 0 -1 4194304 1 2 3 4 " + std::to_string(ticks) + " 0 0 0 20 0 1 0 100 2000 ";
    return line + std::to_string(pages) + " 18446744073709551615 0 0\n";
}

// A /proc of our own, gone afterwards.
class FakeProc {
public:
    FakeProc() {
        std::string pattern = (fs::temp_directory_path() / "headway-proc-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    FakeProc(const FakeProc&) = delete;
    FakeProc& operator=(const FakeProc&) = delete;
    ~FakeProc() { fs::remove_all(path_); }

    void add(int pid, int parent, int ticks, int pages, int written) const {
        const fs::path folder = path_ / std::to_string(pid);
        fs::create_directory(folder);
        std::ofstream(folder / "stat") << stat_line(pid, "a) (b", parent, ticks, pages);
        std::ofstream(folder / "io")
            << "rchar: 1\nwrite_bytes: " << written << "\ncancelled_write_bytes: 9\n";
    }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

/// A process whose children end all the time; gone afterwards.
class Churn {
public:
    Churn() : pid_(::fork()) {
        if (pid_ == 0) begin();
        REQUIRE(pid_ > 0);
    }
    Churn(const Churn&) = delete;
    Churn& operator=(const Churn&) = delete;
    ~Churn() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }

private:
    [[noreturn]] static void begin() {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (true) {
            for (int i = 0; i < 20; ++i) {
                if (::fork() == 0) ::_exit(0);
            }
            while (::wait(nullptr) > 0) {
            }
        }
    }

    pid_t pid_;
};

}  // namespace

TEST_CASE("proc tree: stat is read whatever the name holds", "[cli]") {
    const auto stat = parse_proc_stat(stat_line(42, "evil) R 1 (x", 7, 15, 30));
    REQUIRE(stat);
    CHECK(stat->pid == 42);
    CHECK(stat->parent == 7);
    CHECK(stat->cpu_ticks == 15);
    CHECK(stat->rss_pages == 30);
    for (const char* text : {"", "42", "42 (x", "42 (x) S 1", "x (y) S z"}) {
        CHECK_FALSE(parse_proc_stat(text));
    }
}

TEST_CASE("proc tree: bytes written to disk are read", "[cli]") {
    CHECK(parse_write_bytes("rchar: 1\nwrite_bytes: 4096\ncancelled_write_bytes: 7\n") == 4096);
    CHECK(parse_write_bytes("cancelled_write_bytes: 7\n") == 0);
    CHECK(parse_write_bytes("") == 0);
}

TEST_CASE("proc tree: only what is below counts", "[cli]") {
    const FakeProc proc;
    proc.add(1, 0, 1'000, 1'000, 1'000);
    proc.add(10, 1, 1'000, 1'000, 1);  // the root: its writes hold those of children waited for
    proc.add(11, 10, 100, 2, 20);
    proc.add(12, 11, 200, 3, 300);
    proc.add(13, 1, 1'000, 1'000, 1'000);
    const ProcTree tree(proc.path());
    CHECK(tree.descendants(10) == std::vector<pid_t>{11, 12});
    const TreeUsage usage = tree.usage(10);
    CHECK(usage.processes == 2);
    CHECK(usage.disk_bytes == 321);
    CHECK(usage.rss_bytes == 5 * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
    const auto ticks = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    CHECK(usage.cpu_ms >= 300 * 1'000 / ticks);
}

TEST_CASE("proc tree: another run of Headway and its descendants are of another run", "[cli]") {
    using namespace std::string_literals;
    const FakeProc proc;
    proc.add(10, 1, 1, 1, 1);
    proc.add(11, 10, 1, 1, 1);
    proc.add(12, 11, 1, 1, 1);
    proc.add(13, 12, 1, 1, 1);
    proc.add(14, 11, 1, 1, 1);
    const auto left = [&](const std::string& command) {
        std::ofstream{proc.path() / "12/cmdline"} << command;
        std::vector<pid_t> found = ProcTree(proc.path()).descendants_of_run(10);
        std::sort(found.begin(), found.end());
        return found;
    };
    CHECK(left("/usr/bin/headway\0run\0--\0make\0"s) == std::vector<pid_t>{11, 14});
    CHECK(left("headway\0run"s) == std::vector<pid_t>{11, 14});
    for (const std::string& other : {""s, "headway\0mcp\0"s, "make\0run\0"s, "headway\0runs\0"s})
        CHECK(left(other) == std::vector<pid_t>{11, 12, 13, 14});
    CHECK(ProcTree(proc.path()).descendants(10).size() == 4);
    CHECK(ProcTree(proc.path()).descendants(10, {12, 99}) == std::vector<pid_t>{11, 14});
    for (const std::string& program : {"/opt/headway (deleted)"s, "/opt/headway"s, "/bin/sh"s}) {
        std::filesystem::remove(proc.path() / "12/exe");
        std::filesystem::create_symlink(program, proc.path() / "12/exe");
        CHECK(left("headway\0run"s).size() == (program == "/bin/sh" ? 4 : 2));
    }
    // Installed under another name, as this program is.
    const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe");
    std::filesystem::remove(proc.path() / "12/exe");
    std::filesystem::create_symlink(own, proc.path() / "12/exe");
    CHECK(left("headway\0run"s).size() == 2);
    CHECK(left(own.filename().string() + "\0run"s).size() == 2);
}

TEST_CASE("proc tree: a circle of reused numbers ends", "[cli]") {
    const FakeProc proc;
    proc.add(11, 12, 1, 1, 1);
    proc.add(12, 11, 1, 1, 1);
    CHECK(ProcTree(proc.path()).descendants(11).size() <= 2);
}

TEST_CASE("proc tree: processes that end while they are looked at are left out", "[cli]") {
    const Churn churn;
    const ProcTree tree;
    std::uint64_t most = 0;
    for (int i = 0; i < 300; ++i)
        most = std::max<std::uint64_t>(most, tree.usage(::getpid()).processes);
    CHECK(most > 1);
}

TEST_CASE("proc tree: processes are found by the beginning of a variable of their environment",
          "[cli]") {
    const headway::tests::TempDir folder;
    using namespace std::string_literals;
    const std::pair<const char*, std::string> processes[] = {
        {"41", "A=1\0HEADWAY_SESSION=s\0B=2\0"s},
        {"42", "HEADWAY_SESSION=s.7\0"s},
        {"43", "HEADWAY_SESSION=S\0"s},
        {"44", "X_HEADWAY_SESSION=s\0A=HEADWAY_SESSION=s\0"s},
        {"self", "HEADWAY_SESSION=s\0"s}};
    for (const auto& [name, environment] : processes) {
        std::filesystem::create_directory(folder.file(name));
        std::ofstream{folder.file(name) / "environ"} << environment;
    }
    std::vector<pid_t> found = ProcTree(folder.file("")).with_variable("HEADWAY_SESSION", "s");
    std::sort(found.begin(), found.end());
    CHECK(found == std::vector<pid_t>{41, 42});
    const ProcTree tree(folder.file(""));
    CHECK(tree.lacks_variable(42, "HEADWAY_SESSION", "s"));
    CHECK(tree.lacks_variable(44, "HEADWAY_SESSION", "s"));
    CHECK_FALSE(tree.lacks_variable(41, "HEADWAY_SESSION", "s"));
    CHECK_FALSE(tree.lacks_variable(99, "HEADWAY_SESSION", "s"));
}
