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
    ApprovalRequested made;
    made.tool = "deploy";
    made.call_id = std::move(call_id);
    made.args.text = "{}";
    made.args_digest = digest;
    made.question = 7;
    return made;
}

/// As the decoder makes it; `before`: as its earlier versions did.
ToolFinished finished_call(std::string call_id, const std::string& digest = kOne,
                           bool of_before = false) {
    ToolFinished call;
    call.tool = "deploy";
    call.call_id = std::move(call_id);
    static_cast<Text&>(call.args) = bounded_text("{}");
    CallPrint print;
    print.question.low = 7;
    if (!of_before) keep_args(print, digest);
    call.print = print;
    return call;
}

ToolFinished silent(std::string call_id, bool of_before = false) {
    ToolFinished call = finished_call(std::move(call_id), std::string{kNoArgsDigest}, of_before);
    call.args = {};
    return call;
}

struct Desk : Story {
    ApprovalRules rules;
    explicit Desk(bool required = false) {
        if (required) rules.require_tools = {"deploy"};
    }
    Context around(std::int64_t ms) const {
        Context made = context(ms);
        made.approvals = &rules;
        return made;
    }
    std::uint64_t ask(ApprovalRequested made) {
        return Story::report(event(std::move(made)), around(1)).front().n;
    }
    void decide(std::uint64_t n, Decision decision = Decision::kApprove) {
        Ruling ruling;
        ruling.decision = decision;
        std::vector<Event> out;
        REQUIRE(*session.decide(n, ruling, around(2), out));
        events.insert(events.end(), out.begin(), out.end());
    }
    std::uint64_t approved(ApprovalRequested made) {
        const std::uint64_t n = ask(std::move(made));
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
    CallPrint print;
    CHECK(args_of(print).empty());
    keep_args(print, kOne);
    CHECK(args_of(print) == kOne);
}

TEST_CASE("approved calls: exact arguments are stored only in sessions with approvals", "[core]") {
    Desk desk{true};
    const auto kept = [&] {
        for (auto it = desk.events.rbegin(); it != desk.events.rend(); ++it) {
            if (const auto* call = std::get_if<ToolFinished>(&it->payload))
                return args_of(*call->print);
        }
        return std::string{};
    };
    CHECK(desk.report(finished_call("c1")) == std::vector{Kind::kExecutedUnapproved});
    CHECK(kept().empty());
    desk.ask(asked("c2"));
    desk.report(finished_call("c2"));
    CHECK(kept() == kOne);
}

TEST_CASE("approved calls: equal fingerprints are not equal arguments", "[core]") {
    Desk desk{true};
    const auto n = desk.approved(asked("c1"));
    CHECK(desk.report(finished_call("c2", kTwo)) == std::vector{Kind::kExecutedUnapproved});
    CHECK(desk.of(n).status == S::kApproved);
    CHECK(desk.report(finished_call("c2", kOne)).empty());
    CHECK(desk.of(n).status == S::kExecuted);
}

TEST_CASE("approved calls: what a person has edited may not run as it was asked for", "[core]") {
    Desk desk;
    const std::uint64_t n = desk.ask(asked(GENERATE("", "c")));
    Ruling ruling;
    ruling.decision = Decision::kEdit;
    ruling.edited_args.text = R"({"to":"staging"})";
    ruling.edited_digest = kTwo;
    std::vector<Event> out;
    REQUIRE(*desk.session.decide(n, ruling, desk.around(2), out));
    desk.events.insert(desk.events.end(), out.begin(), out.end());
    SECTION("before the edited call has run") {
        CHECK(desk.report(finished_call(GENERATE("", "c", "d"))) ==
              std::vector{Kind::kExecutedUnapproved});
        CHECK(desk.of(n).open());
    }
    SECTION("after it has") {
        CHECK(desk.report(finished_call("c", kTwo)).empty());
        CHECK(desk.of(n).status == S::kExecuted);
        CHECK(desk.report(finished_call("")) == std::vector{Kind::kExecutedUnapproved});
    }
    SECTION("unless it was asked for again and approved") {
        desk.approved(asked("e"));
        CHECK(desk.report(finished_call("e")).empty());
    }
}

TEST_CASE("approved calls: a refused call is the same call under another tool's name", "[core]") {
    Desk desk;
    const std::uint64_t n = desk.ask(asked("c"));
    desk.decide(n, GENERATE(Decision::kReject, Decision::kIgnore));
    ToolFinished call = finished_call("c");
    call.tool = "bash";
    CHECK(desk.report(call) == std::vector{Kind::kExecutedThoughRejected});
    SECTION("an id that is used again for something else is none") {
        ToolFinished other = finished_call("c", kTwo);
        other.tool = "bash";
        CHECK(desk.report(other).empty());
        ToolFinished quiet = silent("c");
        quiet.tool = "bash";
        CHECK(desk.report(quiet).empty());
    }
}

TEST_CASE("approved calls: no arguments are not recognised under another tool's name", "[core]") {
    Desk desk;
    desk.decide(desk.ask(asked("c", std::string{kNoArgsDigest})), Decision::kReject);
    ToolFinished other = finished_call("c", std::string{kNoArgsDigest});
    other.tool = "list_files";
    CHECK(desk.report(other).empty());
}

TEST_CASE("approved calls: an id that ran before may report what was edited for another",
          "[core]") {
    // The call has the edited arguments and the digest of those that were asked for.
    Desk desk;
    desk.approved(asked("c1"));
    CHECK(desk.report(finished_call("c1")).empty());
    const std::uint64_t n = desk.ask(asked("c2", bound_digest("v1:abc")));
    Ruling ruling;
    ruling.decision = Decision::kEdit;
    ruling.edited_args.text = R"({"cmd":"ls"})";
    ruling.edited_digest = kTwo;
    std::vector<Event> out;
    REQUIRE(*desk.session.decide(n, ruling, desk.around(2), out));
    desk.events.insert(desk.events.end(), out.begin(), out.end());
    ToolFinished call = finished_call("c1", kTwo);
    call.args_digest = "v1:abc";
    (void)desk.report(call);
    CHECK(desk.of(n).open());
}

TEST_CASE("approved calls: the approval of its own id is used before an equal one", "[core]") {
    Desk desk{true};
    const auto first = desk.approved(asked("c1"));
    const auto second = desk.approved(asked("c2"));
    CHECK(desk.report(finished_call("c2")).empty());
    CHECK(desk.of(first).status == S::kApproved);
    CHECK(desk.of(second).status == S::kExecuted);
    // The second request's call ran; the remaining approval is not its own.
    CHECK(desk.report(finished_call("c2")) == std::vector{Kind::kExecutedUnapproved});
    CHECK(desk.of(second).alarm == Kind::kExecutedUnapproved);
    CHECK(desk.report(finished_call("c1")).empty());
    CHECK(desk.of(first).status == S::kExecuted);
}

TEST_CASE("approved calls: a call that ran while its request was pending is spent", "[core]") {
    Desk desk;
    const auto n = desk.ask(asked("c1"));
    for (std::uint64_t times = 1; times < 4; ++times) {
        CHECK(desk.report(finished_call("c1")) == std::vector{Kind::kExecutedUnapproved});
        CHECK(desk.of(n).status == S::kCancelled);
        REQUIRE(desk.session.state().approvals.alarms.size() == 1);
        CHECK(desk.session.state().approvals.alarms.front().times == times);
    }
}

TEST_CASE("approved calls: a call without arguments matches by id or not at all", "[core]") {
    Desk desk{true};
    const auto n = desk.approved(asked("c1"));
    for (const char* id : {"", "c2"})
        CHECK(desk.report(silent(id)) == std::vector{Kind::kExecutedUnapproved});
    CHECK(desk.of(n).status == S::kApproved);
    CHECK(desk.report(silent("c1")).empty());
    CHECK(desk.of(n).status == S::kExecuted);
    CHECK(desk.of(n).unverified);
    // A request without an id cannot be matched by id.
    const auto nameless = desk.approved(asked(""));
    CHECK(desk.report(silent("")).empty());
    CHECK(desk.of(nameless).unverified);
}

TEST_CASE("approved calls: older journals are folded as they were judged", "[core]") {
    constexpr bool kBefore = true;
    Desk desk;
    SECTION("by the fingerprint") {
        const auto n = desk.approved(asked("c1"));
        CHECK(desk.report(finished_call("c2", {}, kBefore)).empty());
        CHECK(desk.of(n).status == S::kExecuted);
    }
    SECTION("the first of equal ones, with any id") {
        const auto first = desk.approved(asked("c1"));
        const auto second = desk.approved(asked("c2"));
        desk.report(finished_call("c2", {}, kBefore));
        CHECK(desk.of(first).status == S::kExecuted);
        CHECK(desk.of(second).status == S::kApproved);
    }
    SECTION("one without any identification, by its tool") {
        const auto n = desk.approved(asked("c1"));
        desk.report(silent("", kBefore));
        CHECK(desk.of(n).status == S::kExecuted);
        CHECK_FALSE(desk.of(n).unverified);
    }
    SECTION("a repeated one, not at all") {
        desk.approved(asked("c1"));
        desk.report(finished_call("c1", {}, kBefore));
        const auto again = desk.approved(asked("c1"));
        desk.report(finished_call("c1", {}, kBefore));
        CHECK(desk.of(again).status == S::kApproved);
        desk.report(finished_call("c1"));  // by today's rules it counts
        CHECK(desk.of(again).status == S::kExecuted);
    }
}

TEST_CASE("approved calls: a start is judged by the last decision about its id", "[core]") {
    Desk desk;
    const auto start = [](std::string id) {
        ToolStarted made;
        made.tool = "deploy";
        made.call_id = std::move(id);
        return made;
    };
    const auto n = desk.ask(asked("c1"));
    CHECK(desk.report(start("c1")).empty());
    const Decision no = GENERATE(Decision::kReject, Decision::kIgnore);
    desk.decide(n, no);
    CHECK(desk.report(start("c2")).empty());
    CHECK(desk.report(start("c1")) == std::vector{Kind::kStartedAfterRejection});
    CHECK(desk.of(n).alarm == Kind::kStartedAfterRejection);
    CHECK((desk.of(n).status == S::kRejected || desk.of(n).status == S::kIgnored));
    CHECK(desk.report(finished_call("c1")) == std::vector{Kind::kExecutedThoughRejected});
    desk.approved(asked("c1", kTwo));
    CHECK(desk.report(start("c1")).empty());
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
        Desk desk;
        const auto n = desk.approved(asked("c1"));
        CHECK(desk.report(refused("c1")) == std::vector{Kind::kApprovedButRefused});
        CHECK(desk.of(n).status == S::kCancelled);
        CHECK(desk.of(n).alarm == Kind::kApprovedButRefused);
        CHECK(desk.of(n).executed_n == 0);
    }
    SECTION("the agent's word gains no second execution") {
        Desk desk{true};
        desk.approved(asked("c1"));
        desk.report(refused("c1"));
        CHECK(desk.report(finished_call("c1")) == std::vector{Kind::kExecutedUnapproved});
    }
    SECTION("never asked, or rejected: as before") {
        Desk desk{true};
        CHECK(desk.report(refused("c1")) == std::vector{Kind::kExecutedUnapproved});
        const auto n = desk.ask(asked("c2"));
        desk.decide(n, Decision::kReject);
        CHECK(desk.report(refused("c2")).empty());
    }
    SECTION("a call that was cut, or failed on a file's rights, has run") {
        const std::string error_class = GENERATE("cancelled", "permission_denied", "");
        Desk desk;
        const auto n = desk.approved(asked("c1"));
        CHECK(desk.report(refused("c1", error_class)).empty());
        CHECK(desk.of(n).status == S::kExecuted);
    }
    SECTION("another call's refusal uses up nothing") {
        Desk desk;
        const auto n = desk.approved(asked("c1"));
        ToolFinished other = refused("c9");
        CallPrint print;
        print.question.low = 8;
        keep_args(print, kTwo);
        other.print = print;
        desk.report(other);
        CHECK(desk.of(n).status == S::kApproved);
    }
}

TEST_CASE("approved calls: expiry approves nothing critical or hidden", "[core]") {
    Desk desk;
    desk.rules.approve_on_expiry = {"deploy"};
    auto made = asked("c1");
    made.expires_in_ms = 300'000;
    made.on_expiry = OnExpiry::kApprove;
    CHECK(desk.rules.check_request(Policy{}, made).has_value());
    SECTION("critical") {
        made.risk = Risk::kCritical;
        CHECK(code_of(desk.rules.check_request(Policy{}, made)) == ErrorCode::kInvalidField);
    }
    SECTION("hidden in part") {
        made.hidden_bytes = 1;
        CHECK(code_of(desk.rules.check_request(Policy{}, made)) == ErrorCode::kInvalidField);
    }
    SECTION("reported by a digest only") {
        made.args = {};
    }
    const auto n = desk.ask(made);  // as in a journal from before the rule
    std::vector<Event> out;
    desk.session.tick(desk.around(300'001), out);
    CHECK(desk.of(n).status == S::kPending);
    CHECK(desk.of(n).overdue);
}
