// SPDX-License-Identifier: Apache-2.0
#include "cli/command_table.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace headway::cli;

namespace {

const VerbEntry& verb_named(const VerbEntry& program, const std::string& name) {
    const auto found = std::find_if(program.verbs.begin(), program.verbs.end(),
                                    [&](const VerbEntry& verb) { return verb.name == name; });
    REQUIRE(found != program.verbs.end());
    return *found;
}

const OptionEntry& option(const VerbEntry& verb, const std::string& flag) {
    const auto found =
        std::find_if(verb.options.begin(), verb.options.end(), [&](const OptionEntry& entry) {
            return std::count(entry.flags.begin(), entry.flags.end(), flag) > 0;
        });
    REQUIRE(found != verb.options.end());
    return *found;
}

VerbEntry program_with(VerbEntry verb) {
    VerbEntry program{"headway", "supervises", "", {}, {}, {}};
    program.verbs.push_back(std::move(verb));
    return program;
}

}  // namespace

TEST_CASE("command table: every verb and option has help", "[cli]") {
    const VerbEntry program = command_table();
    CHECK(program.verbs.size() > 20);
    for (const VerbEntry& verb : program.verbs) {
        INFO(verb.name);
        CHECK_FALSE(verb.help.empty());
        for (const OptionEntry& entry : verb.options) {
            INFO(entry.flags.front());
            CHECK_FALSE(entry.help.empty());
            CHECK(entry.value.empty() == (entry.kind == ValueKind::kNone));
        }
        for (const OperandEntry& entry : verb.operands)
            CHECK_FALSE(entry.help.empty());
    }
}

TEST_CASE("command table: what the parser takes is known by kind", "[cli]") {
    const VerbEntry program = command_table();
    const VerbEntry& wait = verb_named(program, "wait");
    CHECK(option(wait, "--mode").choices == std::vector<std::string>{"now", "ever"});
    CHECK(option(wait, "--mode").value == "MODE");
    CHECK(option(wait, "--mode").fallback == "now");
    CHECK(option(wait, "--timeout").value == "DURATION");
    CHECK(option(wait, "--json").kind == ValueKind::kNone);
    CHECK(option(wait, "--token-file").kind == ValueKind::kFile);
    CHECK(option(wait, "-h").flags == std::vector<std::string>{"-h", "--help"});
    REQUIRE(wait.operands.size() == 1);
    CHECK(wait.operands[0].kind == ValueKind::kSession);
    CHECK(wait.operands[0].required);
    CHECK(wait.operands[0].repeats);
    CHECK(verb_named(program, "config").verbs.size() == 3);
}

TEST_CASE("completion: three shells, and no other", "[cli]") {
    const VerbEntry program = command_table();
    for (const std::string shell : {"bash", "zsh", "fish"}) {
        const auto script = completion_script(program, shell);
        REQUIRE(script.has_value());
        CHECK_THAT(*script, Catch::Contains("headway sessions --open --ids") &&
                                Catch::Contains(shell == "fish" ? "-l until" : "--until") &&
                                Catch::Contains("config check"));
    }
    CHECK_FALSE(completion_script(program, "tcsh").has_value());
}

TEST_CASE("completion: what help says cannot end a string of the shell", "[cli]") {
    VerbEntry verb{"go", "the agent's $(id)", "", {}, {}, {}};
    verb.options.push_back({{"--x"}, "", ValueKind::kNone, {}, "", "it's `id`"});
    const VerbEntry program = program_with(verb);
    CHECK_THAT(*completion_script(program, "zsh"), Catch::Contains(R"('go:the agent'\''s $(id)')"));
    CHECK_THAT(*completion_script(program, "fish"), Catch::Contains(R"(-d 'it\'s `id`')"));
}

TEST_CASE("manual: roff takes no text for its own", "[cli]") {
    VerbEntry verb{"go", "a\\b", ".so /etc/passwd\n'x --y", {}, {}, {}};
    verb.operands.push_back({"SESSION", ValueKind::kSession, {}, true, true, "ids"});
    verb.options.push_back(
        {{"-n", "--name"}, "MODE", ValueKind::kChoice, {"a", "b"}, "a", "which"});
    const std::string page = manual_page(verb, "headway go", "1.2");
    CHECK_THAT(page, Catch::StartsWith(".TH \"HEADWAY\\-GO\" \"1\" \"\" \"headway 1.2\""));
    CHECK_THAT(page, Catch::Contains("headway\\-go \\- a\\eb\n"));
    CHECK_THAT(page, Catch::Contains("\n\\&.so /etc/passwd\n\\&'x \\-\\-y\n"));
    CHECK_THAT(page, Catch::Contains("\\fIMODE\\fR\nwhich (a, b) [a]\n"));
    CHECK_THAT(page, Catch::Contains("\\fISESSION\\fR ...\n"));
}

TEST_CASE("manual: the overview names every verb, and a verb with others shows their options",
          "[cli]") {
    const VerbEntry program = command_table();
    const std::string overview = manual_page(program, "headway", "1.2");
    for (const VerbEntry& verb : program.verbs)
        CHECK_THAT(overview, Catch::Contains("\\fBheadway " + verb.name + "\\fR"));
    const std::string token = manual_page(verb_named(program, "token"), "headway token", "1.2");
    CHECK_THAT(token, Catch::Contains(".SH CREATE") && Catch::Contains("\\-\\-scope"));
}
