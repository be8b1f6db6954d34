// SPDX-License-Identifier: Apache-2.0
#include "core/state/last_action.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "tests/support/make.hpp"

using namespace headway::core;
using namespace headway::tests;

namespace {

Event at_second(Event event, std::int64_t second) {
    event.at = at(second * 1000);
    return event;
}

Event started(std::string tool, std::string args) {
    ToolStarted data;
    data.tool = std::move(tool);
    data.args.kept = std::move(args);
    return event(std::move(data));
}

}  // namespace

TEST_CASE("last action: the tool and its subject, on one line", "[core]") {
    struct Case {
        const char* target;
        const char* args;
        const char* text;
    };
    const Case cases[] = {
        {"", "", "bash"},
        {"", "{}", "bash"},
        {"src/a.py", R"({"command":"make"})", "bash: src/a.py"},
        {"", R"({"command":"make test"})", "bash: make test"},
        {"", R"({"cwd":"/tmp", "command" : "make"})", "bash: make"},
        {"", R"({"path":"a.py","command":"make"})", "bash: make"},
        {"", R"({"file_path":"a.py"})", "bash: a.py"},
        {"", R"({"command":["make", "-C","a \"b\""],"path":"a"})", R"(bash: make -C a "b")"},
        {"", R"({"command":[],"path":"a"})", "bash: a"},
        {"", R"({"command":[7,"b"],"path":"a"})", "bash: a"},
        {"", R"({"command":["cut)", "bash: cut"},
        {"", R"({"argv":["/bin/bash","-c","make check"]})", "bash: -c make check"},
        {"", R"({"argv":["bash"]})", "bash"},
        {"", R"({"command":"echo \"a\" \\ b\n\tc"})", R"(bash: echo "a" \ b  c)"},
        {"", R"({"command":"caf\u00e9 \ud83d\ude00 \u20ac"})", "bash: café 😀 €"},
        {"", R"({"note":"say \"command\":\"no\"","command":"yes"})", "bash: yes"},
        {"", R"({"command":"cut)", "bash: cut"},
        {"", R"({"command":)", "bash"},
        {"a\x01\x7f"
         "b",
         "", "bash: a  b"},
    };
    for (const Case& c : cases) {
        INFO(c.target << c.args);
        CHECK(action_text("bash", c.target, c.args) == c.text);
    }
}

TEST_CASE("last action: it is short, and cut between characters", "[core]") {
    std::string target(limits::kLastActionBytesMax - 7, 'x');
    CHECK(action_text("bash", target + "éé", "").size() == limits::kLastActionBytesMax - 1);
    CHECK(action_text(std::string(500, 't'), target, target).size() == limits::kLastActionBytesMax);
    const std::string long_command = "{\"command\":\"" + std::string(4000, 'y') + "\"}";
    CHECK(action_text("bash", "", long_command).size() == limits::kLastActionBytesMax);
}

TEST_CASE("last action: calls move it and nothing else does", "[core]") {
    LazyOptional<LastAction> last;
    note_action(last, at_second(beat(), 1));
    note_action(last, at_second(message("user"), 2));
    CHECK_FALSE(last.has_value());
    note_action(last, at_second(started("bash", R"({"cmd":"ls"})"), 3));
    CHECK(*last == LastAction{"bash: ls", at(3000)});
    note_action(last, at_second(beat(), 4));
    CHECK(last->at == at(3000));
}

TEST_CASE("last action: the end of a call need not repeat what its start said", "[core]") {
    LazyOptional<LastAction> last;
    note_action(last, at_second(started("bash", R"({"cmd":"ls"})"), 1));
    ToolFinished end;
    end.tool = "bash";
    note_action(last, at_second(event(end), 2));
    CHECK(*last == LastAction{"bash: ls", at(2000)});
    end.target = "other";
    note_action(last, at_second(event(end), 3));
    CHECK(*last == LastAction{"bash: other", at(3000)});
    end.tool = "edit";
    end.target.clear();
    note_action(last, at_second(event(end), 4));
    CHECK(*last == LastAction{"edit", at(4000)});
}
