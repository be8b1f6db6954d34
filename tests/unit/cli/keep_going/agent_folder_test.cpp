// SPDX-License-Identifier: Apache-2.0
#include "cli/keep_going/agent_folder.hpp"

#include <catch2/catch.hpp>

using namespace headway::cli;

TEST_CASE("agent folder: it is that of the agent's own option, however it is written", "[cli]") {
    CHECK(named_folder({"codex", "exec", "-C", "../wt", "x"}) == "../wt");
    CHECK(named_folder({"/bin/codex", "exec", "--cd=../wt", "x"}) == "../wt");
    CHECK(named_folder({"codex", "-C../wt", "exec", "x"}) == "../wt");
    CHECK(named_folder({"opencode", "run", "--dir", "/wt", "x"}) == "/wt");
    CHECK(named_folder({"kilo", "run", "--dir=/wt", "x"}) == "/wt");
    CHECK(named_folder({"qwen", "--cwd", "/wt", "-p", "x"}) == "/wt");
    CHECK(named_folder({"copilot", "-C", "/wt", "-p", "x"}) == "/wt");
    CHECK(named_folder({"cline", "--json", "-c", "/wt", "x"}) == "/wt");
}

TEST_CASE("agent folder: no other word is one", "[cli]") {
    CHECK(named_folder({"codex", "exec", "x"}).empty());
    CHECK(named_folder({"codex", "exec", "-m", "-C", "x"}).empty());
    CHECK(named_folder({"codex", "exec", "--", "-C", "x"}).empty());
    CHECK(named_folder({"claude", "-p", "-c", "x"}).empty());
    CHECK(named_folder({"make", "-C", "x"}).empty());
    CHECK(named_folder({}).empty());
}

TEST_CASE("agent folder: a call for JSON lines is known by the agent's own option", "[cli]") {
    CHECK(called_for_lines({"claude", "-p", "--output-format", "stream-json", "x"}) == "claude");
    CHECK(called_for_lines({"/bin/claude", "-p", "--output-format=stream-json"}) == "claude");
    CHECK(called_for_lines({"gemini", "-o", "stream-json", "-p", "x"}) == "gemini");
    CHECK(called_for_lines({"qwen", "--output-format", "stream-json", "-p", "x"}) == "qwen");
    CHECK(called_for_lines({"codex", "-m", "o", "exec", "--json", "x"}) == "codex");
    CHECK(called_for_lines({"opencode", "run", "--format", "json", "x"}) == "opencode");
    CHECK(called_for_lines({"kilo", "run", "--format=json", "x"}) == "kilo");
    CHECK(called_for_lines({"copilot", "-p", "x", "--output-format", "json"}) == "copilot");
    CHECK(called_for_lines({"cline", "--json", "x"}) == "cline");
    CHECK(called_for_lines({"cursor-agent", "-p", "--output-format", "stream-json"}) == "cursor");
    CHECK(called_for_lines({"pi", "--mode", "json", "x"}) == "pi");
    CHECK(called_for_lines({"claude", "-p", "--output-format", "json", "x"}).empty());
    CHECK(called_for_lines({"claude", "-p", "x"}).empty());
    CHECK(called_for_lines({"claude", "--output-format", "stream-json", "--help"}).empty());
    CHECK(called_for_lines({"opencode", "models", "--format", "json"}).empty());
    CHECK(called_for_lines({"codex", "exec", "--", "--json"}).empty());
    CHECK(called_for_lines({"sh", "-c", "codex exec --json"}).empty());
}

TEST_CASE("agent folder: a command without a prompt is no run that owes lines", "[cli]") {
    CHECK(called_for_lines({"gemini", "-o", "stream-json", "--list-sessions"}).empty());
    CHECK(called_for_lines({"gemini", "-o", "stream-json", "--list-extensions"}).empty());
    CHECK(called_for_lines({"gemini", "-o", "stream-json", "--delete-session", "2"}).empty());
    CHECK(called_for_lines({"pi", "--mode", "json", "--list-models", "sonnet"}).empty());
    CHECK(called_for_lines({"pi", "--mode", "json", "--export", "a.jsonl"}).empty());
    CHECK(called_for_lines({"cline", "history", "--json"}).empty());
    CHECK(called_for_lines({"claude", "-v", "--output-format", "stream-json"}).empty());
    CHECK(called_for_lines({"codex", "exec", "-V", "--json"}).empty());
    CHECK(called_for_lines({"copilot", "--output-format", "json"}).empty());
    CHECK(called_for_lines({"cline", "--json", "history of the file"}) == "cline");
    CHECK(called_for_lines({"codex", "exec", "--json"}) == "codex");  // from standard input
    CHECK(called_for_lines({"codex", "exec", "resume", "id", "--json"}) == "codex");
    CHECK(called_for_lines({"qwen", "-o", "stream-json", "list files"}) == "qwen");
}

TEST_CASE("agent folder: the option for JSON lines is found without a prompt, too", "[cli]") {
    CHECK(names_lines({"qwen", "-o", "stream-json", "-y"}));
    CHECK(names_lines({"gemini", "--output-format=stream-json"}));
    CHECK_FALSE(names_lines({"gemini", "-o", "json", "-p", "x"}));
    CHECK_FALSE(names_lines({"codex", "exec", "--", "--json"}));
    CHECK_FALSE(names_lines({"sh", "-c", "qwen -o stream-json"}));
    CHECK_FALSE(names_lines({}));
}

TEST_CASE("agent folder: an option that makes one at each start is found", "[cli]") {
    CHECK(fresh_folder_option({"claude", "-p", "-w", "x"}) == "-w");
    CHECK(fresh_folder_option({"claude", "-p", "x", "--worktree=a"}) == "--worktree=a");
    CHECK(fresh_folder_option({"claude", "-pw", "x"}) == "-pw");
    CHECK(fresh_folder_option({"claude", "-wname", "-p", "x"}) == "-wname");
    CHECK(fresh_folder_option({"gemini", "-w", "-p", "x"}) == "-w");
    CHECK(fresh_folder_option({"qwen", "--worktree", "-p", "x"}) == "--worktree");
    CHECK(fresh_folder_option({"kilo", "run", "--parallel", "x"}) == "--parallel");
    CHECK(fresh_folder_option({"claude", "-p", "--append-system-prompt", "-w"}).empty());
    CHECK(fresh_folder_option({"claude", "-p", "--", "-w"}).empty());
    CHECK(fresh_folder_option({"claude", "-rw", "-p", "--verbose", "x"}).empty());
    CHECK(fresh_folder_option({"gemini", "-p", "-w"}).empty());
    CHECK(fresh_folder_option({"opencode", "run", "-w", "x"}).empty());
}
