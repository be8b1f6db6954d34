// SPDX-License-Identifier: Apache-2.0
#include "tests/catalogue/expect.hpp"

#include <catch2/catch.hpp>

namespace headway::tests::catalogue {
namespace {

using core::Verdict;

void expect_never_suspected(const Agent& agent) {
    CHECK(agent.count(Verdict::kSuspect) == 0);
    CHECK(agent.count(Verdict::kStuck) == 0);
}

}  // namespace

Hook each_hook() {
    return GENERATE(Hook::kFinished, Hook::kStarted, Hook::kDigests, Hook::kTalking);
}

void expect_progress(const Agent& agent) {
    INFO(agent.trace());
    expect_never_suspected(agent);
    CHECK(agent.count(Verdict::kBlocked) == 0);
    const Verdict now = agent.verdict();
    CHECK((now == Verdict::kProgressing || now == Verdict::kExploring));
}

void expect_never_stuck(const Agent& agent) {
    INFO(agent.trace());
    CHECK(agent.count(Verdict::kStuck) == 0);
}

void expect_waiting(const Agent& agent) {
    INFO(agent.trace());
    expect_never_suspected(agent);
    const Verdict now = agent.verdict();
    CHECK((now == Verdict::kWaiting || now == Verdict::kSlow));
}

void expect_slow(const Agent& agent) {
    INFO(agent.trace());
    expect_never_suspected(agent);
    CHECK(agent.verdict() == Verdict::kSlow);
}

void expect_blocked(const Agent& agent) {
    INFO(agent.trace());
    CHECK(agent.count(Verdict::kStuck) == 0);
    CHECK(agent.verdict() == Verdict::kBlocked);
}

void expect_idle(const Agent& agent) {
    INFO(agent.trace());
    expect_never_suspected(agent);
    CHECK_FALSE(agent.state().ended());
}

void expect_stuck(const Agent& agent) {
    INFO(agent.trace());
    CHECK(agent.verdict() == Verdict::kStuck);
    bool was = false;
    for (const Moment& moment : agent.history()) {
        if (was && moment.verdict != Verdict::kStuck)
            FAIL_CHECK("not stuck any more at #" << moment.n);
        was = was || moment.verdict == Verdict::kStuck;
    }
}

void expect_stuck_or_blocked(const Agent& agent) {
    INFO(agent.trace());
    const Verdict now = agent.verdict();
    CHECK((now == Verdict::kStuck || now == Verdict::kBlocked));
}

void expect_suspect(const Agent& agent) {
    INFO(agent.trace());
    CHECK(agent.verdict() == Verdict::kSuspect);
    CHECK(agent.count(Verdict::kStuck) == 0);
}

}  // namespace headway::tests::catalogue
