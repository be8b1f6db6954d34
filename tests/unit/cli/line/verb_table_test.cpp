// SPDX-License-Identifier: Apache-2.0
#include "cli/line/verb_table.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "cli/line/completion.hpp"
#include "cli/line/manual.hpp"

using namespace headway::cli;

namespace {

const VerbSpec& verb_named(const VerbSpec& program, const std::string& name) {
    const auto found = std::find_if(program.verbs.begin(), program.verbs.end(),
                                    [&](const VerbSpec& verb) { return verb.name == name; });
    REQUIRE(found != program.verbs.end());
    return *found;
}

const ArgumentSpec& option(const VerbSpec& verb, const std::string& flag) {
    for (const ArgumentSpec* argument : options_of(verb))
        if (std::count(argument->names.begin(), argument->names.end(), flag) > 0) return *argument;
    FAIL("no option " + flag);
    return verb.arguments.front();
}

VerbSpec program_with(VerbSpec verb) {
    VerbSpec program;
    program.name = "headway";
    program.help = "supervises";
    program.verbs.push_back(std::move(verb));
    return program;
}

void check_help(const VerbSpec& verb) {
    INFO(verb.name);
    CHECK_FALSE(verb.help.empty());
    std::set<std::string> names;
    for (const ArgumentSpec& argument : verb.arguments) {
        INFO(argument.names.front());
        CHECK_FALSE(argument.help.empty());
        CHECK(argument.value_name().empty() == (argument.kind() == ValueKind::kNone));
        for (const std::string& name : argument.names)
            CHECK(names.insert(name).second);
    }
    // CLI11 throws at an unknown name, but only when the command line is parsed.
    for (const ArgumentSpec& argument : verb.arguments) {
        for (const std::string& name : argument.excludes)
            CHECK(names.contains(name));
        for (const std::string& name : argument.needs)
            CHECK(names.contains(name));
    }
    for (const VerbSpec& below : verb.verbs)
        check_help(below);
}

}  // namespace

TEST_CASE("verb table: the help of each verb that asks a daemon has its exit codes", "[cli]") {
    const Program program = declare_program();
    std::size_t described = 0;
    const std::function<void(const VerbSpec&)> check = [&](const VerbSpec& verb) {
        INFO(verb.name << "\n" << verb.footer);
        const std::size_t at = verb.footer.find("Exit codes");
        if (verb.client != nullptr) {
            const bool status = verb.footer.find("exit status") != std::string::npos;
            CHECK((at != std::string::npos || status));
        }
        if (at != std::string::npos) {
            ++described;
            CHECK(verb.footer.find("Exit codes", at + 1) == std::string::npos);
        }
        for (const VerbSpec& below : verb.verbs)
            check(below);
    };
    check(program.spec);
    CHECK(described > 20);
    for (const char* name : {"report", "approve"})
        CHECK_THAT(verb_named(program.spec, name).footer,
                   Catch::Contains("0 done   1 refused") && Catch::Contains("69 no daemon"));
    for (const char* name : {"serve", "backup", "restore"})
        CHECK_THAT(verb_named(program.spec, name).footer,
                   Catch::Contains("  2    a mistake in the settings\n  64   usage"));
}

TEST_CASE("verb table: every verb and option has help, and names are used once", "[cli]") {
    const Program program = declare_program();
    CHECK(program.verbs.size() > 20);
    CHECK(program.verbs.size() == program.spec.verbs.size());
    check_help(program.spec);
}

TEST_CASE("verb table: what the parser takes is known by kind", "[cli]") {
    const Program declared = declare_program();
    const VerbSpec& program = declared.spec;
    const VerbSpec& wait = verb_named(program, "wait");
    CHECK(option(wait, "--mode").choices == std::vector<std::string>{"now", "ever"});
    CHECK(option(wait, "--mode").value_name() == "MODE");
    CHECK(option(wait, "--mode").fallback == "now");
    CHECK(option(wait, "--timeout").value_name() == "DURATION");
    CHECK(option(wait, "--json").kind() == ValueKind::kNone);
    CHECK(option(wait, "--token-file").kind() == ValueKind::kFile);
    CHECK(option(wait, "-h").names == std::vector<std::string>{"-h", "--help"});
    REQUIRE(operands_of(wait).size() == 1);
    CHECK(operands_of(wait)[0]->kind() == ValueKind::kSession);
    CHECK(operands_of(wait)[0]->required);
    CHECK(operands_of(wait)[0]->repeats);
    CHECK(verb_named(program, "config").verbs.size() == 3);
}

TEST_CASE("verb table: each verb is in a group, and connection options are in the program's help",
          "[cli]") {
    const Program program = declare_program();
    std::vector<std::string> groups;
    for (const VerbSpec& verb : program.spec.verbs) {
        INFO(verb.name);
        CHECK_FALSE(verb.group.empty());
        if (groups.empty() || groups.back() != verb.group) groups.push_back(verb.group);
    }
    CHECK(groups == std::vector<std::string>{"Run and watch", "Decide", "Steer", "Records",
                                             "Set-up", "Administration"});
    const VerbSpec& show = verb_named(program.spec, "show");
    for (const char* name : {"--url", "--token-file", "--state-dir", "--ca-file"}) {
        CHECK(option(show, name).connection);
        CHECK_THAT(program.spec.footer, Catch::Contains(name));
        CHECK_THAT(show.footer, Catch::Contains(name));
    }
    CHECK_FALSE(option(show, "--json").connection);
}

TEST_CASE("verb table: a hidden verb is parsed and not listed", "[cli]") {
    const Program program = declare_program();
    CHECK(verb_named(program.spec, "demo-agent").hidden);
    for (const VerbSpec* verb : verbs_of(program.spec))
        CHECK(verb->name != "demo-agent");
}

TEST_CASE("completion: three shells, and no other", "[cli]") {
    const Program declared = declare_program();
    const VerbSpec& program = declared.spec;
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
    VerbSpec verb;
    verb.name = "go";
    bool on = false;
    Arguments(verb).help("the agent's $(id)").flag("--x", on, "it's `id`");
    const VerbSpec program = program_with(verb);
    CHECK_THAT(*completion_script(program, "zsh"), Catch::Contains(R"('go:the agent'\''s $(id)')"));
    CHECK_THAT(*completion_script(program, "fish"), Catch::Contains(R"(-d 'it\'s `id`')"));
}

TEST_CASE("manual: roff takes no text for its own", "[cli]") {
    VerbSpec verb;
    verb.name = "go";
    std::vector<std::string> sessions;
    std::string mode = "a";
    Arguments arguments(verb);
    arguments.help("a\\b").footer(".so /etc/passwd\n'x --y");
    arguments.operand("SESSION", sessions, "ids").required();
    arguments.option("--mode", mode, "which").choices({"a", "b"}).show_default();
    const std::string page = manual_page(verb, "headway go", "1.2");
    CHECK_THAT(page, Catch::StartsWith(".TH \"HEADWAY\\-GO\" \"1\" \"\" \"headway 1.2\""));
    CHECK_THAT(page, Catch::Contains("headway\\-go \\- a\\eb\n"));
    CHECK_THAT(page, Catch::Contains("\n\\&.so /etc/passwd\n\\&'x \\-\\-y\n"));
    CHECK_THAT(page, Catch::Contains("\\fIMODE\\fR\nwhich (a, b) [a]\n"));
    CHECK_THAT(page, Catch::Contains("\\fISESSION\\fR ...\n"));
}

TEST_CASE("manual: the overview names every verb, and a verb with others shows their options",
          "[cli]") {
    const Program declared = declare_program();
    const VerbSpec& program = declared.spec;
    const std::string overview = manual_page(program, "headway", "1.2");
    for (const VerbSpec* verb : verbs_of(program)) {
        std::string name = verb->name;
        for (std::size_t at = name.find('-'); at != name.npos; at = name.find('-', at + 2))
            name.insert(at, 1, '\\');
        CHECK_THAT(overview, Catch::Contains("\\fBheadway " + name + "\\fR"));
    }
    const std::string token = manual_page(verb_named(program, "token"), "headway token", "1.2");
    CHECK_THAT(token, Catch::Contains(".SH CREATE") && Catch::Contains("\\-\\-scope"));
}
