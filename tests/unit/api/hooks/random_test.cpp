// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "api/hooks/dialect.hpp"
#include "tests/support/gen.hpp"
#include "tests/unit/api/hooks/fixtures.hpp"
#include "tests/unit/api/hooks/hook_text.hpp"

// Bodies that no agent sends. HEADWAY_SEED=new tries others, HEADWAY_LONG=1 more.

using namespace headway;
using namespace headway::api::hooks;
using namespace headway::tests;

namespace {

constexpr std::size_t kReplyBytesMax = 4 * kReplyTextBytesMax;

std::size_t rounds() {
    return long_run() ? 200'000 : 4'000;
}

HookReply random_reply(Gen& gen) {
    HookReply reply;
    const auto words = [&gen] { return gen.chance(2) ? gen.utf8(gen.below(40)) : std::string{}; };
    reply.deny = words();
    reply.allow = words();
    reply.context = gen.chance(5) ? gen.utf8(5000) : words();
    reply.system = words();
    reply.stop = gen.chance(4) ? words() : "";
    reply.stop_hard = gen.chance(4);
    reply.undecided = gen.chance(4);
    if (gen.chance(4)) reply.edit_json = R"({"command":"true"})";
    return reply;
}

bool is_valid(const HookCall& call) {
    const bool failed = call.ok.has_value() && !*call.ok;
    return call.tool.size() <= kHookNameBytesMax && call.call.size() <= kHookNameBytesMax &&
           (!failed || call.result.empty()) && (call.error_class.empty() || failed);
}

/// Whatever the body: bounded names, a reply that is one JSON object, `{}` for what is not known.
void check_body(const Dialect& dialect, std::string_view body, Gen& gen) {
    api::JsonDocument document;
    if (!document.parse(body)) return;
    const Hook hook = dialect.parse(document.root(), {});
    INFO(dialect.name << " " << body.substr(0, 2000));
    CHECK((hook.kind == HookKind::kNone || !hook.session.empty()));
    CHECK(hook.session.size() <= kHookNameBytesMax);
    CHECK(is_valid(hook.call));
    CHECK(std::all_of(hook.calls.begin(), hook.calls.end(), is_valid));
    CHECK_FALSE(hook_text(hook).empty());

    CHECK(dialect.render(hook, {}) == "{}");
    const HookReply reply = random_reply(gen);
    const std::string answer = dialect.render(hook, reply);
    if (hook.kind == HookKind::kNone) CHECK(answer == "{}");
    CHECK(answer.size() <= kReplyBytesMax * 2);
    api::JsonDocument again;
    require_ok(again.parse(answer));
    CHECK(again.root().kind() == api::JsonKind::kObject);
    CHECK(answer.find("\"ask\"") == std::string::npos);
}

/// A value or a piece of text is put in the place of another.
std::string mutated(std::string body, Gen& gen) {
    static constexpr std::array<std::string_view, 10> kPieces{
        "null", "7", "-1", "1e300", "{}", "[]", "\"\"", "\"x\"", "true", "[{\"text\":1},{}]"};
    for (std::uint64_t i = 1 + gen.below(4); i > 0; --i) {
        const std::size_t colon = body.find(": ", gen.index(body.size()));
        if (colon == std::string::npos) continue;
        const std::size_t begin = colon + 2;
        std::size_t end = body.find_first_of(",\n", begin);
        if (end == std::string::npos) end = body.size();
        const char first = body[begin];
        if (first == '{' || first == '[') {
            end = begin;  // before it: not JSON any more, mostly
        } else if (end > begin && body[end] == ',' && first == '"') {
            end = std::max(body.find("\",\n", begin), begin);
            if (end == std::string::npos) continue;
            ++end;
        }
        body.replace(begin, end - begin, kPieces[gen.index(kPieces.size())]);
    }
    return body;
}

/// Random JSON under the names that the dialects ask for.
std::string random_body(Gen& gen) {
    static constexpr std::string_view kNames[] = {
        "session_id",     "sessionId",   "session",         "taskId",     "hook_event_name",
        "hookName",       "event",       "tool_name",       "tool_input", "tool_response",
        "tool_calls",     "tool_use_id", "tool_call_id",    "toolName",   "toolArgs",
        "toolResult",     "error",       "prompt",          "tool_call",  "tool_result",
        "llm_response",   "usage",       "calls",           "mutated",    "background_tasks",
        "sessionContext", "agent_id",    "parent_agent_id", "iteration",  "result"};
    static constexpr std::string_view kValues[] = {
        "\"s\"",          "\"PreToolUse\"", "\"PostToolUse\"",  "\"PostToolBatch\"",
        "\"BeforeTool\"", "\"AfterTool\"",  "\"AfterModel\"",   "\"tool_call\"",
        "\"pre\"",        "\"batch\"",      "\"tool_result\"",  "\"permissionRequest\"",
        "\"Stop\"",       "\"agent_end\"",  "\"SubagentStop\"", "\"PermissionRequest\""};
    std::string out = "{";
    for (const std::string_view name : kNames) {
        if (gen.chance(2)) continue;
        if (out.size() > 1) out.push_back(',');
        api::append_json_string(out, name);
        out.push_back(':');
        out += gen.chance(2) ? std::string{gen.pick(kValues)} : gen.json();
    }
    return out + "}";
}

}  // namespace

TEST_CASE("hooks: random JSON is read or left, and answered with an object", "[api][hooks]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (std::size_t i = 0; i < rounds(); ++i) {
        const std::string body = gen.chance(3) ? gen.json(4) : random_body(gen);
        for (const Dialect* dialect : all_dialects())
            check_body(*dialect, body, gen);
    }
}

TEST_CASE("hooks: changed bodies of agents are read or left", "[api][hooks]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    const std::vector<Fixture> fixtures = all_fixtures();
    std::vector<std::string> bodies;
    bodies.reserve(fixtures.size());
    for (const Fixture& fixture : fixtures)
        bodies.push_back(read_whole(fixture.path));
    for (std::size_t i = 0; i < rounds(); ++i) {
        const std::size_t which = gen.index(fixtures.size());
        const std::string body = mutated(bodies[which], gen);
        check_body(*fixtures[which].dialect, body, gen);
        // A body of another agent: the route was set up wrongly.
        check_body(*all_dialects()[gen.index(all_dialects().size())], body, gen);
    }
}
