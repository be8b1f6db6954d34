// SPDX-License-Identifier: Apache-2.0
#include "cli/keep_going/resume_plan.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <string>
#include <vector>

#include "api/text/timestamp.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/seed.hpp"

using namespace headway::cli;
using namespace std::chrono_literals;
using headway::core::Cause;
using headway::tests::Gen;
using headway::tests::seed;

namespace {

constexpr WallTime kStart{std::chrono::sys_days{std::chrono::year{2026} / 11 / 27} + 20h};

RunOver ended(Cause cause, const std::string& retry_at = {}) {
    RunOver run;
    run.end.cause = cause;
    run.end.retry_at = retry_at;
    return run;
}

std::string iso_text(WallTime time) {
    std::string text;
    headway::api::append_timestamp(text, time);
    return text;
}

RunOver completed() {
    RunOver run;
    run.end.completed = true;
    return run;
}

}  // namespace

TEST_CASE("resume plan: a conversation that is finished is not resumed for its exit status",
          "[cli]") {
    RunOver run;
    run.end.finished = true;
    ResumePlan plan{ResumeRules{}, WallTime{}};
    const ResumeStep step = plan.next(run, WallTime{}, 0);
    CHECK_FALSE(step.resume);
    CHECK_THAT(step.why, Catch::Contains("only its exit status"));
    run.end.finished = false;
    run.end.cut_off = true;  // its work in the background is not done
    const ResumeStep again = plan.next(run, WallTime{}, 0);
    CHECK(again.resume);
    CHECK_THAT(again.prompt, Catch::Contains("before its work in the background"));
}

TEST_CASE("resume plan: only an agent's own words say that a conversation is gone", "[cli]") {
    CHECK(says_lost("No conversation found with session ID: talk-1"));
    CHECK(says_lost("Error: no rollout found for thread id 1"));
    CHECK_FALSE(says_lost("TypeError: fetch failed"));
    CHECK_FALSE(says_lost(""));
}

TEST_CASE("resume plan: a check that did not run is a fault, as one that failed", "[cli]") {
    RunOver run = completed();
    CHECK(check_fault(run).empty());
    run.check_missed = run.check_ended = true;
    CHECK(check_fault(run) == "the check did not run");
    run.check_missed = false;
    run.check_failed = "";
    CHECK(check_fault(run) == "the check was ended");
    run.check_ended = false;
    CHECK(check_fault(run) == "the check failed");
    run.check_broken = "exit status 127";
    CHECK(check_fault(run) == "the check cannot be run");
}

TEST_CASE("resume plan: a limit that the operator gave the agent is no reason to resume", "[cli]") {
    RunOver run;
    run.end.limited = true;
    CHECK_FALSE(ResumePlan(ResumeRules{}, kStart).next(run, kStart, 0.5).resume);
}

TEST_CASE("resume plan: a usage limit is waited for until its reset and a margin", "[cli]") {
    ResumePlan plan{{}, kStart};
    const ResumeStep step =
        plan.next(ended(Cause::kUsageLimit, "2026-11-27T23:10:00.000Z"), kStart, 0);
    CHECK(step.resume);
    CHECK(step.at == kStart + 3h + 11min);
    CHECK_THAT(step.prompt, Catch::Contains("the usage limit was reached, and it has reset"));
    CHECK_THAT(step.prompt, Catch::Contains("check whether it took effect"));
}

TEST_CASE(
    "resume plan: out of a loop it is resumed once, with the reason and a wish for another way",
    "[cli]") {
    ResumePlan plan{{}, kStart};
    RunOver run = ended(Cause::kUsageLimit, "2026-11-27T23:10:00.000Z");
    run.stuck = "bash failed 12 times in the same way";
    const ResumeStep step = plan.next(run, kStart, 0);
    CHECK(step.resume);
    CHECK_THAT(step.prompt, Catch::Contains("bash failed 12 times in the same way"));
    CHECK_THAT(step.prompt, Catch::Contains("another approach"));
    run.progressed = true;
    const ResumeStep again = plan.next(run, kStart + 4h, 0);
    CHECK(!again.resume);
    CHECK(again.why == "not resumed: it is stuck again");
}

TEST_CASE("resume plan: agents that wait for the same reset do not begin in the same second",
          "[cli]") {
    ResumePlan one{{}, kStart};
    ResumePlan other{{}, kStart};
    const RunOver limit = ended(Cause::kUsageLimit, "2026-11-27T23:10:00.000Z");
    const WallTime early = one.next(limit, kStart, 0).at;
    const WallTime late = other.next(limit, kStart, 1).at;
    CHECK(late - early == 3min);
}

TEST_CASE("resume plan: no limit that resets in time is too late by chance", "[cli]") {
    for (const double chance : {0.0, 0.5, 1.0}) {
        ResumePlan plan{{}, kStart};
        const ResumeStep step =
            plan.next(ended(Cause::kUsageLimit, iso_text(kStart + 11h + 58min)), kStart, chance);
        CHECK(step.resume);
        CHECK(step.at >= kStart + 11h + 59min);
        CHECK(step.at <= kStart + 12h);
    }
}

TEST_CASE("resume plan: a limit that resets too late needs a person", "[cli]") {
    ResumePlan plan{{}, kStart};
    const ResumeStep step =
        plan.next(ended(Cause::kUsageLimit, "2026-12-01T14:08:00.000Z"), kStart, 0);
    CHECK_FALSE(step.resume);
    CHECK_THAT(step.why, Catch::Contains("too late"));
}

TEST_CASE("resume plan: an overload is tried again later and later, within half an hour", "[cli]") {
    ResumePlan plan{{50}, kStart};
    std::vector<std::chrono::milliseconds> waits;
    WallTime now = kStart;
    for (int i = 0; i < 7; ++i) {
        const ResumeStep step = plan.next(ended(Cause::kOverloaded), now, 0);
        REQUIRE(step.resume);
        waits.push_back(step.at - now);
        now = step.at;
    }
    const std::vector<std::chrono::milliseconds> expected{2min,  4min,  8min, 16min,
                                                          30min, 30min, 30min};
    CHECK(waits == expected);
}

TEST_CASE("resume plan: what needs a person is never resumed", "[cli]") {
    for (const Cause cause : {Cause::kCredentials, Cause::kBilling, Cause::kModelMissing,
                              Cause::kCertificate, Cause::kRefused, Cause::kPerson, Cause::kTool}) {
        ResumePlan plan{{}, kStart};
        CHECK_FALSE(plan.next(ended(cause), kStart, 0).resume);
    }
    RunOver refused = ended(Cause::kNone);
    refused.needs_person = true;
    CHECK_FALSE(ResumePlan({}, kStart).next(refused, kStart, 0).resume);
}

TEST_CASE("resume plan: a run that a person, a directive or its own guard ended stays ended",
          "[cli]") {
    for (int kind = 0; kind < 4; ++kind) {
        RunOver run = ended(Cause::kUsageLimit, "2026-11-27T23:10:00.000Z");
        run.interrupted = kind == 0;
        run.stopped = kind == 1;
        run.guarded = kind == 2;
        run.signal = kind == 3 ? SIGTERM : 0;
        CHECK_FALSE(ResumePlan({}, kStart).next(run, kStart, 0).resume);
    }
}

TEST_CASE("resume plan: only progress makes room for more resumes", "[cli]") {
    ResumePlan plan{{2}, kStart};
    RunOver crash = ended(Cause::kNone);
    crash.signal = SIGKILL;
    CHECK(plan.next(crash, kStart, 0).resume);
    CHECK(plan.next(crash, kStart, 0).resume);
    CHECK_FALSE(plan.next(crash, kStart, 0).resume);
    crash.progressed = true;
    CHECK(plan.next(crash, kStart, 0).resume);
    CHECK(plan.resumes() == 3);
}

TEST_CASE("resume plan: fifty resumes are the most whatever the progress", "[cli]") {
    ResumePlan plan{{50}, kStart};
    RunOver crash = ended(Cause::kNone);
    crash.progressed = true;
    int resumes = 0;
    while (plan.next(crash, kStart, 0).resume && resumes < 100)
        ++resumes;
    CHECK(resumes == 50);
}

TEST_CASE("resume plan: a full context is resumed once", "[cli]") {
    ResumePlan plan{{}, kStart};
    CHECK(plan.next(ended(Cause::kContextFull), kStart, 0).resume);
    CHECK_FALSE(plan.next(ended(Cause::kContextFull), kStart, 0).resume);
}

TEST_CASE("resume plan: a check that cannot be run is no failing test and needs a person",
          "[cli]") {
    ResumePlan plan{{}, kStart};
    RunOver run = completed();
    run.check_failed = "sh: 1: maek: not found";
    run.check_broken = "exit status 127: sh: 1: maek: not found";
    const ResumeStep step = plan.next(run, kStart, 0);
    CHECK(!step.resume);
    CHECK(step.why ==
          "not resumed: the check cannot be run (exit status 127: sh: 1: maek: not found), which "
          "needs a person");
}

TEST_CASE("resume plan: the limit of another run delays an agent for ten margins at most",
          "[cli]") {
    CHECK(probe_time(kStart, kStart + 12h, 1min) == kStart + 10min);
    CHECK(probe_time(kStart, kStart + 5min, 1min) == kStart + 150s);
    CHECK(probe_time(kStart, kStart, 1min) == kStart);
    CHECK(probe_time(kStart, kStart - 1h, 1min) == kStart);
}

TEST_CASE("resume plan: a check that fails goes into the prompt, twice the same ends it", "[cli]") {
    ResumePlan plan{{}, kStart};
    RunOver run = completed();
    CHECK_FALSE(plan.next(run, kStart, 0).resume);
    run.check_failed = "1 test failed";
    const ResumeStep step = plan.next(run, kStart, 0);
    CHECK(step.resume);
    CHECK(step.at == kStart);
    CHECK_THAT(step.prompt, Catch::Contains("1 test failed"));
    CHECK_FALSE(plan.next(run, kStart, 0).resume);
    run.check_failed = "2 tests failed in 0.12s";
    CHECK(plan.next(run, kStart, 0).resume);
    run.check_failed = "2 tests failed in 0.31s";
    CHECK_FALSE(plan.next(run, kStart, 0).resume);
    run.check_failed = "3 tests failed in 0.31s";
    CHECK(plan.next(run, kStart, 0).resume);
}

TEST_CASE("resume plan: a stuck session is resumed once, also after an end that a check refuses",
          "[cli]") {
    ResumePlan plan{{}, kStart};
    RunOver run = completed();
    run.check_failed = "1 test failed";
    run.stuck = "the same call 4 times";
    CHECK_THAT(plan.next(run, kStart, 0).prompt, Catch::Contains("the same call 4 times"));
    run.check_failed = "2 tests failed";
    const ResumeStep again = plan.next(run, kStart, 0);
    CHECK_FALSE(again.resume);
    CHECK_THAT(again.why, Catch::Contains("stuck again"));
    CHECK(plan.resumes() == 1);
}

TEST_CASE(
    "resume plan: in hostile nights nothing is resumed early, past a bound or against a person",
    "[cli]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    std::size_t resumes = 0;
    std::size_t could = 0;
    for (int night = 0; night < 30; ++night) {
        for (int agent = 0; agent < 20; ++agent) {
            const ResumeRules rules{1 + gen.below(8), std::chrono::hours{1 + gen.below(12)}};
            ResumePlan plan{rules, kStart};
            WallTime now = kStart;
            std::uint64_t in_row = 0;
            bool was_stuck = false;
            for (int run = 0; run < 80; ++run) {
                now += std::chrono::minutes{gen.below(40)};
                RunOver over = ended(static_cast<Cause>(gen.below(14)));
                const WallTime reset = now + std::chrono::minutes{gen.below(600)};
                if (gen.chance(2)) over.end.retry_at = iso_text(reset);
                over.end.completed = gen.chance(20);
                over.interrupted = gen.chance(25);
                over.stopped = gen.chance(25);
                over.needs_person = gen.chance(25);
                over.progressed = gen.chance(3);
                if (gen.chance(8)) over.stuck = "the same call fails again and again";
                if (over.progressed) in_row = 0;
                const ResumeStep step =
                    plan.next(over, now, static_cast<double>(gen.below(101)) / 100);
                const bool passes = over.end.cause == Cause::kOverloaded ||
                                    over.end.cause == Cause::kNetwork ||
                                    over.end.cause == Cause::kRateLimit;
                const bool stuck_again = !over.stuck.empty() && was_stuck;
                was_stuck = was_stuck || !over.stuck.empty();
                const bool held = over.end.completed || over.interrupted || over.stopped ||
                                  over.needs_person || stuck_again;
                if (held) REQUIRE_FALSE(step.resume);
                const bool room = in_row < rules.resumes_max && plan.resumes() < kResumesMost;
                if (passes && !held && room && over.end.retry_at.empty() &&
                    now + 40min < kStart + rules.until) {
                    ++could;
                    REQUIRE(step.resume);
                }
                if (!step.resume) break;
                ++resumes;
                ++in_row;
                REQUIRE(in_row <= rules.resumes_max);
                REQUIRE(step.at >= now);
                REQUIRE(step.at <= kStart + rules.until);
                if (over.end.cause == Cause::kUsageLimit && !over.end.retry_at.empty())
                    REQUIRE(step.at >= reset + 1min);
                now = step.at;
            }
        }
    }
    CHECK(resumes > 100);
    CHECK(could > 50);
}
