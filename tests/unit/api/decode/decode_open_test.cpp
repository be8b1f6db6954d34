// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "api/decode/decode.hpp"
#include "core/base/limits.hpp"
#include "core/detectors/detectors.hpp"
#include "tests/support/names.hpp"

// The opening of a session; its errors of names and labels are in decode_test.cpp.

using namespace headway::core;
using headway::api::decode_open;
using headway::api::DecodedOpen;
using headway::api::JsonDocument;
using headway::tests::code_of;
using headway::tests::require_ok;

namespace {

Result<DecodedOpen> opened_by(std::string_view body) {
    JsonDocument document;
    return decode_open(document, body);
}

Result<DecodedOpen> opened_with_policy(const std::string& members) {
    return opened_by(R"({"policy":{)" + members + "}}");
}

struct WrongOpening {
    std::string body;
    ErrorCode code;
    const char* field;
    const char* says;
};

void expect_wrong(const WrongOpening& c) {
    const auto refused = opened_by(c.body);
    CHECK(code_of(refused) == c.code);
    CHECK(refused.error().field == c.field);
    CHECK_THAT(refused.error().detail, Catch::Contains(c.says));
}

constexpr ErrorCode kWrongValue = ErrorCode::kInvalidField;
constexpr ErrorCode kNoSuchField = ErrorCode::kUnknownField;
constexpr ErrorCode kMissingPart = ErrorCode::kMissingField;

}  // namespace

TEST_CASE("decode open: an opening may say nothing at all", "[api]") {
    for (const char* body :
         {"", "{}", R"({"id":null,"budget":null,"policy":null,"labels":null})"}) {
        CAPTURE(body);
        const auto decoded = opened_by(body);
        require_ok(decoded);
        CHECK(decoded->id.empty());
        CHECK_FALSE(decoded->suggested);
        CHECK(decoded->about == SessionStarted{});
    }
}

TEST_CASE("decode open: each member arrives where it belongs", "[api]") {
    const auto decoded = opened_by(
        R"({"id":"s-1","goal":"fix it","agent":{"type":"coder","name":"A","model":"m"},)"
        R"("parent":"p.1","labels":{"team":"a"},"complexity":"medium",)"
        R"("budget":{"timeout_seconds":60,"max_steps":5,"max_tokens":7,"max_cost_usd":0.5}})");
    require_ok(decoded);
    CHECK(decoded->id == "s-1");
    CHECK(decoded->about.goal.kept == "fix it");
    CHECK(decoded->about.agent == AgentInfo{"coder", "A", "m"});
    CHECK(decoded->about.parent == "p.1");
    CHECK((decoded->about.labels == std::vector<Label>{{"team", "a"}}));
    CHECK(decoded->about.complexity == Complexity::kMedium);
    CHECK(decoded->about.budget == BudgetLimits{60, 5, 7, 0.5});
    // Fields that the daemon sets for an opening do not come from its body.
    CHECK_FALSE(decoded->about.implicit);
    CHECK(decoded->about.raised.empty());
    CHECK(decoded->about.budget_source == BudgetSource::kNone);
    CHECK(decoded->about.budget_rules == BudgetRules{});
    CHECK_FALSE(decoded->about.suggested_from.has_value());
}

TEST_CASE("decode open: the complexity is one of three words", "[api]") {
    CHECK(opened_by(R"({"complexity":"low"})")->about.complexity == Complexity::kLow);
    CHECK(opened_by(R"({"complexity":"high"})")->about.complexity == Complexity::kHigh);
    CHECK_FALSE(opened_by(R"({"complexity":null})")->about.complexity.has_value());
    for (const char* wrong : {R"("Low")", R"("")", "1", "true", R"(["low"])"}) {
        DYNAMIC_SECTION(wrong) {
            expect_wrong({R"({"complexity":)" + std::string{wrong} + "}", kWrongValue,
                          "/complexity", "must be one of low, medium, high"});
        }
    }
}

TEST_CASE("decode open: a suggested budget is asked for beside limits or without any", "[api]") {
    const auto alone = opened_by(R"({"budget":{"suggested":true}})");
    require_ok(alone);
    CHECK(alone->suggested);
    CHECK(alone->about.budget == BudgetLimits{});
    const auto beside = opened_by(R"({"budget":{"suggested":true,"max_cost_usd":2}})");
    require_ok(beside);
    CHECK(beside->suggested);
    CHECK(beside->about.budget == BudgetLimits{{}, {}, {}, 2.0});
    CHECK_FALSE(opened_by(R"({"budget":{"suggested":false}})")->suggested);
    CHECK_FALSE(opened_by(R"({"budget":{"suggested":null}})")->suggested);
    CHECK_FALSE(opened_by(R"({"budget":{}})")->suggested);
}

TEST_CASE("decode open: a limit of zero is a limit", "[api]") {
    const auto decoded = opened_by(
        R"({"budget":{"timeout_seconds":0,"max_steps":0,"max_tokens":0,"max_cost_usd":0}})");
    require_ok(decoded);
    CHECK(decoded->about.budget == BudgetLimits{0, 0, 0, 0.0});
}

TEST_CASE("decode open: all members of a policy are read", "[api]") {
    const auto decoded = opened_with_policy(
        R"("profile":"strict","heartbeat_interval_ms":500,"heartbeat_limit":7,)"
        R"("loop_detection":false,"judge":false,"on_stuck":"ask","max_iterations":8,)"
        R"("max_tool_failures":9,"min_confidence":0.25,"max_parse_failures":10,)"
        R"("tool_time_limit_ms":11,"trust_origin":false,"low_confidence_attempts":12,)"
        R"("stats_every":13,"confirm_stop":"judge","wait_polls":14,"wait_patience_ms":15,)"
        R"("trust_user":false)");
    require_ok(decoded);
    PolicyOverride all;
    all.profile = Profile::kStrict;
    all.heartbeat_interval_ms = 500;
    all.heartbeat_limit = 7;
    all.loop_detection = false;
    all.judge = false;
    all.on_stuck = OnStuck::kAsk;
    all.max_iterations = 8;
    all.max_tool_failures = 9;
    all.min_confidence = 0.25;
    all.max_parse_failures = 10;
    all.tool_time_limit_ms = 11;
    all.trust_origin = false;
    all.low_confidence_attempts = 12;
    all.stats_every = 13;
    all.confirm_stop = ConfirmStop::kJudge;
    all.wait_polls = 14;
    all.wait_patience_ms = 15;
    all.trust_user = false;
    CHECK(decoded->about.policy == all);
    CHECK(opened_with_policy(R"("wait_polls":null)")->about.policy == PolicyOverride{});
}

TEST_CASE("decode open: a policy's risk is refused and said to be gone", "[api]") {
    const auto refused = opened_with_policy(R"("risk":true)");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kUnknownField);
    CHECK(refused.error().field == "/policy/risk");
    CHECK_THAT(refused.error().detail, Catch::Contains("is gone"));
}

TEST_CASE("decode open: tools and detectors of a policy keep their order and defaults", "[api]") {
    const auto decoded = opened_with_policy(
        R"("tools":[{"tool":"log","ignore":true},{"tool":"ci","polls":true,"patience":5,)"
        R"("requires_approval":true,"time_limit_ms":90}],)"
        R"("detectors":[{"detector":"exact_repeat","suspect":3,"stuck":9},)"
        R"({"detector":"cycle","off":true}])");
    require_ok(decoded);
    const PolicyOverride& policy = decoded->about.policy;
    CHECK((policy.tools == std::vector<ToolPolicy>{{"log", true, 1, false, 0, false},
                                                   {"ci", false, 5, true, 90, true}}));
    CHECK((policy.detectors == std::vector<DetectorPolicy>{{kIdOf<ExactRepeat>, false, 3, 9},
                                                           {kIdOf<Cycle>, true, 0, 0}}));
}

TEST_CASE("decode open: a member that an opening does not have is refused by its name", "[api]") {
    const WrongOpening cases[] = {
        {R"({"gaol":"x"})", kNoSuchField, "/gaol",
         "known are id, goal, agent, parent, labels, policy, budget, complexity"},
        {R"({"budget_source":"config"})", kNoSuchField, "/budget_source", "unknown field"},
        {R"({"budget_rules":{}})", kNoSuchField, "/budget_rules", "unknown field"},
        {R"({"raised":[]})", kNoSuchField, "/raised", "unknown field"},
        {R"({"suggested_from":3})", kNoSuchField, "/suggested_from", "unknown field"},
        {R"({"agent":{"version":"1"}})", kNoSuchField, "/agent/version",
         "known are type, name, model"},
        {R"({"budget":{"max_stps":1}})", kNoSuchField, "/budget/max_stps",
         "timeout_seconds, max_steps, max_tokens, max_cost_usd, suggested"},
        {R"({"policy":{"legacy":{}}})", kNoSuchField, "/policy/legacy", "unknown field"},
        {R"({"policy":{"wait_patience":1}})", kNoSuchField, "/policy/wait_patience",
         "wait_patience_ms"},
        {R"({"policy":{"tools":[{"tool":"a","ignored":true}]}})", kNoSuchField,
         "/policy/tools/0/ignored", "ignore"},
        {R"({"policy":{"detectors":[{"detector":"cycle","of":true}]}})", kNoSuchField,
         "/policy/detectors/0/of", "known are detector, off, suspect, stuck"},
    };
    for (const WrongOpening& c : cases) {
        DYNAMIC_SECTION(c.body) {
            expect_wrong(c);
        }
    }
}

TEST_CASE("decode open: a value of another type is refused with the type it must have", "[api]") {
    const WrongOpening cases[] = {
        {"[]", kWrongValue, "", "must be an object"},
        {"7", kWrongValue, "", "must be an object"},
        {R"({"id":7})", kWrongValue, "/id", "must be a string"},
        {R"({"goal":["x"]})", kWrongValue, "/goal", "must be a string"},
        {R"({"agent":"coder"})", kWrongValue, "/agent", "must be an object"},
        {R"({"agent":{"type":1}})", kWrongValue, "/agent/type", "must be a string"},
        {R"({"agent":{"name":"a\u0000"}})", kWrongValue, "/agent/name", "must not contain \\u0000"},
        {R"({"parent":false})", kWrongValue, "/parent", "must be a string"},
        {R"({"budget":60})", kWrongValue, "/budget", "must be an object"},
        {R"({"budget":{"max_steps":-1}})", kWrongValue, "/budget/max_steps",
         "a whole number from 0"},
        {R"({"budget":{"timeout_seconds":1.5}})", kWrongValue, "/budget/timeout_seconds",
         "a whole number from 0"},
        {R"({"budget":{"max_tokens":"9"}})", kWrongValue, "/budget/max_tokens",
         "a whole number from 0"},
        {R"({"budget":{"max_cost_usd":"2"}})", kWrongValue, "/budget/max_cost_usd",
         "must be a number"},
        {R"({"budget":{"suggested":"yes"}})", kWrongValue, "/budget/suggested",
         "must be true or false"},
        {R"({"policy":[]})", kWrongValue, "/policy", "must be an object"},
        {R"({"policy":{"judge":1}})", kWrongValue, "/policy/judge", "must be true or false"},
        {R"({"policy":{"wait_polls":4294967296}})", kWrongValue, "/policy/wait_polls",
         "a whole number from 0 to 4294967295"},
        {R"({"policy":{"on_stuck":"wait"}})", kWrongValue, "/policy/on_stuck",
         "must be one of by_profile, advise, ask, stop, halt"},
        {R"({"policy":{"tools":{}}})", kWrongValue, "/policy/tools", "must be a list"},
        {R"({"policy":{"detectors":[{"detector":"exact"}]}})", kWrongValue,
         "/policy/detectors/0/detector", "must be one of"},
    };
    for (const WrongOpening& c : cases) {
        DYNAMIC_SECTION(c.body) {
            expect_wrong(c);
        }
    }
}

TEST_CASE("decode open: what an entry of a list must have is asked for at its place", "[api]") {
    expect_wrong({R"({"policy":{"tools":[{"tool":"a"},{"ignore":true}]}})", kMissingPart,
                  "/policy/tools/1/tool", "is required"});
    expect_wrong({R"({"policy":{"detectors":[{"off":true}]}})", kMissingPart,
                  "/policy/detectors/0/detector", "is required"});
}

TEST_CASE("decode open: bounds of a policy are checked, with the path from the body", "[api]") {
    expect_wrong({R"({"policy":{"wait_polls":100001}})", kWrongValue, "/policy/wait_polls",
                  "must be at most 100000"});
    expect_wrong({R"({"policy":{"wait_patience_ms":604800001}})", kWrongValue,
                  "/policy/wait_patience_ms", "must be at most a week"});
    expect_wrong({R"({"policy":{"tools":[{"tool":"a","patience":0}]}})", kWrongValue,
                  "/policy/tools/0/patience", "must be from 1 to 100"});
}

TEST_CASE("decode open: names of sessions are checked, the policy before them", "[api]") {
    expect_wrong({R"({"id":"a b"})", ErrorCode::kInvalidId, "/id", "1 to 128 of A-Z"});
    expect_wrong({R"({"id":".."})", ErrorCode::kInvalidId, "/id", "not . or .."});
    expect_wrong({R"({"parent":"a/b"})", kWrongValue, "/parent", "must be a session id"});
    expect_wrong({R"({"id":"a b","parent":"a/b","policy":{"stats_every":1001}})", kWrongValue,
                  "/policy/stats_every", "must be at most 1000"});
    const std::string longest(128, 'x');
    CHECK(opened_by(R"({"id":")" + longest + R"(","parent":")" + longest + R"("})").has_value());
}

TEST_CASE("decode open: labels are sorted by key, however they came", "[api]") {
    const auto one = opened_by(R"({"labels":{"c":"1","a":"3","b":"2"}})");
    const auto other = opened_by(R"({"labels":{"b":"2","c":"1","a":"3"}})");
    require_ok(one);
    CHECK((one->about.labels == std::vector<Label>{{"a", "3"}, {"b", "2"}, {"c", "1"}}));
    CHECK(other->about == one->about);
}

TEST_CASE("decode open: what is no JSON is refused as such", "[api]") {
    for (const char* body : {"{", " ", "{}{}", R"({"id":"a","id":"b"})"}) {
        CAPTURE(body);
        CHECK(code_of(opened_by(body)) == ErrorCode::kInvalidJson);
    }
}

TEST_CASE("decode recording: the opening and events have times of their own", "[api]") {
    JsonDocument document;
    const auto part = headway::api::decode_recording(document, R"([
        {"type":"session.started","at":"2026-11-27T22:00:00.000Z",
         "data":{"goal":"g","agent":{"type":"claude"},"parent":"p","labels":{"b":"2","a":"1"}}},
        {"type":"message","at":"2026-11-27T22:00:04.120Z","event_id":"1","data":{"text":"hi"}},
        {"type":"session.ended","data":{"outcome":"failed"}}])");
    require_ok(part);
    REQUIRE(part->about.has_value());
    CHECK(part->about->recorded);
    CHECK(part->about->parent == "p");
    CHECK(part->about->labels == std::vector<Label>{{"a", "1"}, {"b", "2"}});
    REQUIRE(part->events.size() == 2);
    CHECK(part->events[0].at - part->opened_at == Millis{4120});
    CHECK(part->events[1].at == kNever);
}

TEST_CASE("decode recording: a wrong part is refused with the place of the fault", "[api]") {
    const std::string start = R"({"type":"session.started","at":"2026-11-27T22:00:00.000Z"})";
    const struct {
        std::string body;
        ErrorCode code;
        const char* field;
    } cases[] = {
        {"{}", ErrorCode::kInvalidField, ""},
        {"[]", ErrorCode::kEmptyReport, ""},
        {"[1]", ErrorCode::kInvalidField, "/0"},
        {R"([{"type":"session.started","data":{"goal":1}}])", ErrorCode::kInvalidField,
         "/0/data/goal"},
        {"[" + start + "," + start + "]", ErrorCode::kInvalidField, "/1/type"},
        {R"([{"type":"session.started","at":"2026-11-27T22:00:00.000Z","data":{"parent":"a b"}}])",
         ErrorCode::kInvalidField, "/0/data/parent"},
        {R"([{"type":"session.started","at":"2026-11-27T22:00:00.000Z","data":{"budget":{}}}])",
         ErrorCode::kUnknownField, "/0/data/budget"},
        {"[" + start + R"(,{"type":"approval.requested","data":{"tool":"t","args":{}}}])",
         ErrorCode::kInvalidField, "/1/type"},
        {R"([{"type":"heartbeat","at":"yesterday","data":{}}])", ErrorCode::kInvalidField, "/0/at"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.body);
        JsonDocument document;
        const auto part = headway::api::decode_recording(document, c.body);
        CHECK(code_of(part) == c.code);
        CHECK(part.error().field == c.field);
    }
}

TEST_CASE("decode recording: a report has no time of its own", "[api]") {
    JsonDocument document;
    const auto report = headway::api::decode_report(
        document, R"({"type":"heartbeat","at":"2026-11-27T22:00:00.000Z","data":{}})",
        headway::api::BodyFormat::kJson);
    CHECK(code_of(report) == ErrorCode::kUnknownField);
}
