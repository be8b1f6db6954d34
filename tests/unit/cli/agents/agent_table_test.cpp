// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agent_table.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

#include "api/hooks/dialect.hpp"
#include "cli/agents/doctor/hook_probe.hpp"
#include "cli/agents/install/hook_barriers.hpp"
#include "cli/agents/install/own_hooks.hpp"
#include "cli/agents/settings/hook_command.hpp"
#include "cli/agents/settings/text_diff.hpp"
#include "cli/base/json.hpp"

using namespace headway::cli;

namespace {

const HookWay kPlainWay{"http://127.0.0.1:7717", "/usr/bin/headway-hook", false, false, ""};

}  // namespace

TEST_CASE("Each agent has a row that is whole") {
    std::set<std::string_view> names;
    for (const AgentRow& row : agent_rows()) {
        INFO(row.name);
        CHECK(names.insert(row.name).second);
        CHECK(find_agent_row(row.name) == &row);
        CHECK_FALSE(row.title.empty());
        CHECK_FALSE(row.programs.empty());
        CHECK_FALSE(row.packages.empty());
        CHECK(row.user_path.starts_with('.'));
        CHECK(row.project_path.starts_with('.'));
        CHECK(is_tested(row, row.tested_from));
        CHECK(is_tested(row, row.tested_to));
        CHECK_FALSE(is_tested(row, "0.0.1"));
        CHECK_FALSE(is_tested(row, "99.0.0"));
        CHECK(is_tested(row, ""));
        const bool plugin = row.layout == HookLayout::kPlugin;
        CHECK(row.events.empty() == plugin);
        // An agent with its own dialect is posted to it; plugins use the neutral one.
        CHECK((headway::api::hooks::find_dialect(row.name) != nullptr) == !plugin);
    }
    CHECK(find_agent_row("clod") == nullptr);
}

TEST_CASE("Each entry is JSON that is recognised as ours, and of no other agent") {
    HookWay way{"https://host.example:1/x", "/opt/my tools'/headway-hook", true, true,
                "Bash|Write"};
    for (const AgentRow& row : agent_rows()) {
        for (const HookEntry& entry : hook_entries(row, way)) {
            INFO(entry.json);
            REQUIRE(Json::parse(entry.json));
        }
        if (row.layout == HookLayout::kScripts || row.layout == HookLayout::kPlugin) continue;
        const auto text = with_own_hooks(row, "", hook_entries(row, way), false);
        REQUIRE(text);
        const auto settings = SettingsText::parse(*text);
        REQUIRE(settings);
        CHECK(own_hooks(row, *settings).size() == hook_entries(row, way).size());
        for (const AgentRow& other : agent_rows())
            if (other.name != row.name) CHECK(own_hooks(other, *settings).empty());
        CHECK(is_bare(row, *without_own_hooks(row, *text)));
        const auto state = own_hooks_state(row, *text, hook_entries(row, way));
        REQUIRE(state);
        CHECK(state->missing.empty());
        CHECK(state->others == 0);
        CHECK(own_hooks_state(row, *text, hook_entries(row, kPlainWay))->others > 0);
    }
}

TEST_CASE("A command is ours when it runs headway-hook for the agent") {
    CHECK(is_hook_command("headway-hook claude", "claude"));
    CHECK(is_hook_command("/usr/bin/headway-hook  claude --require", "claude"));
    CHECK(is_hook_command("'/opt/my tools/headway-hook' claude", "claude"));
    CHECK(is_hook_command("'/opt/it'\\''s/headway-hook' claude || true", "claude"));
    CHECK(is_hook_command("\"/opt/my tools/headway-hook\" claude", "claude"));
    CHECK(is_hook_command("/opt/my\\ tools/headway-hook claude", "claude"));
    CHECK_FALSE(is_hook_command("headway-hook codex", "claude"));
    CHECK_FALSE(is_hook_command("headway-hook", "claude"));
    CHECK_FALSE(is_hook_command("headway-hook claudette", "claude"));
    CHECK_FALSE(is_hook_command("my-headway-hook claude", "claude"));
    CHECK_FALSE(is_hook_command("env A=1 headway-hook claude", "claude"));
    CHECK_FALSE(is_hook_command("echo headway-hook claude", "claude"));
    CHECK_FALSE(is_hook_command("", "claude"));
    CHECK_FALSE(is_hook_command("'headway-hook claude", "claude"));
}

TEST_CASE("A command names its daemon") {
    CHECK(url_in_command("'/a b/headway-hook' gemini --url 'http://h:1' || true") == "http://h:1");
    CHECK(url_in_command("headway-hook gemini") == "");
    CHECK(url_in_command("headway-hook gemini --url") == "");
}

TEST_CASE("A URL is ours by its path") {
    CHECK(is_hook_url("http://127.0.0.1:7717/v1/hooks/claude", "claude"));
    CHECK(is_hook_url("https://h/x/v1/hooks/claude?require=1", "claude"));
    CHECK(is_required_url("https://h/x/v1/hooks/claude?require=1"));
    CHECK_FALSE(is_hook_url("http://127.0.0.1:7717/v1/hooks/codex", "claude"));
    CHECK_FALSE(is_hook_url("http://127.0.0.1:7717/v1/hooks/claude/x", "claude"));
    CHECK_FALSE(is_hook_url("/v1/hooks/claude", "claude"));
}

TEST_CASE("A version is found in what a program prints") {
    CHECK(version_in("2.1.330 (Claude Code)") == "2.1.330");
    CHECK(version_in("codex-cli 0.169.0\n") == "0.169.0");
    CHECK(version_in("node 22, cli v3.0.65.") == "3.0.65");
    CHECK(version_in("v22") == "");
    CHECK(version_in("3.14") == "");
    CHECK(version_in("") == "");
}

TEST_CASE("A hook that is no object is passed over") {
    const AgentRow& row = *find_agent_row("claude");
    const auto settings = SettingsText::parse(
        R"({"hooks":{"Stop":[1,{"hooks":[2,{"command":3},[]]},{"hooks":{}}],"Pre":"x"}})");
    REQUIRE(settings);
    CHECK(own_hooks(row, *settings, true).empty());
}

TEST_CASE("A diff has the lines around a change") {
    CHECK(unified_diff("f", "a\nb\n", "a\nb\n") == "");
    CHECK(unified_diff("f", "", "a\n") == "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n");
    CHECK(unified_diff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n") ==
          "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
    CHECK(unified_diff("f", "a", "a\nb\n") ==
          "--- f\n+++ f\n@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n");
    CHECK(unified_diff("f", "a\n", "\x1b[31ma\n").find('\x1b') == std::string::npos);
    std::string many;
    for (int i = 0; i < 3000; ++i)
        many += std::to_string(i) + "\n";
    CHECK(unified_diff("f", "", many) == "--- f\n+++ f\nmore than 2,000 lines differ\n");
    CHECK(unified_diff("f", many, "") == "--- f\n+++ f\nmore than 2,000 lines differ\n");
    CHECK(unified_diff("f", std::string("a\0b\n", 4), "c\n").ends_with("\n+c\n"));
}

TEST_CASE("A diff without the program that makes it is the new text, and says so") {
    const std::string path = ::getenv("PATH");
    ::setenv("PATH", "/nonexistent", 1);
    const std::string shown = unified_diff("f", "a\nb\n", "a\n\tc\n");
    ::setenv("PATH", path.c_str(), 1);
    CHECK(shown ==
          "--- f\n+++ f\n`diff` of the package diffutils cannot be run; the new text is:\n+a\n+    "
          "c\n");
}

TEST_CASE("A pattern names URLs with a star for any text") {
    CHECK(names_url("http://127.0.0.1:7717/v1/hooks/claude",
                    "http://127.0.0.1:7717/v1/hooks/claude"));
    CHECK(names_url("http://127.0.0.1:7717/*", "http://127.0.0.1:7717/v1/hooks/claude"));
    CHECK(names_url("*", "http://h/x"));
    CHECK(names_url("*/v1/*/claude", "http://h/v1/v1/hooks/claude"));
    CHECK(names_url("http://*:7717/**", "http://h:7717/"));
    CHECK_FALSE(names_url("https://*", "http://h/x"));
    CHECK_FALSE(names_url("http://h", "http://h/x"));
    CHECK_FALSE(names_url("", "http://h/x"));
    CHECK_FALSE(names_url("*y", "http://h/x"));
}

TEST_CASE("A command says what it runs and whether it requires an answer") {
    CHECK(is_required_command("'/a b/headway-hook' claude --url http://h:1 --require"));
    CHECK_FALSE(is_required_command("headway-hook claude --url '--require x'"));
    CHECK(program_in_command("'/a b/headway-hook' claude") == "/a b/headway-hook");
    CHECK(program_in_command("exec /opt/headway-hook cline") == "/opt/headway-hook");
    CHECK(program_in_command("") == "");
}

TEST_CASE("Hooks are all commands where requests are barred, and are read as such") {
    for (const char* name : {"claude", "qwen"}) {
        const AgentRow& row = *find_agent_row(name);
        HookWay way = kPlainWay;
        way.commands = true;
        way.require = "Bash";
        const std::string text = with_own_hooks(row, "", hook_entries(row, way), false).value();
        CHECK(text.find("\"http\"") == std::string::npos);
        CHECK(way_of_own_hooks(row, text, kPlainWay).commands);
        if (row.name == "claude") CHECK(required_matcher(row, text) == "Bash");
        const std::string by_request =
            with_own_hooks(row, "", hook_entries(row, kPlainWay), false).value();
        CHECK_FALSE(way_of_own_hooks(row, by_request, way).commands);
        CHECK_FALSE(required_matcher(row, by_request));
    }
}

TEST_CASE("A goal stands in the hook at the end of a turn, and is read from there") {
    HookWay way = kPlainWay;
    way.until = "make 'the test' && true";
    for (const AgentRow& row : agent_rows()) {
        INFO(row.name);
        if (!takes_goal(row)) continue;
        const std::string text = with_own_hooks(row, "", hook_entries(row, way), false).value();
        CHECK(goal_of_own_hooks(row, text) == way.until);
        CHECK(way_of_own_hooks(row, text, kPlainWay).until == way.until);
        CHECK_FALSE(way_of_own_hooks(row, text, kPlainWay).commands);
        const auto entries = hook_entries(row, way);
        const auto with = std::count_if(entries.begin(), entries.end(), [](const HookEntry& e) {
            return e.json.find("--until") != std::string::npos;
        });
        CHECK(with == 1);
        const std::string none =
            with_own_hooks(row, text, hook_entries(row, kPlainWay), false).value();
        CHECK(goal_of_own_hooks(row, none).empty());
    }
    std::string those;
    for (const AgentRow& row : agent_rows())
        if (takes_goal(row)) those += std::string{row.name} + " ";
    CHECK(those == "claude qwen codex gemini copilot ");
}

TEST_CASE("An answer to a probe says what is wrong") {
    const HookProbe claude{"claude", "claude", "http://h:7717", ""};
    const HookProbe plugin{"pi", "generic", "http://h:7717", "hw_x"};
    const auto problem = [](int status, const std::string& code, const std::string& field) {
        return HttpReply{status, R"({"code":")" + code + R"(","field":")" + field + "\"}", {}, {}};
    };
    CHECK(judge_probe(claude, {200, "{}", {}, {}}).ok);
    CHECK(judge_probe(plugin, problem(400, "invalid_field", "body")).ok);
    CHECK_FALSE(judge_probe(claude, problem(400, "invalid_field", "body")).ok);
    CHECK_FALSE(judge_probe(plugin, problem(400, "invalid_field", "agent")).ok);
    CHECK_FALSE(judge_probe(plugin, {400, "Bad Request", {}, {}}).ok);
    CHECK_FALSE(judge_probe(claude, {200, "<html>", {}, {}}).ok);
    const auto mentions = [](const Finding& finding, std::string_view words) {
        CHECK_FALSE(finding.ok);
        CHECK_FALSE(finding.fix.empty());
        CHECK(finding.detail.find(words) != std::string::npos);
    };
    mentions(judge_probe(claude, {0, "", "refused", {}}), "none answers");
    mentions(judge_probe(claude, problem(401, "unauthorized", "")), "the hooks show none");
    mentions(judge_probe(plugin, problem(401, "unauthorized", "")), "does not know the one");
    mentions(judge_probe(plugin, problem(403, "forbidden", "")), "does not let this token report");
    mentions(judge_probe(claude, problem(404, "unknown_route", "agent")), "older version");
    mentions(judge_probe(claude, problem(421, "unknown_host", "Host")), "Host \"h:7717\"");
    mentions(judge_probe(claude, problem(429, "too_many", "")), "too many wrong tokens");
    mentions(judge_probe(claude, problem(503, "overloaded", "")), "answers 503 (overloaded)");
    mentions(judge_probe(claude, {404, "nothing here", {}, {}}), "no Headway daemon answers");
}

TEST_CASE("A version that does not load the plugin is known") {
    const AgentRow row = opencode_row();
    CHECK(is_too_new(row, "2.2.5"));
    CHECK(is_too_new(row, "2.0.0"));
    CHECK_FALSE(is_too_new(row, "1.19.0"));
    CHECK_FALSE(is_too_new(row, ""));
    CHECK_FALSE(is_too_new(claude_row(), "9.0.0"));
}

TEST_CASE("A version is older than another one by its numbers") {
    CHECK(is_older("0.9.1", "0.61.0"));
    CHECK(is_older("2.1.99", "2.1.197"));
    CHECK_FALSE(is_older("2.1.197", "2.1.197"));
    CHECK_FALSE(is_older("", "1.0.0"));
    CHECK_FALSE(is_older("1.0.0", ""));
}
