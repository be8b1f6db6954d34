// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>
#include <utility>

#include "tests/support/supervised.hpp"

// A full disk, and a failed sync.

using namespace headway::core;
using namespace headway::server;
using namespace headway::tests;
using namespace std::chrono_literals;
using Step = FailingStore::Step;

namespace {

constexpr std::uint64_t kMiB = 1U << 20;
constexpr std::uint64_t kFreeMin = 64 * kMiB;

/// A disk whose free space the test sets.
class FakeSpace final : public headway::storage::DiskSpace {
public:
    std::optional<std::uint64_t> free_bytes() override { return free; }
    std::uint64_t size() const override { return 16 * kMiB; }
    bool reserved() const override { return held; }
    bool release() override {
        if (held) free += size();
        return std::exchange(held, false);
    }
    bool reserve(std::uint64_t leave) override {
        if (held) return true;
        if (free < size() + leave) return false;
        free -= size();
        return held = true;
    }

    std::uint64_t free = 1'000 * kMiB;
    bool held = true;
};

/// An engine on such a disk.
struct Limited {
    Supervised s;
    FakeSpace space;

    explicit Limited(std::uint64_t free_min = kFreeMin, EngineSettings settings = {})
        : s(settings) {
        s.engine().watch_space(space, free_min);
    }

    Result<Answer> beat(const std::string& session) {
        std::vector<Event> events{headway::tests::beat()};
        return s.ask(ReportCommand{session, std::move(events), false, {}});
    }

    /// Takes turns until a report gets this answer; the disk is checked a few times a second.
    void until(bool taken) {
        const auto deadline = std::chrono::steady_clock::now() + 20s;
        while (beat("until").has_value() != taken) {
            REQUIRE(std::chrono::steady_clock::now() < deadline);
            s.engine().upkeep(true);
            std::this_thread::yield();
        }
    }

    bool logged(const std::string& text) const {
        for (const std::string& line : s.log) {
            if (line.find(text) != std::string::npos) return true;
        }
        return false;
    }
};

headway::tests::Command cancel(const std::string& session) {
    return CancelCommand{session, CancelRequested{}};
}

}  // namespace

TEST_CASE("engine: below the watermark reports are refused, and accepted again automatically",
          "[server]") {
    Limited l;
    require_ok(l.beat("a"));
    l.space.free = kFreeMin - 1;
    l.until(false);
    CHECK(code_of(l.beat("a")) == ErrorCode::kStorageFull);
    CHECK(l.s.last.stats.short_of_space);
    CHECK(l.logged("reports are refused: 63 MiB are left"));
    const auto stored = l.s.journal("a").size();

    // Control and reads still work.
    require_ok(l.s.ask(SessionQuery{"a"}));
    require_ok(l.s.ask(cancel("a")));
    CHECK(l.s.journal("a").size() > stored);

    l.space.free = kFreeMin + 1;  // hysteresis: a little more is not enough
    CHECK(code_of(l.beat("b")) == ErrorCode::kStorageFull);
    l.space.free = 2 * kFreeMin;
    l.until(true);
    CHECK(l.logged("reports are taken again"));
    CHECK_FALSE(l.s.last.stats.short_of_space);
}

TEST_CASE("engine: room that deleted rows left inside the database counts", "[server]") {
    Limited l;
    l.space.free = 0;
    l.until(false);
    l.s.store().set_reusable(kFreeMin);
    CHECK(code_of(l.beat("a")) == ErrorCode::kStorageFull);
    l.s.store().set_reusable(2 * kFreeMin);
    l.until(true);
}

TEST_CASE("engine: when nothing can be written the ballast is deleted, and restored later",
          "[server]") {
    Limited l{0};
    require_ok(l.beat("a"));
    l.space.free = 0;
    l.s.store().fail(Step::kCommit, ErrorCode::kStorageFull);
    CHECK(code_of(l.beat("a")) == ErrorCode::kStorageFull);
    CHECK_FALSE(l.space.held);
    CHECK(l.logged("the reserve is given up"));
    CHECK(code_of(l.s.ask(cancel("a"))) == ErrorCode::kStorageFull);

    l.s.store().fail(Step::kNone);  // the reserve is room enough for this
    l.s.engine().upkeep(true);
    require_ok(l.s.ask(cancel("a")));
    CHECK(code_of(l.beat("a")) == ErrorCode::kStorageFull);

    l.space.free = 100 * kMiB;
    l.until(true);
    CHECK(l.space.held);
}

TEST_CASE("engine: a full disk is tried now and then, not with every command", "[server]") {
    Limited l{0};
    l.space.held = false;
    l.space.free = 0;
    l.s.store().fail(Step::kBegin, ErrorCode::kStorageFull);
    CHECK(code_of(l.s.ask(cancel("a"))) != ErrorCode::kInternal);
    const int rollbacks = l.s.store().rollbacks();
    for (int i = 0; i < 20; ++i) {
        CHECK(code_of(l.s.ask(cancel("a"))) == ErrorCode::kStorageFull);
        l.s.engine().upkeep(true);
    }
    CHECK(l.s.store().rollbacks() <= rollbacks + 2);
}

TEST_CASE("engine: no agent turns silent because reports were refused", "[server]") {
    EngineSettings settings;
    settings.policy.heartbeat_interval = Millis{100};
    Limited l{kFreeMin, settings};
    require_ok(l.beat("a"));
    l.space.free = 0;
    l.until(false);
    const auto end = std::chrono::steady_clock::now() + 500ms;
    while (std::chrono::steady_clock::now() < end) {
        CHECK(code_of(l.beat("a")) == ErrorCode::kStorageFull);
        l.s.engine().upkeep(true);
    }
    l.space.free = 2 * kFreeMin;
    l.until(true);
    require_ok(l.beat("a"));
    for (const Event& one : l.s.journal("a")) {
        const auto* change = std::get_if<VerdictChanged>(&one.payload);
        CHECK((change == nullptr || change->to != Verdict::kSilent));
    }
}

TEST_CASE("engine: after a failed sync the daemon has to end, and nothing is taken", "[server]") {
    Limited l;
    require_ok(l.beat("a"));
    l.s.store().fail(Step::kCommit, ErrorCode::kStorageSyncFailed);
    const auto what = l.beat("a");
    CHECK(code_of(what) == ErrorCode::kStorageSyncFailed);
    CHECK_THAT(what.error().detail, Catch::Contains("not known whether this was stored"));
    CHECK_FALSE(l.s.last.stats.writable);
    CHECK(l.s.fatal ==
          std::vector<std::string>{"the disk failed to sync (the test says so); what was "
                                   "acknowledged is stored"});

    l.s.store().fail(Step::kNone);
    CHECK(code_of(l.beat("a")) == ErrorCode::kStorageSyncFailed);
    CHECK(code_of(l.s.ask(cancel("a"))) == ErrorCode::kStorageSyncFailed);
    require_ok(l.s.ask(SessionQuery{"a"}));
    l.s.engine().upkeep(true);
    CHECK(l.s.fatal.size() == 1);
}

TEST_CASE("engine: a checkpoint that fails to sync ends the daemon too", "[server]") {
    Limited l;
    l.s.store().fail(Step::kCheckpoint, ErrorCode::kStorageSyncFailed);
    for (int i = 0; i < 400 && l.s.fatal.empty(); ++i) {
        std::vector<Event> events(100, message("log"));
        const auto done = l.s.ask(ReportCommand{"a", std::move(events), true, {}});
        if (!done) break;
        l.s.engine().upkeep(true);
    }
    CHECK(l.s.fatal.size() == 1);
}

TEST_CASE("engine: a database that was moved is not written, and again when it is back",
          "[server]") {
    Supervised s;
    require_ok(s.ask(ReportCommand{"a", {beat()}, false, {}}));
    s.store().fail(Step::kFiles, ErrorCode::kStorageUnavailable);
    const auto refused = s.ask(ReportCommand{"a", {beat()}, false, {}});
    CHECK(code_of(refused) == ErrorCode::kStorageUnavailable);
    CHECK_THAT(refused.error().detail, Catch::Contains("deleted, renamed or replaced"));
    CHECK_FALSE(s.last.stats.writable);
    s.engine().upkeep(true);
    CHECK(s.fatal.empty());
    CHECK_FALSE(s.last.stats.writable);
    s.store().fail(Step::kNone);
    const auto stored = s.journal("a").size();
    require_ok(s.ask(ReportCommand{"a", {beat()}, false, {}}));
    CHECK(s.last.stats.writable);
    CHECK(s.journal("a").size() > stored);
}

TEST_CASE("engine: a database that was cut ends the daemon", "[server]") {
    Supervised s;
    require_ok(s.ask(ReportCommand{"a", {beat()}, false, {}}));
    s.store().fail(Step::kFiles, ErrorCode::kStorageSyncFailed);
    CHECK(code_of(s.ask(ReportCommand{"a", {beat()}, false, {}})) == ErrorCode::kStorageSyncFailed);
    CHECK(s.fatal.size() == 1);
}
