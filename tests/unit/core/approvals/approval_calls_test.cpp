// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "core/approvals/approvals.hpp"
#include "core/calls/exact_args.hpp"
#include "core/session/session.hpp"
#include "core/text/sha256.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

// Calls and the approvals that they use up: cases that test_approved_calls.py cannot reach over
// HTTP, mainly journals from before exact arguments were stored.

using namespace headway::core;
using namespace headway::tests;
using S = ApprovalStatus;
using Kind = ApprovalAlarmKind;

namespace {

const std::string kOne = bound_digest("one");
const std::string kTwo = bound_digest("two");

ApprovalRequested asked(std::string call_id, const std::string& digest = kOne) {
    ApprovalRequested request;
    request.tool = "deploy";
    request.call_id = std::move(call_id);
    request.args.text = "{}";
    request.args_digest = digest;
    return request;
}

/// As the decoder makes it.
ToolFinished finished_call(std::string call_id, const std::string& digest = kOne) {
    ToolFinished call;
    call.tool = "deploy";
    call.call_id = std::move(call_id);
    static_cast<Text&>(call.args) = bounded_text("{}");
    CallFingerprint fingerprint;
    fingerprint.question.low = 7;
    keep_args(fingerprint, digest);
    call.fingerprint = fingerprint;
    return call;
}

ToolFinished silent(std::string call_id) {
    ToolFinished call = finished_call(std::move(call_id), std::string{kNoArgsDigest});
    call.args = {};
    return call;
}

struct Scheduler : Story {
    ApprovalRules rules;
    explicit Scheduler(bool required = false) {
        if (required) rules.require_tools = {"deploy"};
    }
    Context around(std::int64_t ms) const {
        Context built = context(ms);
        built.approvals = &rules;
        return built;
    }
    std::uint64_t ask(ApprovalRequested request) {
        return Story::report(event(std::move(request)), around(1)).front().n;
    }
    void decide(std::uint64_t n, Decision decision = Decision::kApprove) {
        Ruling ruling;
        ruling.decision = decision;
        std::vector<Event> out;
        REQUIRE(*session.decide(n, ruling, around(2), out));
        events.insert(events.end(), out.begin(), out.end());
    }
    std::uint64_t approved(ApprovalRequested asked) {
        const std::uint64_t n = ask(std::move(asked));
        decide(n);
        return n;
    }
    /// The alarms it raises; checks that a replay gives the same.
    template <class Call>
    std::vector<Kind> report(Call call) {
        std::vector<Kind> raised;
        for (const Event& one : Story::report(event(std::move(call)), around(5))) {
            if (const auto* alarm = std::get_if<ApprovalAlarm>(&one.payload))
                raised.push_back(alarm->alarm);
        }
        REQUIRE(folded(events) == session.state());
        return raised;
    }
    const Approval& of(std::uint64_t n) const { return *session.state().approvals.find(n); }
};

}  // namespace

TEST_CASE("exact arguments: a fingerprint keeps the whole digest", "[core]") {
    CHECK(kNoArgsDigest == "sha256:" + sha256_hex("{}"));
    CHECK(is_args_digest(kOne));
    for (const char* other : {"", "sha256:1", "md5:0123"})
        CHECK_FALSE(is_args_digest(other));
    CHECK_FALSE(is_args_digest("sha256:" + std::string(64, 'A')));
    CHECK(bound_digest(kOne) == kOne);
    CHECK(bound_digest("md5:0123") == "sha256:" + sha256_hex("headway client digest\nmd5:0123"));
    CHECK(bound_digest("{}") != kNoArgsDigest);  // canonical arguments are not their own digest
    CallFingerprint fingerprint;
    CHECK(args_of(fingerprint).empty());
    keep_args(fingerprint, kOne);
    CHECK(args_of(fingerprint) == kOne);
}

TEST_CASE("approved calls: exact arguments are stored only in sessions with approvals", "[core]") {
    Scheduler scheduler{true};
    const auto kept = [&] {
        for (auto it = scheduler.events.rbegin(); it != scheduler.events.rend(); ++it) {
            if (const auto* call = std::get_if<ToolFinished>(&it->payload))
                return args_of(*call->fingerprint);
        }
        return std::string{};
    };
    CHECK(scheduler.report(finished_call("c1")) == std::vector{Kind::kExecutedUnapproved});
    CHECK(kept().empty());
    scheduler.ask(asked("c2"));
    scheduler.report(finished_call("c2"));
    CHECK(kept() == kOne);
}

TEST_CASE("approved calls: equal fingerprints are not equal arguments", "[core]") {
    Scheduler scheduler{true};
    const auto n = scheduler.approved(asked("c1"));
    CHECK(scheduler.report(finished_call("c2", kTwo)) == std::vector{Kind::kExecutedUnapproved});
    CHECK(scheduler.of(n).status == S::kApproved);
    CHECK(scheduler.report(finished_call("c2", kOne)).empty());
    CHECK(scheduler.of(n).status == S::kExecuted);
}

TEST_CASE("approved calls: what a person has edited may not run as it was asked for", "[core]") {
    Scheduler scheduler;
    const std::uint64_t n = scheduler.ask(asked(GENERATE("", "c")));
    Ruling ruling;
    ruling.decision = Decision::kEdit;
    ruling.edited_args.text = R"({"to":"staging"})";
    ruling.edited_digest = kTwo;
    std::vector<Event> out;
    REQUIRE(*scheduler.session.decide(n, ruling, scheduler.around(2), out));
    scheduler.events.insert(scheduler.events.end(), out.begin(), out.end());
    SECTION("before the edited call has run") {
        CHECK(scheduler.report(finished_call(GENERATE("", "c", "d"))) ==
              std::vector{Kind::kExecutedUnapproved});
        CHECK(scheduler.of(n).open());
    }
    SECTION("after it has") {
        CHECK(scheduler.report(finished_call("c", kTwo)).empty());
        CHECK(scheduler.of(n).status == S::kExecuted);
        CHECK(scheduler.report(finished_call("")) == std::vector{Kind::kExecutedUnapproved});
    }
    SECTION("unless it was asked for again and approved") {
        scheduler.approved(asked("e"));
        CHECK(scheduler.report(finished_call("e")).empty());
    }
}

TEST_CASE("approved calls: a refused call is the same call under another tool's name", "[core]") {
    Scheduler scheduler;
    const std::uint64_t n = scheduler.ask(asked("c"));
    scheduler.decide(n, GENERATE(Decision::kReject, Decision::kIgnore));
    ToolFinished call = finished_call("c");
    call.tool = "bash";
    CHECK(scheduler.report(call) == std::vector{Kind::kExecutedThoughRejected});
    SECTION("an id that is used again for something else is none") {
        ToolFinished other = finished_call("c", kTwo);
        other.tool = "bash";
        CHECK(scheduler.report(other).empty());
        ToolFinished quiet = silent("c");
        quiet.tool = "bash";
        CHECK(scheduler.report(quiet).empty());
    }
}

TEST_CASE("approved calls: no arguments are not recognised under another tool's name", "[core]") {
    Scheduler scheduler;
    scheduler.decide(scheduler.ask(asked("c", std::string{kNoArgsDigest})), Decision::kReject);
    ToolFinished other = finished_call("c", std::string{kNoArgsDigest});
    other.tool = "list_files";
    CHECK(scheduler.report(other).empty());
}

TEST_CASE("approved calls: an id that ran before may report what was edited for another",
          "[core]") {
    // The call has the edited arguments and the digest of those that were asked for.
    Scheduler scheduler;
    scheduler.approved(asked("c1"));
    CHECK(scheduler.report(finished_call("c1")).empty());
    const std::uint64_t n = scheduler.ask(asked("c2", bound_digest("v1:abc")));
    Ruling ruling;
    ruling.decision = Decision::kEdit;
    ruling.edited_args.text = R"({"cmd":"ls"})";
    ruling.edited_digest = kTwo;
    std::vector<Event> out;
    REQUIRE(*scheduler.session.decide(n, ruling, scheduler.around(2), out));
    scheduler.events.insert(scheduler.events.end(), out.begin(), out.end());
    ToolFinished call = finished_call("c1", kTwo);
    call.args_digest = "v1:abc";
    (void)scheduler.report(call);
    CHECK(scheduler.of(n).open());
}

TEST_CASE("approved calls: the approval of its own id is used before an equal one", "[core]") {
    Scheduler scheduler{true};
    const auto first = scheduler.approved(asked("c1"));
    const auto second = scheduler.approved(asked("c2"));
    CHECK(scheduler.report(finished_call("c2")).empty());
    CHECK(scheduler.of(first).status == S::kApproved);
    CHECK(scheduler.of(second).status == S::kExecuted);
    // The second request's call ran; the remaining approval is not its own.
    CHECK(scheduler.report(finished_call("c2")) == std::vector{Kind::kExecutedUnapproved});
    CHECK(scheduler.of(second).alarm == Kind::kExecutedUnapproved);
    CHECK(scheduler.report(finished_call("c1")).empty());
    CHECK(scheduler.of(first).status == S::kExecuted);
}

TEST_CASE("approved calls: a call that ran while its request was pending is spent", "[core]") {
    Scheduler scheduler;
    const auto n = scheduler.ask(asked("c1"));
    for (std::uint64_t times = 1; times < 4; ++times) {
        CHECK(scheduler.report(finished_call("c1")) == std::vector{Kind::kExecutedUnapproved});
        CHECK(scheduler.of(n).status == S::kCancelled);
        REQUIRE(scheduler.session.state().approvals.alarms.size() == 1);
        CHECK(scheduler.session.state().approvals.alarms.front().times == times);
    }
}

TEST_CASE("approved calls: a call without arguments matches by id or not at all", "[core]") {
    Scheduler scheduler{true};
    const auto n = scheduler.approved(asked("c1"));
    for (const char* id : {"", "c2"})
        CHECK(scheduler.report(silent(id)) == std::vector{Kind::kExecutedUnapproved});
    CHECK(scheduler.of(n).status == S::kApproved);
    CHECK(scheduler.report(silent("c1")).empty());
    CHECK(scheduler.of(n).status == S::kExecuted);
    CHECK(scheduler.of(n).unverified);
    // A request without an id cannot be matched by id.
    const auto nameless = scheduler.approved(asked(""));
    CHECK(scheduler.report(silent("")).empty());
    CHECK(scheduler.of(nameless).unverified);
}

TEST_CASE("approved calls: a start is judged by the last decision about its id", "[core]") {
    Scheduler scheduler;
    const auto start = [](std::string id) {
        ToolStarted started;
        started.tool = "deploy";
        started.call_id = std::move(id);
        return started;
    };
    const auto n = scheduler.ask(asked("c1"));
    CHECK(scheduler.report(start("c1")).empty());
    const Decision no = GENERATE(Decision::kReject, Decision::kIgnore);
    scheduler.decide(n, no);
    CHECK(scheduler.report(start("c2")).empty());
    CHECK(scheduler.report(start("c1")) == std::vector{Kind::kStartedAfterRejection});
    CHECK(scheduler.of(n).alarm == Kind::kStartedAfterRejection);
    CHECK((scheduler.of(n).status == S::kRejected || scheduler.of(n).status == S::kIgnored));
    CHECK(scheduler.report(finished_call("c1")) == std::vector{Kind::kExecutedThoughRejected});
    scheduler.approved(asked("c1", kTwo));
    CHECK(scheduler.report(start("c1")).empty());
}

TEST_CASE("approved calls: what the agent refuses itself is not executed, and raises an alarm",
          "[core]") {
    const auto refused = [](std::string id, std::string error_class = "denied") {
        ToolFinished call = finished_call(std::move(id));
        call.ok = false;
        call.error = ToolError{std::move(error_class), bounded_text("by its own rules")};
        return call;
    };
    SECTION("approved, then refused") {
        Scheduler scheduler;
        const auto n = scheduler.approved(asked("c1"));
        CHECK(scheduler.report(refused("c1")) == std::vector{Kind::kApprovedButRefused});
        CHECK(scheduler.of(n).status == S::kCancelled);
        CHECK(scheduler.of(n).alarm == Kind::kApprovedButRefused);
        CHECK(scheduler.of(n).executed_n == 0);
    }
    SECTION("the agent's word gains no second execution") {
        Scheduler scheduler{true};
        scheduler.approved(asked("c1"));
        scheduler.report(refused("c1"));
        CHECK(scheduler.report(finished_call("c1")) == std::vector{Kind::kExecutedUnapproved});
    }
    SECTION("never asked, or rejected: it did not run") {
        Scheduler scheduler{true};
        CHECK(scheduler.report(refused("c1")).empty());
        CHECK(scheduler.report(refused("c3", "permission_denied")) ==
              std::vector{Kind::kExecutedUnapproved});  // may be that of a file
        const auto n = scheduler.ask(asked("c2"));
        scheduler.decide(n, Decision::kReject);
        CHECK(scheduler.report(refused("c2")).empty());
    }
    SECTION("a call that was cut, or failed on a file's rights, has run") {
        const std::string error_class = GENERATE("cancelled", "permission_denied", "");
        Scheduler scheduler;
        const auto n = scheduler.approved(asked("c1"));
        CHECK(scheduler.report(refused("c1", error_class)).empty());
        CHECK(scheduler.of(n).status == S::kExecuted);
    }
    SECTION("another call's refusal uses up nothing") {
        Scheduler scheduler;
        const auto n = scheduler.approved(asked("c1"));
        ToolFinished other = refused("c9");
        CallFingerprint fingerprint;
        fingerprint.question.low = 8;
        keep_args(fingerprint, kTwo);
        other.fingerprint = fingerprint;
        scheduler.report(other);
        CHECK(scheduler.of(n).status == S::kApproved);
    }
}

TEST_CASE("approved calls: a rejected call leaves the approval of an equal call alone", "[core]") {
    Scheduler scheduler{true};
    const bool first = GENERATE(true, false);
    const auto rejected_before = first ? scheduler.ask(asked("b")) : 0;
    const auto approved = scheduler.approved(asked("a"));
    std::vector<Event> out;
    REQUIRE(*scheduler.session.redeem(approved, kOne, {}, scheduler.around(3), out));  // it runs
    scheduler.events.insert(scheduler.events.end(), out.begin(), out.end());
    const auto rejected = first ? rejected_before : scheduler.ask(asked("b"));
    scheduler.decide(rejected, Decision::kReject);
    ToolFinished end = finished_call("b");
    end.ok = false;
    end.error = ToolError{"denied", bounded_text("a person has rejected it")};
    SECTION("that ends after it") {
        CHECK(scheduler.report(end).empty());
        CHECK(scheduler.of(approved).open());
        CHECK(scheduler.report(finished_call("a")).empty());
    }
    SECTION("that has ended before it") {
        CHECK(scheduler.report(finished_call("a")).empty());
        CHECK(scheduler.report(end).empty());
    }
    SECTION("if it runs all the same") {
        CHECK(scheduler.report(finished_call("b")) == std::vector{Kind::kExecutedThoughRejected});
        CHECK(scheduler.report(finished_call("a")).empty());
    }
    SECTION("nor is it rejected any more once it was asked for again and approved") {
        const auto again = scheduler.approved(asked("b"));
        CHECK(scheduler.report(finished_call("b")).empty());
        CHECK(scheduler.of(again).status == S::kExecuted);
    }
    CHECK(scheduler.of(rejected).status == S::kRejected);
}

TEST_CASE("approved calls: expiry approves nothing critical or hidden", "[core]") {
    Scheduler scheduler;
    scheduler.rules.approve_on_expiry = {"deploy"};
    auto built = asked("c1");
    built.expires_in_ms = 300'000;
    built.on_expiry = OnExpiry::kApprove;
    CHECK(scheduler.rules.check_request(Policy{}, built).has_value());
    SECTION("critical") {
        built.risk = Risk::kCritical;
        CHECK(code_of(scheduler.rules.check_request(Policy{}, built)) == ErrorCode::kInvalidField);
    }
    SECTION("hidden in part") {
        built.hidden_bytes = 1;
        CHECK(code_of(scheduler.rules.check_request(Policy{}, built)) == ErrorCode::kInvalidField);
    }
    SECTION("reported by a digest only") {
        built.args = {};
    }
    const auto n = scheduler.ask(built);  // as in a journal from before the rule
    std::vector<Event> out;
    scheduler.session.tick(scheduler.around(300'001), out);
    CHECK(scheduler.of(n).status == S::kPending);
    CHECK(scheduler.of(n).overdue);
}
