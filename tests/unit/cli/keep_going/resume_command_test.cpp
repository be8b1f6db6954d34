// SPDX-License-Identifier: Apache-2.0
#include "cli/keep_going/resume_command.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace headway::cli;
using Words = std::vector<std::string>;

namespace {

Words resumed(const Words& first, const char* agent) {
    const auto command = resume_command(first, agent, "ID", "Go on.");
    INFO((command ? std::string{} : command.error().detail));
    REQUIRE(command.has_value());
    return *command;
}

}  // namespace

TEST_CASE("resume command: flags stay, the prompt and the conversation are replaced", "[cli]") {
    CHECK(resumed({"claude", "-p", "--dangerously-skip-permissions", "--model", "opus", "Fix it"},
                  "claude") == Words{"claude", "-p", "--dangerously-skip-permissions", "--model",
                                     "opus", "--resume", "ID", "Go on."});
    CHECK(resumed({"/usr/bin/claude", "-p", "Fix it", "--session-id", "old"}, "claude") ==
          Words{"/usr/bin/claude", "-p", "--resume", "ID", "Go on."});
    CHECK(resumed({"codex", "exec", "--json", "-m", "gpt-5.5", "Fix it"}, "codex") ==
          Words{"codex", "exec", "--json", "-m", "gpt-5.5", "resume", "ID", "Go on."});
    CHECK(resumed({"codex", "exec", "--json", "resume", "old", "Fix it"}, "codex") ==
          Words{"codex", "exec", "--json", "resume", "ID", "Go on."});
    CHECK(resumed({"kilo", "run", "--format", "json", "Fix it"}, "opencode") ==
          Words{"kilo", "run", "--format", "json", "-s", "ID", "Go on."});
    CHECK(resumed({"codex", "exec", "resume", "old", "--json", "-m", "o3", "Fix it"}, "codex") ==
          Words{"codex", "exec", "--json", "-m", "o3", "resume", "ID", "Go on."});
    CHECK(resumed({"codex", "exec", "-s", "read-only", "resume", "--last", "--json", "Fix it"},
                  "codex") ==
          Words{"codex", "exec", "-s", "read-only", "--json", "resume", "ID", "Go on."});
    CHECK(resumed({"gemini", "--yolo", "-p", "Fix it", "-m", "pro"}, "gemini") ==
          Words{"gemini", "--yolo", "-m", "pro", "--resume", "ID", "-p", "Go on."});
    CHECK(resumed({"qwen", "Fix it"}, "qwen") == Words{"qwen", "--resume", "ID", "-p", "Go on."});
    CHECK(resumed({"opencode", "run", "--format", "json", "Fix it"}, "opencode") ==
          Words{"opencode", "run", "--format", "json", "-s", "ID", "Go on."});
    CHECK(resumed({"copilot", "--allow-all", "--prompt=Fix it"}, "copilot") ==
          Words{"copilot", "--allow-all", "--resume=ID", "-p", "Go on."});
    CHECK(resumed({"pi", "--mode", "json", "-p", "Fix it"}, "pi") ==
          Words{"pi", "--mode", "json", "-p", "--session", "ID", "Go on."});
}

TEST_CASE("resume command: no flag leads to another conversation than the one that ended",
          "[cli]") {
    CHECK(resumed({"claude", "-p", "-c", "--fork-session", "Fix it"}, "claude") ==
          Words{"claude", "-p", "--resume", "ID", "Go on."});
    CHECK(resumed({"opencode", "run", "--continue", "Fix it"}, "opencode") ==
          Words{"opencode", "run", "-s", "ID", "Go on."});
    CHECK(resumed({"copilot", "--continue", "-p", "Fix it"}, "copilot") ==
          Words{"copilot", "--resume=ID", "-p", "Go on."});
    CHECK(resumed({"pi", "-p", "-c", "Fix it"}, "pi") ==
          Words{"pi", "-p", "--session", "ID", "Go on."});
    // -c of Codex is a setting.
    CHECK(resumed({"codex", "exec", "-c", "a=b", "Fix it"}, "codex") ==
          Words{"codex", "exec", "-c", "a=b", "resume", "ID", "Go on."});
}

TEST_CASE("resume command: neither does one of qwen, nor is a command of opencode run twice",
          "[cli]") {
    CHECK(resumed({"qwen", "--continue", "-p", "Fix it"}, "qwen") ==
          Words{"qwen", "--resume", "ID", "-p", "Go on."});
    CHECK(resumed({"opencode", "run", "--command", "test", "all", "of", "it"}, "opencode") ==
          Words{"opencode", "run", "-s", "ID", "Go on."});
}

TEST_CASE("resume command: an option that takes several words keeps all of them", "[cli]") {
    CHECK(resumed({"claude", "-p", "--disallowedTools", "Bash", "WebFetch", "--verbose"},
                  "claude") == Words{"claude", "-p", "--disallowedTools", "Bash", "WebFetch",
                                     "--verbose", "--resume", "ID", "Go on."});
    CHECK(resumed({"claude", "-p", "Fix it", "--tools", "Read"}, "claude") ==
          Words{"claude", "-p", "--tools", "Read", "--resume", "ID", "Go on."});
    CHECK(resumed({"gemini", "--allowed-tools", "a", "b", "-p", "Fix it"}, "gemini") ==
          Words{"gemini", "--allowed-tools", "a", "b", "--resume", "ID", "-p", "Go on."});
}

TEST_CASE("resume command: the words behind -- are the prompt", "[cli]") {
    CHECK(resumed({"claude", "-p", "--", "-c"}, "claude") ==
          Words{"claude", "-p", "--resume", "ID", "Go on."});
    CHECK_FALSE(resume_command({"claude", "-p", "--", "Fix", "it"}, "claude", "ID", "Go on."));
}

TEST_CASE("resume command: a prompt of several words, and files beside it, are replaced together",
          "[cli]") {
    CHECK(resumed({"opencode", "run", "--format", "json", "Explain", "the", "use", "of", "context",
                   "in", "Go"},
                  "opencode") ==
          Words{"opencode", "run", "--format", "json", "-s", "ID", "Go on."});
    CHECK(resumed({"kilo", "run", "Fix", "it", "--format", "json", "now"}, "kilo") ==
          Words{"kilo", "run", "--format", "json", "-s", "ID", "Go on."});
    CHECK(resumed({"opencode", "run", "--format", "json", "--", "Fix", "it"}, "opencode") ==
          Words{"opencode", "run", "--format", "json", "-s", "ID", "Go on."});
    CHECK(resumed({"pi", "--mode", "json", "-p", "@notes.md", "Fix it"}, "pi") ==
          Words{"pi", "--mode", "json", "-p", "--session", "ID", "Go on."});
    // pi sends several messages one after the other: the later ones would be lost.
    CHECK_FALSE(resume_command({"pi", "-p", "Fix it", "Test it"}, "pi", "ID", "Go on."));
}

TEST_CASE("resume command: beside an option for the prompt, other words are values", "[cli]") {
    CHECK(resumed({"qwen", "--auth-type", "openai", "--openai-api-key", "KEY", "--openai-base-url",
                   "http://127.0.0.1:11434/v1", "-o", "stream-json", "-y", "-p", "Fix"},
                  "qwen") == Words{"qwen", "--auth-type", "openai", "--openai-api-key", "KEY",
                                   "--openai-base-url", "http://127.0.0.1:11434/v1", "-o",
                                   "stream-json", "-y", "--resume", "ID", "-p", "Go on."});
    CHECK(resumed({"qwen", "--openai-api-key", "KEY", "Fix it"}, "qwen") ==
          Words{"qwen", "--openai-api-key", "KEY", "--resume", "ID", "-p", "Go on."});
    CHECK(resumed({"copilot", "--reasoning-effort", "high", "--max-autopilot-continues", "10", "-p",
                   "Fix"},
                  "copilot") == Words{"copilot", "--reasoning-effort", "high",
                                      "--max-autopilot-continues", "10", "--resume=ID", "-p",
                                      "Go on."});
    CHECK(resumed({"gemini", "--prompt=Fix", "--new", "value"}, "gemini") ==
          Words{"gemini", "--new", "value", "--resume", "ID", "-p", "Go on."});
    CHECK_FALSE(resume_command({"gemini", "--new", "value", "Fix"}, "gemini", "ID", "Go on."));
    CHECK_FALSE(resume_command({"gemini", "value", "-p", "Fix"}, "gemini", "ID", "Go on."));
}

TEST_CASE("resume command: what cannot be told is refused with the way out", "[cli]") {
    const auto why = [](const Words& first, const char* agent, const char* id = "ID") {
        const auto command = resume_command(first, agent, id, "Go on.");
        REQUIRE_FALSE(command.has_value());
        CHECK_THAT(command.error().detail, Catch::Contains("--resume-command"));
        return command.error().detail;
    };
    CHECK_THAT(why({"cline", "--json", "Fix it"}, "cline"),
               Catch::Contains("no resume of its own"));
    CHECK_THAT(why({"make"}, ""), Catch::Contains("no line of a known agent"));
    CHECK_THAT(why({"bash", "-c", "claude -p x"}, "claude"),
               Catch::Contains("the command is bash"));
    CHECK_THAT(why({"codex", "Fix it"}, "codex"), Catch::Contains("not codex exec"));
    CHECK_THAT(why({"claude", "-p", "--unknown", "value", "Fix it"}, "claude"),
               Catch::Contains("which word"));
    CHECK_THAT(why({"claude", "-p", "x"}, "claude", ""), Catch::Contains("no conversation"));
    CHECK_THAT(why({"claude", "-p", "x"}, "claude", "--help"), Catch::Contains("no conversation"));
}

TEST_CASE(
    "resume command: a command of one's own gets id and prompt as words, however it quotes them",
    "[cli]") {
    const auto script = [](const std::string& words) {
        const auto command = own_resume_command(words, "a;b", "Go $(on).");
        REQUIRE(command.has_value());
        REQUIRE(command->size() == 6);
        CHECK((*command)[0] == "/bin/sh");
        CHECK((*command)[4] == "a;b");
        CHECK((*command)[5] == "Go $(on).");
        return (*command)[2];
    };
    CHECK(script("./agent --go-on {id} --say {prompt}") ==
          R"(./agent --go-on "${1}" --say "${2}")");
    CHECK(script(R"(./agent "{id}" '{prompt}')") == R"(./agent "${1}" "${2}")");
    CHECK(script(R"(./agent --id={id} "a \" b")") == R"(./agent --id="${1}" "a \" b")");
}

TEST_CASE("resume command: inside quotes with other words an agent's text is refused", "[cli]") {
    for (const char* words :
         {R"(sh -c './agent {prompt}')", R"(sh -c "./agent {prompt}")", "ssh host './agent {id}'",
          R"(./agent "now: {prompt}!")", "./agent '{id} '"}) {
        CAPTURE(words);
        const auto command = own_resume_command(words, "7", "$(touch x)");
        REQUIRE_FALSE(command.has_value());
        CHECK_THAT(command.error().detail, Catch::Contains("inside quotes"));
    }
}

TEST_CASE("resume command: an id that would be an option is refused", "[cli]") {
    const auto command = own_resume_command("./agent {id} {prompt}", "--yolo", "Go on.");
    REQUIRE_FALSE(command.has_value());
    CHECK_THAT(command.error().detail, Catch::Contains("no conversation"));
}
