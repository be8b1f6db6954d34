// SPDX-License-Identifier: Apache-2.0
#include "core/calls/tool_class.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "core/values/policy.hpp"

using namespace headway::core;

TEST_CASE("tool class: the tools of different agents are of one class", "[core]") {
    for (const char* shell :
         {"Bash", "bash", "run_shell_command", "exec_command", "local_shell", "Monitor",
          "write_bash", "write_powershell", "shell_command", "exec", "js_repl"})
        CHECK(class_of_tool(shell) == "class:shell");
    for (const char* edit :
         {"Edit", "Write", "apply_patch", "replace", "write_file", "MultiEdit", "delete", "move"})
        CHECK(class_of_tool(edit) == "class:edit");
    for (const char* read :
         {"Read", "Glob", "grep", "read_file", "list_directory", "read_files", "search_codebase"})
        CHECK(class_of_tool(read) == "class:read");
    for (const char* web : {"WebFetch", "web_search", "google_web_search"})
        CHECK(class_of_tool(web) == "class:web");
    for (const char* agent : {"Task", "Agent", "spawn_agent", "delegate_to_agent", "use_subagents"})
        CHECK(class_of_tool(agent) == "class:agent");
    for (const char* mcp : {"mcp__github__create_issue", "use_mcp_tool"})
        CHECK(class_of_tool(mcp) == "class:mcp");
}

TEST_CASE("tool class: other names are of none", "[core]") {
    CHECK(class_of_tool("").empty());
    CHECK(class_of_tool("deploy").empty());
    CHECK(class_of_tool("bash2").empty());
    CHECK(class_of_tool(std::string(1'000, '_') + "bash").empty());
    CHECK(is_tool_class("class:shell"));
    CHECK_FALSE(is_tool_class("class:"));
    CHECK_FALSE(is_tool_class("shell"));
    CHECK_FALSE(rule_covers("", "deploy"));
    CHECK(rule_covers("class:shell", "Bash"));
    CHECK(rule_covers("Bash", "Bash"));
    CHECK_FALSE(rule_covers("Bash", "bash"));
}

TEST_CASE("tool class: what claude-code-acp serves is what it stands for", "[core]") {
    CHECK(class_of_tool("mcp__acp__Edit") == "class:edit");
    CHECK(class_of_tool("mcp__acp__Write") == "class:edit");
    CHECK(class_of_tool("mcp__acp__Bash") == "class:shell");
    CHECK(class_of_tool("mcp__acp__BashOutput") == "class:shell");
    CHECK(class_of_tool("mcp__acp__Read") == "class:read");
    CHECK(class_of_tool("mcp__acp__other") == "class:mcp");
    CHECK(class_of_tool("mcp__acp2__Bash") == "class:mcp");
    for (const char* rule : {"class:edit", "class:mcp", "Edit", "mcp__acp__Edit"})
        CHECK(rule_covers(rule, "mcp__acp__Edit"));
}

TEST_CASE("tool class: a tool of several names is in the classes of all", "[core]") {
    CHECK(class_of_tool("Read (execute)") == "class:shell");
    CHECK(class_of_tool("notes (read, delete)") == "class:edit");
    CHECK(class_of_tool("notes (new)").empty());
    for (const char* rule : {"class:read", "class:shell", "Read", "execute", "Read (execute)"})
        CHECK(rule_covers(rule, "Read (execute)"));
    CHECK_FALSE(rule_covers("class:edit", "Read (execute)"));
    // A rule that lets calls run has to cover the harshest.
    CHECK(rule_lets("class:shell", "Read (execute)"));
    CHECK_FALSE(rule_lets("class:read", "Read (execute)"));
    CHECK_FALSE(rule_lets("Read", "Read (execute)"));
    CHECK_FALSE(rule_lets("", "Read (execute)"));
}

TEST_CASE("tool class: a rule that begins as a class does is one, in the exact spelling",
          "[core]") {
    for (const char* right : {"class:shell", "class:edit", "class:read", "class:web", "class:agent",
                              "class:mcp", "Bash", "", "classify", "my class:shell", "class"})
        CHECK(wrong_tool_rule(right).empty());
    for (const char* wrong :
         {"class:", "class:shel", "Class:shell", "CLASS:EDIT", "class: shell", "class:shell ",
          " class:shell", "class:bogus", "class:shell,class:web"}) {
        CAPTURE(wrong);
        CHECK_THAT(wrong_tool_rule(wrong),
                   Catch::StartsWith("\"" + std::string{wrong} +
                                     "\" is no class of tools; known are "
                                     "class:shell, class:edit, class:read, class:web, class:agent, "
                                     "class:mcp"));
    }
    CHECK_THAT(wrong_tool_rule("Class:Shel"), Catch::EndsWith("; did you mean `class:shell`?"));
    CHECK(wrong_tool_rule("class:" + std::string(100'000, 'x')).size() < 300);
}

TEST_CASE("tool class: a rule that is a pattern covers no tool", "[core]") {
    for (const char* right : {"mcp__github__delete_repo", "Read (execute, edit)", "fs:read"})
        CHECK(wrong_tool_rule(right).empty());
    CHECK(wrong_tool_rule("Bash(rm:*)") ==
          "\"Bash(rm:*)\" is no name of a tool, and no tool would match it; write the exact name, "
          "as \"Bash\", for all its calls, or a class, as class:shell");
    for (const char* wrong : {"mcp__*", "Bash|Edit", "/^Bash/", "Bash;Edit"})
        CHECK_THAT(wrong_tool_rule(wrong), Catch::Contains("no tool would match it"));
    CHECK(wrong_tool_rule("*" + std::string(100'000, 'x')).size() < 300);
}

TEST_CASE("tool class: an entry of a class holds for its tools, one of a name before it",
          "[core]") {
    Policy policy;
    ToolPolicy of_class;
    of_class.tool = "class:shell";
    of_class.patience = 3;
    of_class.time_limit_ms = 1'000;
    ToolPolicy of_name;
    of_name.tool = "exec_command";
    of_name.patience = 5;
    of_name.time_limit_ms = 9'000;
    policy.tools = {of_class, of_name};
    CHECK(policy.tool("Bash")->patience == 3);
    CHECK(policy.tool("exec_command")->patience == 5);
    CHECK(policy.tool("Read") == nullptr);
    // The longer limit of a name lifts that of its class no more than a policy lifts the floor.
    CHECK(policy.time_limit("exec_command") == Millis{1'000});
    CHECK(policy.time_limit("Read") == policy.tool_time_limit);
}
