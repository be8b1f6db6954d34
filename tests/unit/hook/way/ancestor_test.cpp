// SPDX-License-Identifier: Apache-2.0
#include "hook/way/ancestor.hpp"

#include <catch2/catch.hpp>
#include <map>

using namespace headway::hook;

namespace {

std::string stat_of(int pid, const std::string& name, int parent, const std::string& start) {
    return std::to_string(pid) + " (" + name + ") S " + std::to_string(parent) +
           " 1 1 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 " + start +
           " 1000000 200 18446744073709\n";
}

std::map<int, std::string>& processes() {
    static std::map<int, std::string> all;
    return all;
}

std::string read_known(int pid) {
    const auto found = processes().find(pid);
    return found == processes().end() ? std::string{} : found->second;
}

}  // namespace

TEST_CASE("ancestor: a stat is read whatever the name of the process", "[hook]") {
    for (const char* name : {"claude", "a b", ") S 1 (", "(", "", "node (x)"}) {
        INFO(name);
        const auto stat = parse_stat(stat_of(42, name, 7, "12345"));
        REQUIRE(stat);
        CHECK(stat->pid == 42);
        CHECK(stat->parent == 7);
        CHECK(stat->start == 12'345);
        CHECK(stat->name == name);
    }
}

TEST_CASE("ancestor: no prefix of a stat that lacks a field is taken", "[hook]") {
    const std::string whole = stat_of(42, "claude", 7, "12345");
    const std::size_t start = whole.find("12345");
    for (std::size_t size = 0; size <= start; ++size)
        CHECK_FALSE(parse_stat(std::string_view{whole}.substr(0, size)));
    for (const char* text : {"", "()", "x (a) S 1", "1 a S 1", "1 )a( S 1"})
        CHECK_FALSE(parse_stat(text));
    CHECK_FALSE(parse_stat(stat_of(42, "claude", 7, "x")));
    CHECK_FALSE(parse_stat(stat_of(42, "claude", 7, "99999999999999999999")));
}

TEST_CASE("ancestor: the agent is the nearest that is no shell", "[hook]") {
    processes() = {{30, stat_of(30, "sh", 20, "3")},
                   {20, stat_of(20, "bash", 10, "2")},
                   {10, stat_of(10, "claude", 5, "1")},
                   {5, stat_of(5, "zsh", 1, "0")}};
    for (const int parent : {30, 20, 10}) {
        const auto agent = nearest_agent(parent, read_known);
        REQUIRE(agent);
        CHECK(agent->pid == 10);
        CHECK(agent->start == 1);
    }
}

TEST_CASE("ancestor: no process is taken for the agent when it cannot be found", "[hook]") {
    processes() = {{30, stat_of(30, "sh", 20, "3")}};
    CHECK_FALSE(nearest_agent(30, read_known));  // its parent is hidden
    CHECK_FALSE(nearest_agent(0, read_known));
    for (const char* name : {"systemd", "init", "tini"}) {
        processes()[20] = stat_of(20, name, 0, "1");
        CHECK_FALSE(nearest_agent(30, read_known));
    }
    processes()[1] = stat_of(1, "claude", 0, "1");  // in a container
    processes()[20] = stat_of(20, "bash", 1, "1");
    CHECK(nearest_agent(30, read_known)->pid == 1);
}

TEST_CASE("ancestor: the search ends after some shells, also in a circle", "[hook]") {
    processes().clear();
    for (int pid = 1; pid <= kShellsMax + 2; ++pid)
        processes()[pid] = stat_of(pid, "sh", pid + 1, "1");
    processes()[kShellsMax + 1] = stat_of(kShellsMax + 1, "claude", 0, "1");
    CHECK(nearest_agent(1, read_known));
    processes()[kShellsMax + 1] = stat_of(kShellsMax + 1, "sh", kShellsMax + 2, "1");
    processes()[kShellsMax + 2] = stat_of(kShellsMax + 2, "claude", 0, "1");
    CHECK_FALSE(nearest_agent(1, read_known));
    processes() = {{3, stat_of(3, "sh", 3, "1")}};
    CHECK_FALSE(nearest_agent(3, read_known));
}

TEST_CASE("ancestor: the inode of a namespace is what stands in its link", "[hook]") {
    CHECK(namespace_inode("pid:[4026531836]") == "4026531836");
    for (const char* link : {"", "pid:", "pid:[", "]pid:[", "pid:[x]"})
        CHECK(namespace_inode(link).empty());
}
