// SPDX-License-Identifier: Apache-2.0
#include <boost/asio/executor_work_guard.hpp>
#include <catch2/catch.hpp>
#include <fstream>
#include <thread>

#include "server/engine/base/command_queue.hpp"
#include "server/http/sockets/net.hpp"
#include "server/testclock/control.hpp"
#include "server/testclock/jumps.hpp"
#include "server/testclock/state_mark.hpp"
#include "server/time/clock.hpp"
#include "tests/support/temp_dir.hpp"

// unit_server is linked with the test's source of time, so all of this is what headway-testclock
// has.

using namespace headway::server;
using namespace std::chrono_literals;
using headway::core::Millis;
using headway::tests::TempDir;
using testclock::Jump;
using testclock::jump;
namespace fs = std::filesystem;

namespace {

/// Time that the clocks have gained since it was made. Real time passes too, a minute at most.
struct Gains {
    Clock::Steady::time_point steady = Clock::steady();
    headway::core::Timestamp wall = Clock::wall();
    Millis slept = time_source::uptime().slept;

    void are(Millis steady_by, Millis wall_by, Millis slept_by) const {
        near(std::chrono::duration_cast<Millis>(Clock::steady() - steady), steady_by);
        near(Clock::wall() - wall, wall_by);
        near(time_source::uptime().slept - slept, slept_by);
    }
    static void near(Millis gained, Millis by) {
        CHECK(gained >= by - 5ms);
        CHECK(gained < by + 1min);
    }
};

void run_for(net::io_context& io, std::chrono::milliseconds real) {
    io.restart();
    io.run_for(real);
}

}  // namespace

TEST_CASE("test clock: time that passes moves both clocks", "[server]") {
    const Gains gains;
    jump(Jump::pass(1h));
    gains.are(1h, 1h, 0ms);
    CHECK(Clock::coarse() >= gains.steady + 1h);
}

TEST_CASE("test clock: a step moves the wall clock alone, ahead and back", "[server]") {
    const Gains gains;
    jump(Jump::step(1h));
    gains.are(0ms, 1h, 0ms);
    jump(Jump::step(-2h));
    gains.are(0ms, -1h, 0ms);
}

TEST_CASE("test clock: a suspend differs from a step of the wall clock", "[server]") {
    Clock clock;
    ClockSteps steps{5min};
    steps.start(clock.reading(), headway::core::kNever);
    const Gains gains;
    jump(Jump::suspend(1h));
    gains.are(0ms, 1h, 1h);
    const auto slept = steps.look(clock.reading());
    CHECK(slept.change == ClockSteps::Change::kFollowed);
    Gains::near(slept.follow, 1h);
    clock.advance_to(clock.now() + slept.follow);

    jump(Jump::step(1h));
    CHECK(steps.look(clock.reading()).change == ClockSteps::Change::kDoubted);
}

TEST_CASE("test clock: stamps follow time that passes, not a step", "[server]") {
    const Clock clock;
    const auto before = clock.now();
    jump(Jump::step(1h));
    CHECK(clock.now() - before < 1min);
    jump(Jump::pass(1h));
    Gains::near(clock.now() - before, 1h);
    jump(Jump::step(-1h));
}

TEST_CASE("test clock: only a stall passes without attention", "[server]") {
    const auto begin = Clock::steady();
    jump(Jump::pass(1h));
    const auto between = Clock::steady();
    jump(Jump::pass(2h));
    CHECK(Clock::unattended_since(begin) < 1min);
    CHECK(Clock::unattended_since(between - 30min) < 1min);  // in the first of the two
    jump(Jump::stall(1h));
    CHECK(Clock::unattended_since(begin) >= 1h);
    CHECK(Clock::unattended_since(begin) < 1h + 1min);
}

TEST_CASE("test clock: a timer fires after its time has passed, and not before", "[server]") {
    net::io_context io{1};
    Timer timer{io};
    bool fired = false;
    timer.expires_after(1h);
    timer.async_wait([&](error_code ec) { fired = !ec; });
    run_for(io, 20ms);
    CHECK_FALSE(fired);
    jump(Jump::pass(59min));
    jump(Jump::step(10h));
    jump(Jump::suspend(10h));
    run_for(io, 20ms);
    CHECK_FALSE(fired);
    jump(Jump::pass(1min));
    run_for(io, 10s);  // ends with the last work
    CHECK(fired);
}

TEST_CASE("test clock: what waits for the queue wakes at its time", "[server]") {
    CommandQueue queue;
    std::vector<Request> taken;
    std::atomic<bool> woke{false};
    std::thread engine{[&] {
        queue.take(taken, Clock::steady() + 1h);
        woke = true;
    }};
    CHECK(testclock::settle(10s));
    jump(Jump::pass(59min));
    CHECK(testclock::settle(10s));
    CHECK_FALSE(woke);
    jump(Jump::pass(2min));
    engine.join();
    CHECK(woke);
    CHECK(taken.empty());
    CHECK_FALSE(testclock::settle(1ms));  // no thread waits
}

TEST_CASE("test clock: commands and their answers", "[server]") {
    net::io_context io{1};
    auto work = net::make_work_guard(io);
    std::thread loop{[&] { io.run(); }};
    CommandQueue queue;
    std::thread engine{[&] {
        std::vector<Request> taken;
        while (!queue.closed_and_empty())
            queue.take(taken, Clock::steady() + 250ms);
    }};
    testclock::Control control{io};
    const Gains gains;
    CHECK(control.answer("pass 3600000").find(R"("settled":true})") != std::string::npos);
    gains.are(1h, 1h, 0ms);
    CHECK(control.answer("pass 60000 30000").find(R"("settled":true})") != std::string::npos);
    CHECK(control.answer("step -60000").starts_with(R"({"steady_ms":)"));
    CHECK(control.answer("suspend 60000").find("error") == std::string::npos);
    CHECK(control.answer("stall 60000").find("error") == std::string::npos);
    gains.are(1h + 2min, 1h + 2min, 1min);
    for (const char* const wrong : {"", "pass", "pass x", "pass 1x", "pass -1", "stall -1",
                                    "leap 1", "step 99999999999999999"}) {
        CAPTURE(wrong);
        CHECK(control.answer(wrong).starts_with(R"({"error":")"));
    }
    gains.are(1h + 2min, 1h + 2min, 1min);
    queue.close();
    engine.join();
    work.reset();
    loop.join();
}

TEST_CASE("test clock: it takes state directories that it made, and no others", "[server]") {
    const TempDir dir;
    const fs::path target = dir.file("a") / "b";
    REQUIRE(testclock::claim_state(target));
    CHECK((fs::status(target / "made-by-headway-testclock").permissions() & fs::perms::all) ==
          (fs::perms::owner_read | fs::perms::owner_write));
    std::ofstream{target / "headway.db"} << "x";
    CHECK(testclock::claim_state(target));

    const fs::path empty = dir.file("empty");
    fs::create_directory(empty);
    CHECK(testclock::claim_state(empty));

    const fs::path other = dir.file("other");
    fs::create_directory(other);
    std::ofstream{other / "headway.db"} << "x";
    const auto refused = testclock::claim_state(other);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().detail.find("did not make it") != std::string::npos);
    fs::create_symlink(target / "made-by-headway-testclock", other / "made-by-headway-testclock");
    CHECK_FALSE(testclock::claim_state(other));
    std::ofstream{dir.file("file")} << "x";
    CHECK_FALSE(testclock::claim_state(dir.file("file")));
}
