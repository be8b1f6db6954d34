// SPDX-License-Identifier: Apache-2.0
#include "core/redaction/capture.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <type_traits>

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

constexpr std::string_view kMark = "marigold 7731";

/// Puts the mark into every text of a value, whatever its depth.
template <class T>
void mark(T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
        value = kMark;
    } else if constexpr (std::is_base_of_v<Text, T>) {
        static_cast<Text&>(value) = bounded_text(std::string{kMark});
    } else if constexpr (requires { value.has_value(); }) {
        mark(value.emplace());
    } else if constexpr (requires { value.emplace_back(); }) {
        mark(value.emplace_back());
    } else if constexpr (Described<T>) {
        for_each_field<T>([&value](const auto& field, std::size_t) { mark(value.*field.member); });
    }
}

/// Adds the path of each text that has the mark.
template <class T>
void find_marks(const T& value, const std::string& path, std::set<std::string>& found) {
    if constexpr (std::is_same_v<T, std::string>) {
        if (value.find(kMark) != std::string::npos) found.insert(path);
    } else if constexpr (std::is_base_of_v<Text, T>) {
        find_marks(value.kept, path, found);
    } else if constexpr (requires { value.has_value(); }) {
        if (value) find_marks(*value, path, found);
    } else if constexpr (requires { value.begin(); }) {
        for (const auto& one : value)
            find_marks(one, path, found);
    } else if constexpr (Described<T>) {
        for_each_field<T>([&](const auto& field, std::size_t) {
            const std::string name{field.name};
            find_marks(value.*field.member, path.empty() ? name : path + "." + name, found);
        });
    }
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
    CHECK(fact.source == "digest " + to_hex(digest_of("web")));
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

TEST_CASE("work in the background keeps its sort, and its command only as a digest") {
    StateChanged rest;
    rest.background = {"shell: psql -c 'select 1'", "cron: 0 9 * * *", "agent", "psql: select 1",
                       "npm run dev"};
    CHECK(stripped(rest).background ==
          std::vector<std::string>{"shell: digest " + to_hex(digest_of("psql -c 'select 1'")),
                                   "cron: digest " + to_hex(digest_of("0 9 * * *")), "agent",
                                   "digest " + to_hex(digest_of("psql: select 1")),
                                   "digest " + to_hex(digest_of("npm run dev"))});
}

TEST_CASE("words that the API knows stay, others are no names") {
    const PlanUpdated plan = stripped(PlanUpdated{{}, {{"a", "in_progress"}, {"b", "psql -c x"}}});
    CHECK(plan.steps.at(0).status == "in_progress");
    CHECK(plan.steps.at(1).status == "digest " + to_hex(digest_of("psql -c x")));
    CHECK(stripped(Message{"assistant", {}, "", {}}).role == "assistant");
    CHECK(stripped(Message{"psql -c x", {}, "", {}}).role ==
          "digest " + to_hex(digest_of("psql -c x")));
    TestResult test;
    test.command = "pytest -k secret";
    test.failures = {"test_a"};
    CHECK(stripped(test).command == "digest " + to_hex(digest_of("pytest -k secret")));
    CHECK(stripped(test).failures == test.failures);
    CHECK(stripped(TestResult{}).command.empty());
}

TEST_CASE("of what an agent can fill, digests of all texts store the documented names only") {
    std::set<std::string> left;
    for (std::size_t i = 0; i < std::variant_size_v<AnyPayload>; ++i) {
        const auto type = static_cast<EventType>(i);
        std::optional<Payload> payload = make_payload(type);
        REQUIRE(payload);
        // A person has to read what is asked for.
        const bool opens = type == EventType::kSessionStarted || type == EventType::kSessionAmended;
        if (type == EventType::kApprovalRequested || !(opens || reportable(type))) continue;
        std::visit([](auto& filled) { mark(filled); }, static_cast<AnyPayload&>(*payload));
        keep_digests(*payload);
        std::visit([&left](const auto& kept) { find_marks(kept, "", left); },
                   static_cast<const AnyPayload&>(*payload));
    }
    // docs/security.md, "Secrets". Ids and digests are the agent's own.
    const std::set<std::string> documented{"adapter",
                                           "adapters",
                                           "agent.model",
                                           "agent.name",
                                           "agent.type",
                                           "args_digest",
                                           "call_id",
                                           "class",
                                           "code",
                                           "digest",
                                           "error.class",
                                           "failures",
                                           "id",
                                           "in_flight.call_id",
                                           "judge",
                                           "labels.key",
                                           "labels.value",
                                           "model",
                                           "mutated.digest",
                                           "mutated.path",
                                           "name",
                                           "parent",
                                           "phase",

                                           "policy.tools.tool",
                                           "raised",
                                           "result_digest",
                                           "target",
                                           "tool",
                                           "usage.model"};
    CHECK(left == documented);
}
