// SPDX-License-Identifier: Apache-2.0
#include "server/time_source.hpp"

#include <algorithm>
#include <utility>

#include "bench/training/time_source.hpp"

namespace headway {
namespace {

using server::time_source::Steady;
using namespace std::chrono_literals;

constexpr std::chrono::seconds kWallAtStart{1'800'000'000};
/// The kernel's timer, which only the real time ends, is never part of a training.
constexpr auto kNever = 24h;

struct Clocks {
    Steady::duration passed = 1h;
    std::function<void()> go_on;
};

Clocks& clocks() {
    static Clocks all;
    return all;
}

}  // namespace

namespace training {

void move_clocks(std::chrono::milliseconds time) {
    clocks().passed += time;
}

void when_waiting(std::function<void()> go_on) {
    clocks().go_on = std::move(go_on);
}

}  // namespace training

namespace server::time_source {

Steady::time_point steady() {
    return Steady::time_point{clocks().passed};
}

Steady::time_point coarse() {
    return steady();
}

std::chrono::system_clock::time_point wall() {
    return std::chrono::system_clock::time_point{kWallAtStart} +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(clocks().passed);
}

bool artificial() {
    return false;
}

Uptime uptime() {
    return {std::chrono::duration_cast<std::chrono::milliseconds>(clocks().passed), {}};
}

Steady::duration unattended_since(Steady::time_point /*begin*/) {
    return {};
}

Steady::duration longest_wait(Steady::duration left) {
    return left <= Steady::duration{0} ? left : kNever;
}

void wait(std::condition_variable& /*ready*/, std::unique_lock<std::mutex>& lock,
          Steady::time_point /*deadline*/) {
    lock.unlock();
    clocks().go_on();
    lock.lock();
}

}  // namespace server::time_source
}  // namespace headway
