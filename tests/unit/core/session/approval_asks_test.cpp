// SPDX-License-Identifier: Apache-2.0
#include "core/session/approval_asks.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "core/calls/exact_args.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;
using Kind = ApprovalAlarmKind;

namespace {

const std::string kArgs = bound_digest("some arguments");

ApprovalRequested to_ask(std::string call_id, std::string digest = kArgs) {
    ApprovalRequested request;
    request.tool = "deploy";
    request.call_id = std::move(call_id);
    request.args.text = "{}";
    request.args_digest = std::move(digest);
    request.source = "policy";
    return request;
}

/// A session whose calls of `deploy` need a person, driven like the daemon does.
struct Asking : Story {
    ApprovalRules rules;
    Asking() { rules.require_tools = {"deploy"}; }

    Context around() {
        Context built = context(++ms_);
        built.approvals = &rules;
        return built;
    }
    std::vector<Kind> report(Event one_event, std::span<const CallToAllow> asks = {}) {
        Context where = around();
        where.asks = asks;
        std::vector<Kind> raised;
        for (const Event& one : Story::report(std::move(one_event), where)) {
            if (const auto* alarm = std::get_if<ApprovalAlarm>(&one.payload))
                raised.push_back(alarm->alarm);
        }
        REQUIRE(folded(events) == session.state());
        return raised;
    }
    std::vector<Kind> starts(const std::string& call_id, const std::string& digest = kArgs) {
        const CallToAllow asks[] = {{0, to_ask(kept_call_id(call_id), digest)}};
        return report(tool_started(call_id, "deploy"), asks);
    }
    std::vector<Kind> finishes(const std::string& call_id, const std::string& tool = "deploy",
                               bool tells = true) {
        ToolFinished call;
        call.tool = tool;
        call.call_id = call_id;
        if (tells) static_cast<Text&>(call.args) = bounded_text("{}");
        CallFingerprint fingerprint;
        fingerprint.outcome.low = ++outcome_;
        keep_args(fingerprint, tells ? kArgs : std::string{kNoArgsDigest});
        call.fingerprint = fingerprint;
        return report(event(std::move(call)));
    }
    void is_refused(const std::string& call_id) {
        ToolFinished denied;
        denied.tool = "deploy";
        denied.call_id = call_id;
        denied.ok = false;
        denied.error = ToolError{"denied", {}};
        report(event(std::move(denied)));
    }
    const Approvals& approvals() const { return session.state().approvals; }
    void decide(Decision decision, GrantScope scope = GrantScope::kOnce) {
        const Approval* asked = approvals().oldest_pending();
        REQUIRE(asked != nullptr);
        Ruling ruling;
        ruling.decision = decision;
        ruling.scope = scope;
        std::vector<Event> out;
        REQUIRE(session.decide(asked->n, ruling, around(), out).has_value());
        events.insert(events.end(), out.begin(), out.end());
    }

private:
    std::int64_t ms_ = 0;
    std::uint64_t outcome_ = 0;
};

}  // namespace

TEST_CASE("approval asks: a call beside an approved one of the same arguments asks for itself",
          "[core]") {
    Asking s;
    s.starts("c1");
    s.decide(Decision::kApprove);
    s.starts("c2");
    REQUIRE(s.approvals().pending() == 1);
    s.decide(Decision::kApprove);
    CHECK(s.finishes("c2").empty());
    CHECK(s.finishes("c1").empty());
}

TEST_CASE("approval asks: an approval that no call uses is taken by the next", "[core]") {
    Asking s;
    s.report(event(to_ask("")));  // requested before the call had an id
    s.decide(Decision::kApprove);
    s.starts("c1");
    CHECK(s.approvals().pending() == 0);
    s.starts("c2");  // in parallel: the approval may belong to c1
    CHECK(s.approvals().pending() == 1);
}

TEST_CASE("approval asks: a late approval is for one of several equal calls at once", "[core]") {
    Asking s;
    s.starts("c1");
    s.is_refused("c1");  // no person had decided
    s.decide(Decision::kApprove);
    s.starts("c2");
    CHECK(s.approvals().pending() == 0);
    s.starts("c3");
    s.starts("c4");
    CHECK(s.approvals().pending() == 2);
    s.finishes("c2");
    s.starts("c5");
    CHECK(s.approvals().pending() == 3);
}

TEST_CASE("approval asks: an id reused after its call has run asks again", "[core]") {
    Asking s;
    s.starts("call_0");
    s.decide(Decision::kApprove);
    CHECK(s.finishes("call_0").empty());
    s.starts("call_1");
    s.decide(Decision::kApprove);  // but the agent does not run it
    s.report(event(to_ask("call_2", bound_digest("other"))));
    s.decide(Decision::kReject);
    s.starts("call_0");
    CHECK(s.approvals().pending() == 1);
}

TEST_CASE("approval asks: a start that asks again after a rejection raises nothing", "[core]") {
    Asking s;
    s.starts("call_0");
    s.decide(Decision::kReject);
    CHECK(s.starts("call_0", bound_digest("other arguments")).empty());
    CHECK(s.approvals().pending() == 1);
}

TEST_CASE("approval asks: starting the rejected call raises", "[core]") {
    Asking s;
    s.starts("call_0");
    s.decide(Decision::kReject);
    CHECK(s.starts("call_0") == std::vector{Kind::kStartedAfterRejection});
    CHECK(s.approvals().pending() == 0);
}

TEST_CASE("approval asks: a pending call's id does not apply to another tool", "[core]") {
    Asking s;
    s.starts("call_0");
    CHECK(s.finishes("call_0", "read_file").empty());
    CHECK(s.approvals().pending() == 1);
}

TEST_CASE("approval asks: another tool under an approved id raises and takes nothing", "[core]") {
    Asking s;
    s.starts("c1");
    s.decide(Decision::kApprove);
    CHECK(s.finishes("c1", "read_file") == std::vector{Kind::kExecutedUnapproved});
    CHECK(s.finishes("c1").empty());
}

TEST_CASE("approval asks: an id longer than a request keeps is recognised", "[core]") {
    Asking s;
    const std::string id(limits::kIdBytesMax + 40, 'x');
    s.starts(id);
    s.decide(Decision::kReject);
    CHECK(s.finishes(id + "y", "deploy", false) != std::vector{Kind::kExecutedThoughRejected});
    CHECK(s.finishes(id, "deploy", false) == std::vector{Kind::kExecutedThoughRejected});
}

TEST_CASE("approval asks: a call started under a grant may finish without arguments", "[core]") {
    Asking s;
    s.starts("c1");
    s.decide(Decision::kApprove, GrantScope::kSession);
    CHECK(s.finishes("c1").empty());
    s.starts("c2");
    CHECK(s.approvals().pending() == 0);
    CHECK(s.finishes("c2", "deploy", false).empty());
    CHECK(s.finishes("c3", "deploy", false) == std::vector{Kind::kExecutedUnapproved});
}

TEST_CASE("approval asks: a minor alarm does not hide a worse one", "[core]") {
    Asking s;
    s.starts("c1");
    s.decide(Decision::kReject);
    const std::uint64_t asked = s.approvals().requests.front().n;
    CHECK(s.finishes("c1") == std::vector{Kind::kExecutedThoughRejected});
    (void)s.starts("c1");
    CHECK(s.approvals().find(asked)->alarm == Kind::kExecutedThoughRejected);
}

TEST_CASE("approval asks: an equal call waits for the request of one that is over", "[core]") {
    Asking s;
    s.starts("c1");
    REQUIRE(s.approvals().pending() == 1);
    s.starts("c2");  // beside the first: it is another execution
    CHECK(s.approvals().pending() == 2);
    s.is_refused("c1");
    s.is_refused("c2");
    s.starts("c3");
    CHECK(s.approvals().pending() == 2);
    s.starts("c4");  // beside the third, which may run by one of them
    CHECK(s.approvals().pending() == 3);
    s.starts("c5", bound_digest("other arguments"));
    CHECK(s.approvals().pending() == 4);
}
