// SPDX-License-Identifier: Apache-2.0
#include "server/time/clock_steps.hpp"

#include <catch2/catch.hpp>

using namespace headway::server;
using headway::core::Millis;
using headway::core::Timestamp;
using namespace std::chrono_literals;
using Change = ClockSteps::Change;

namespace {

constexpr Millis kConfirm = 5min;
constexpr Timestamp kStepStart{Millis{1'800'000'000'000}};

/// A machine with a steady clock, a wall clock, and stamps that follow the decisions.
struct Machine {
    ClockSteps steps{kConfirm};
    Timestamp stamps = kStepStart;
    Timestamp wall = kStepStart;
    Millis slept{0};
    Millis steady{0};

    Machine() { steps.start(reading(), kStepStart); }
    ClockSteps::Reading reading() const { return {stamps, wall, slept, steady}; }
    ClockSteps::Step pass(Millis time) {
        stamps += time;
        wall += time;
        steady += time;
        const auto step = steps.look(reading());
        stamps += step.follow;
        return step;
    }
};

}  // namespace

TEST_CASE("clock steps: one wrong reading of 400 days leaves no trace", "[server]") {
    Machine machine;
    machine.wall += 24h * 400;
    CHECK(machine.pass(1s).change == Change::kDoubted);
    for (int i = 0; i < 4; ++i)
        CHECK(machine.pass(1s).follow == 0ms);
    machine.wall -= 24h * 400;
    CHECK(machine.pass(1s).change == Change::kReturned);
    CHECK(machine.stamps == machine.wall);
    CHECK(machine.pass(10min).change == Change::kNothing);
    CHECK(machine.stamps == machine.wall);
}

TEST_CASE("clock steps: a lasting step is followed once confirmed", "[server]") {
    Machine machine;
    machine.wall += 2h;
    CHECK(machine.pass(1s).change == Change::kDoubted);
    CHECK(machine.pass(kConfirm - 1s).follow == 0ms);
    const auto step = machine.pass(1s);
    CHECK(step.change == Change::kConfirmed);
    CHECK(step.by == 2h);
    CHECK(machine.stamps == machine.wall);
}

TEST_CASE("clock steps: a different step restarts the wait", "[server]") {
    Machine machine;
    machine.wall += 2h;
    machine.pass(1s);
    machine.pass(kConfirm - 2s);
    machine.wall += 1h;
    CHECK(machine.pass(1s).change == Change::kDoubted);
    CHECK(machine.pass(kConfirm - 1s).follow == 0ms);
    CHECK(machine.pass(1s).by == 3h);
}

TEST_CASE("clock steps: a suspend is followed at once", "[server]") {
    Machine machine;
    machine.wall += 8h;
    machine.slept += 8h;
    const auto step = machine.pass(1s);
    CHECK(step.change == Change::kFollowed);
    CHECK(step.by == 8h);
    CHECK(machine.stamps == machine.wall);
}

TEST_CASE("clock steps: sleep confirms no more than it lasted", "[server]") {
    Machine machine;
    machine.wall += 24h * 400;
    machine.slept += 8h;
    const auto step = machine.pass(1s);
    CHECK(step.change == Change::kDoubted);
    CHECK(step.follow == 8h);
    machine.wall -= 24h * 400 - 8h;
    CHECK(machine.pass(1s).change == Change::kReturned);
    CHECK(machine.stamps == machine.wall);
}

TEST_CASE("clock steps: a short step is followed at once, less than two seconds never",
          "[server]") {
    Machine machine;
    machine.wall += 30s;
    CHECK(machine.pass(1s).change == Change::kFollowed);
    CHECK(machine.stamps == machine.wall);
    machine.wall += 1500ms;
    CHECK(machine.pass(1s).change == Change::kNothing);
    CHECK(machine.wall - machine.stamps == 1500ms);
}

TEST_CASE("clock steps: stamps do not go back, which is reported once", "[server]") {
    Machine machine;
    machine.wall -= 1h;
    CHECK(machine.pass(1s).change == Change::kBehind);
    CHECK(machine.pass(1s).change == Change::kNothing);
    CHECK(machine.stamps - machine.wall == 1h);
    machine.wall -= 1h;
    CHECK(machine.pass(1s).by == 2h);
}

TEST_CASE("clock steps: without a time to confirm every step is followed", "[server]") {
    Machine machine;
    machine.steps = ClockSteps{0ms};
    machine.steps.start(machine.reading(), kStepStart);
    machine.wall += 24h * 400;
    CHECK(machine.pass(1s).change == Change::kFollowed);
}

TEST_CASE("clock steps: a start long after the newest event is not trusted at once", "[server]") {
    Machine machine;
    CHECK(machine.steps.trusted(machine.steady));
    machine.steps.start(machine.reading(), kStepStart - 24h);
    CHECK_FALSE(machine.steps.trusted(machine.steady));
    CHECK_FALSE(machine.steps.trusted(machine.steady + kConfirm - 1ms));
    CHECK(machine.steps.trusted(machine.steady + kConfirm));
    machine.steps.start(machine.reading(), kStepStart - 10min);
    CHECK(machine.steps.trusted(machine.steady));
    machine.steps.start(machine.reading(), headway::core::kNever);  // nothing could be deleted
    CHECK(machine.steps.trusted(machine.steady));
}
