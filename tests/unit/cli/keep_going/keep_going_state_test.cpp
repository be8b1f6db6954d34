// SPDX-License-Identifier: Apache-2.0
#include "cli/keep_going/keep_going_state.hpp"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "cli/base/clock.hpp"
#include "tests/support/temp_dir.hpp"

using namespace headway::cli;
using namespace std::chrono_literals;

namespace {

constexpr WallTime kReset{std::chrono::sys_days{std::chrono::year{2026} / 11 / 28} + 3h};

}  // namespace

TEST_CASE("turns: the first is a probe, the others follow one after the other", "[cli]") {
    ProviderTurns turns;
    CHECK(take_turn(turns, kReset, 1min, 1, "a") == kReset);
    CHECK(take_turn(turns, kReset, 1min, 2, "b") == kReset + 2min);
    CHECK(take_turn(turns, kReset + 1min, 1min, 3, "c") == kReset + 2min + 30s);
    CHECK(take_turn(turns, kReset + 1h, 1min, 4, "d") == kReset + 1h);
}

TEST_CASE("turns: twenty agents that wait for one reset begin within minutes, no two at once",
          "[cli]") {
    ProviderTurns turns;
    WallTime last{};
    for (int i = 0; i < 20; ++i) {
        const WallTime at = take_turn(turns, kReset, 1min, i + 1, "p");
        CHECK(at >= last + (i == 0 ? 0s : 30s));
        last = at;
    }
    CHECK(last <= kReset + 12min);
}

TEST_CASE("turns: one that waits for long stands in no other's way", "[cli]") {
    ProviderTurns turns;
    take_turn(turns, kReset + 5h, 1min, 1, "a");
    CHECK(take_turn(turns, kReset, 1min, 2, "b") == kReset);
}

TEST_CASE("turns: an agent has one, the last that it took", "[cli]") {
    ProviderTurns turns;
    take_turn(turns, kReset, 1min, 1, "a");
    take_turn(turns, kReset + 1h, 1min, 1, "a");
    CHECK(turns.taken.size() == 1);
}

TEST_CASE(
    "turns: of two keepers of one conversation the later gives way at once, the earlier when due",
    "[cli]") {
    ProviderTurns turns;
    turns.kept = {{1, "a", "talk"}, {2, "b", "other"}, {3, "c", "talk"}};
    CHECK(keeper_ahead(turns, 3, "talk", GiveWayTo::kEarlier) == 1);
    CHECK(keeper_ahead(turns, 1, "talk", GiveWayTo::kEarlier) == 0);
    CHECK(keeper_ahead(turns, 1, "talk", GiveWayTo::kAny) == 3);
    CHECK(keeper_ahead(turns, 2, "other", GiveWayTo::kAny) == 0);
    CHECK(keeper_ahead(turns, 9, "talk", GiveWayTo::kEarlier) == 1);
}

TEST_CASE("turns: what is printed is read again, and nothing else", "[cli]") {
    ProviderTurns turns;
    turns.limits = {{"home-1", kReset, kReset - 1h}, {"home-2", kReset + 1h, kReset}};
    take_turn(turns, kReset, 1min, 4711, "123");
    turns.kept.push_back({4711, "123", "abc"});
    CHECK(read_turns(print_turns(turns)) == turns);
    CHECK(read_turns("") == ProviderTurns{});
    CHECK(read_turns("turn x\nlimit\n\0turn 1 2").taken.empty());
    CHECK(read_turns("limit 1 2\n") == ProviderTurns{});  // as older versions wrote it
    CHECK(read_turns("limit 9223372036854775807 9223372036854775807 h\n"
                     "turn 9223372036854775807 9223372036854775807 1 1\nlimit -1 -1\n") ==
          ProviderTurns{});
    CHECK(read_turns("kept\nkept 1\nkept 1 2\n").kept.empty());
}

TEST_CASE("turns: those of a keeper that is gone do not count", "[cli]") {
    const headway::tests::TempDir folder;
    const KeepGoingState state(folder.file("state").string());
    const WallTime now = wall_now();
    // A number that no process has: pid_max is 4194304 at most.
    std::filesystem::create_directory(folder.file("state"));
    std::ofstream{folder.file("state") / "keep-going.claude.turns"}
        << "turn " << now.time_since_epoch().count() << " " << (now + 1h).time_since_epoch().count()
        << " 4194305 77\n";
    CHECK(state.take_turn_of("claude", now, 1min) == now);
}

TEST_CASE("keep-going: it is off from when that was said until it is said otherwise", "[cli]") {
    const headway::tests::TempDir folder;
    const KeepGoingState state(folder.file(".local/state/headway").string());  // none is there yet
    CHECK_FALSE(state.is_off());
    REQUIRE(state.set_off(true).has_value());
    REQUIRE(state.set_off(true).has_value());
    CHECK(state.is_off());
    REQUIRE(state.set_off(false).has_value());
    REQUIRE(state.set_off(false).has_value());
    CHECK_FALSE(state.is_off());
}

TEST_CASE("keep-going: a limit that still holds delays those that waited when it was found",
          "[cli]") {
    const headway::tests::TempDir folder;
    const KeepGoingState state(folder.file("state").string());
    CHECK(state.limited_until("claude", "/home", kReset) == WallTime{});
    state.note_limit("claude", "/home", kReset + 5h, kReset);
    CHECK(state.limited_until("claude", "/home", kReset - 1h) == kReset + 5h);
    CHECK(state.limited_until("claude", "/home", kReset + 1s) == WallTime{});
    CHECK(state.limited_until("codex", "/home", kReset - 1h) == WallTime{});
}

TEST_CASE("keep-going: what is noted stays when a change cannot be written", "[cli]") {
    const headway::tests::TempDir folder;
    const KeepGoingState state(folder.file("state").string());
    state.note_limit("claude", "/home", kReset + 5h, kReset);
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit full{0, before.rlim_max};  // as a full disk
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &full) == 0);
    state.note_limit("claude", "/other", kReset + 1h, kReset);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    std::signal(SIGXFSZ, ignored);
    CHECK(state.limited_until("claude", "/home", kReset) == kReset + 5h);
    CHECK(state.limited_until("claude", "/other", kReset) == WallTime{});
    state.note_limit("claude", "/other", kReset + 1h, kReset);
    CHECK(state.limited_until("claude", "/other", kReset) == kReset + 1h);
}

TEST_CASE("keep-going: no change is lost when many make one at once", "[cli]") {
    const headway::tests::TempDir folder;
    const KeepGoingState state(folder.file("state").string());
    state.note_limit("claude", "/first", kReset + 1h, kReset);
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&state, i] {
            for (int j = 0; j < 5; ++j)
                state.note_limit("claude", "/" + std::to_string(5 * i + j), kReset + 1h, kReset);
        });
    for (std::thread& thread : threads)
        thread.join();
    for (int i = 0; i < 40; ++i)
        CHECK(state.limited_until("claude", "/" + std::to_string(i), kReset) == kReset + 1h);
}

TEST_CASE("keep-going: the limit of one account is not that of another", "[cli]") {
    const headway::tests::TempDir folder;
    const KeepGoingState state(folder.file("state").string());
    state.note_limit("claude", "/one", kReset + 5h, kReset);
    state.note_limit("claude", "/two", kReset + 1h, kReset);
    state.note_limit("claude", "/one", kReset + 6h, kReset + 1s);
    CHECK(state.limited_until("claude", "/one", kReset) == kReset + 6h);
    CHECK(state.limited_until("claude", "/two", kReset) == kReset + 1h);
    CHECK(state.limited_until("claude", "/three", kReset) == WallTime{});
    for (int i = 0; i < 100; ++i)
        state.note_limit("claude", "/" + std::to_string(i), kReset + 1h, kReset);
    CHECK(state.limited_until("claude", "/99", kReset) == kReset + 1h);
    CHECK(state.limited_until("claude", "/one", kReset) == WallTime{});
}
