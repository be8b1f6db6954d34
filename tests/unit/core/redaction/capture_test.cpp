// SPDX-License-Identifier: Apache-2.0
#include "core/redaction/capture.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"

using namespace headway;
using namespace headway::core;

namespace {

SessionStarted agent(std::string type, std::string name) {
    SessionStarted about;
    about.agent.type = std::move(type);
    about.agent.name = std::move(name);
    return about;
}

template <class P>
P stripped(P payload) {
    Payload held{std::move(payload)};
    keep_digests(held);
    return std::get<P>(held);
}

Json json(const std::string& text) {
    Json object;
    static_cast<Text&>(object) = bounded_text(text);
    return object;
}

}  // namespace

TEST_CASE("agents are named by name, type or adapter") {
    const CaptureRules rules{false, {"claude", "coder"}};
    CHECK(rules.only_digests(agent("", "claude")));
    CHECK(rules.only_digests(agent("coder", "x")));
    SessionStarted about = agent("general-purpose", "x");
    CHECK_FALSE(rules.only_digests(about));
    about.labels = {{"team", "claude"}};
    CHECK_FALSE(rules.only_digests(about));
    about.labels.push_back({"adapter", "claude"});
    CHECK(rules.only_digests(about));
    CHECK_FALSE(rules.only_digests(SessionStarted{}));
    CHECK(CaptureRules{true, {}}.only_digests(SessionStarted{}));
}

TEST_CASE("texts go, their digests and all names stay") {
    ToolFinished call;
    call.tool = "Write";
    call.args = json(R"({"content":"my prompt"})");
    call.result = json("my file");
    call.ok = false;
    call.error = ToolError{"denied", bounded_text("my error")};
    call.mutated = {{"a.txt", "digest"}};
    const ToolFinished kept = stripped(call);
    CHECK(kept.args.empty());
    CHECK(kept.args_digest == to_hex(digest_of(R"({"content":"my prompt"})")));
    CHECK(kept.result_digest == to_hex(digest_of("my file")));
    CHECK(kept.error == ToolError{"denied", {}});
    CHECK(kept.mutated == call.mutated);
    CHECK(kept.tool == "Write");
}

TEST_CASE("a digest that the agent gave stays, and one of a long text is of the whole") {
    ToolFinished call;
    call.args = json("x");
    call.args_digest = "own";
    CHECK(stripped(call).args_digest == "own");
    const std::string text(3 * limits::kTextWholeBytesMax, 'x');
    CHECK(stripped(Message{"user", bounded_text(text), "", {}}).digest == to_hex(digest_of(text)));
    CHECK(stripped(Message{"user", {}, "", {}}).digest.empty());
}

TEST_CASE("an event that may not be without a text has its digest") {
    const FactLearned fact = stripped(FactLearned{bounded_text("a secret plan"), "web"});
    CHECK(fact.text.kept == "digest " + to_hex(digest_of("a secret plan")));
    CHECK(fact.source == "web");
    const PlanUpdated plan = stripped(PlanUpdated{bounded_text("p"), {{"step", "done"}}});
    CHECK(plan.text.empty());
    CHECK(plan.steps.at(0).title == to_hex(digest_of("step")));
    CHECK(plan.steps.at(0).status == "done");
}

TEST_CASE("what a person has to decide about stays") {
    ApprovalRequested asked;
    asked.summary = bounded_text("delete it?");
    CHECK(stripped(asked) == asked);
}
