// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/failures/refusals.hpp"

#include <catch2/catch.hpp>

#include "core/calls/tool_names.hpp"
#include "core/detectors/detectors.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

struct Refused {
    Refusals rule;
    Ledger ledger;
    std::uint64_t n = 0;

    void see(Event one, bool user = false) {
        one.n = ++n;
        Observation seen{{}, one, ledger};
        seen.user_message = user;
        rule.observe(seen);
    }
    void finish(bool ok, std::string error_class = {}) {
        ToolFinished call;
        call.tool = "Write";
        call.call_id = std::to_string(n);
        call.ok = ok;
        if (!ok) call.error = ToolError{std::move(error_class), bounded_text("no")};
        see(event(call));
    }
    void refuse(int count) {
        for (int i = 0; i < count; ++i)
            finish(false, "denied");
    }
    Severity severity() const { return rule.severity(Refusals::kTraits.balanced, ledger); }
};

}  // namespace

TEST_CASE("refusals: some in a row are a person's business, many are not", "[core]") {
    Refused watch;
    watch.refuse(7);
    CHECK(watch.severity() == Severity::kNone);
    watch.refuse(1);
    CHECK(watch.severity() == Severity::kSuspect);
    watch.refuse(8);
    CHECK(watch.severity() == Severity::kBlocked);
    const Finding finding = watch.rule.finding(watch.ledger);
    CHECK(finding.reason == "nothing it tries may run: 16 calls in a row were refused since #1");
    CHECK(finding.evidence == std::vector<std::uint64_t>{1, 16});
    CHECK(watch.rule.is_valid(watch.ledger, 16));
    CHECK_FALSE(watch.rule.is_valid(watch.ledger, 15));
}

TEST_CASE("refusals: a call that ran halves the row, one that was cut does not", "[core]") {
    for (const bool ok : {true, false}) {
        Refused watch;
        watch.refuse(20);
        watch.finish(ok, "other");
        CHECK(watch.rule.count == 10);
        CHECK(watch.rule.finding(watch.ledger).reason ==
              "most of what it tries may not run: calls are refused since #1");
        for (int i = 0; i < 4; ++i)
            watch.finish(ok, "other");
        CHECK(watch.severity() == Severity::kNone);
        CHECK(watch.rule == Refusals{});
    }
    Refused cheap;  // one call that runs after each seven
    for (int i = 0; i < 10; ++i) {
        cheap.refuse(7);
        cheap.finish(true, "");
    }
    cheap.refuse(7);
    CHECK(cheap.severity() == Severity::kSuspect);
    Refused watch;
    watch.refuse(10);
    watch.finish(false, "cancelled");
    CHECK(watch.rule.count == 10);
    watch.see(beat());
    CHECK(watch.severity() == Severity::kSuspect);
    watch.see(message("user"), true);
    CHECK(watch.severity() == Severity::kNone);
}

TEST_CASE("refusals: a row of them is no failure of the tool", "[core]") {
    Story story;
    story.report(message("user"), 1);
    for (int i = 0; i < 30; ++i) {
        const std::string id = "c" + std::to_string(i);
        story.report(tool_started(id, "write"), 2 + i);
        ToolFinished call;
        call.tool = "write";
        call.call_id = id;
        call.ok = false;
        call.error = ToolError{"denied", bounded_text("no")};
        story.report(event(call), 2 + i);
    }
    const SessionState& state = story.session.state();
    CHECK(state.judgement->verdict == Verdict::kBlocked);
    CHECK(state.judgement->detector == "refusals");
    CHECK(state.tool_failures == 0);
    CHECK_FALSE(state.ended());
}

TEST_CASE("blocked: a dialog is over with its call, however that ended", "[core]") {
    const auto finish = [](std::string id, std::string error_class) {
        ToolFinished call;
        call.tool = "bash";
        call.call_id = std::move(id);
        call.ok = false;
        call.error = ToolError{std::move(error_class), bounded_text("no")};
        return event(call);
    };
    StateChanged asks;
    asks.state = AgentState::kAwaitingPermission;
    for (const char* error_class : {"denied", "cancelled", ""}) {
        Story story;
        story.report(message("user"), 1);
        story.report(tool_started("a"), 2);
        story.report(tool_started("b"), 2);
        story.report(event(asks), 3);
        CHECK(story.session.state().judgement->verdict == Verdict::kBlocked);
        story.report(finish("b", error_class), 4);  // beside it
        CHECK(story.session.state().judgement->verdict == Verdict::kBlocked);
        story.report(finish("a", error_class), 5);
        CHECK(story.session.state().judgement->verdict != Verdict::kBlocked);
    }
}

TEST_CASE("tool names: these ask a person", "[core]") {
    for (const char* tool :
         {"question", "request_user_input", "AskUserQuestion", "ask_user", "ask_user_question",
          "ask_followup_question", "ExitPlanMode", "exit_plan_mode", "plan_exit",
          "plan_mode_respond", "request_permissions", "mcp__headway__ask_human",
          "request_human_approval"})
        CHECK(asks_a_person(tool));
    for (const char* tool :
         {"answer_question", "questionnaire", "search_questions_index", "get_user", "task",
          "request", "validate_user_input", "ask_question_answering_model", "plan"})
        CHECK_FALSE(asks_a_person(tool));
}
