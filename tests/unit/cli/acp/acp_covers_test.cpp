// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "cli/acp/acp_observer.hpp"
#include "core/calls/tool_class.hpp"
#include "tests/support/parsed.hpp"

using headway::cli::AcpAction;
using headway::cli::AcpFile;
using headway::cli::AcpObserver;
using headway::cli::Json;
using headway::tests::parsed;

namespace {

/// A turn of the session `s`, in the folder `/w`.
class Turn {
public:
    Turn() {
        observer_.from_editor(
            parsed(R"({"id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}})"));
        observer_.from_agent(parsed(R"({"id":1,"result":{"sessionId":"s"}})"));
        observer_.from_editor(
            parsed(R"({"id":2,"method":"session/prompt","params":{"sessionId":"s"}})"));
    }

    void update(const char* call) { send("session/update", parsed(call), "update"); }
    /// Asks for the permission of this call.
    AcpAction ask(const char* call) {
        return question(send("session/request_permission", parsed(call), "toolCall"));
    }
    void allow(const char* call) { observer_.allowed("s", ask(call).type); }
    void allow(const AcpAction& question) { observer_.allowed("s", question.type); }
    void refuse(const AcpAction& question) { observer_.refused("s", question.type); }

    AcpAction run(const char* params) { return question(send("terminal/create", parsed(params))); }
    AcpAction write(const std::string& path, const Json& content) {
        return write({{"path", path}, {"content", content}});
    }
    AcpAction write(Json params) { return question(send("fs/write_text_file", std::move(params))); }
    void read(const char* params, const char* text) {
        send("fs/read_text_file", parsed(params));
        observer_.answered({{"id", id_}, {"result", {{"content", text}}}});
    }

    /// The file on disk; without a text it cannot be read.
    void put(const std::string& path, std::optional<std::string> text) {
        files_[path] = {false, std::move(text)};
    }
    void remove(const std::string& path) { files_.erase(path); }

private:
    AcpObserver::Actions send(const char* method, Json params, const char* member = nullptr) {
        if (member != nullptr) params = {{member, std::move(params)}};
        params["sessionId"] = "s";
        return observer_.from_agent(
            {{"id", ++id_}, {"method", method}, {"params", std::move(params)}});
    }
    static AcpAction question(const AcpObserver::Actions& actions) {
        for (const AcpAction& action : actions)
            if (action.kind == AcpAction::Kind::kAsk) return action;
        return {};
    }

    AcpFile file(const std::string& path) const {
        const auto found = files_.find(path);
        return found == files_.end() ? AcpFile{true} : found->second;
    }

    std::map<std::string, AcpFile> files_;
    AcpObserver observer_{"agent", "m", [this](const std::string& path) { return file(path); }};
    int id_ = 100;
};

/// True if the deed has a question of its own, with this command or content in its words.
bool is_own(const AcpAction& question, const char* shown) {
    const Json& hook = question.data["hook"];
    return question.type.ends_with("-m") && dump(hook["args"]).find(shown) != std::string::npos;
}

bool is_covered(const AcpAction& question) {
    return question.type.empty();
}

constexpr const char* kWritten = R"({"toolCallId":"c","kind":"edit","rawInput":{"file_path":"/w/a",
    "content":"new"},"content":[{"type":"diff","path":"/w/a","oldText":null,"newText":"new"}]})";
constexpr const char* kEdited = R"({"toolCallId":"c","kind":"edit","rawInput":{"file_path":"/w/a",
    "old_string":"x","new_string":"y"},"content":[{"type":"diff","path":"/w/a","oldText":"x","newText":"y"}]})";
constexpr const char* kShown =
    R"({"toolCallId":"c","kind":"edit","title":"a","locations":[{"path":"/w/a"}],
    "content":[{"type":"diff","path":"/w/a","oldText":"x","newText":"y"}]})";

}  // namespace

TEST_CASE("acp: a title beside arguments is no command that a person has allowed", "[cli]") {
    Turn turn;
    turn.update(R"({"sessionUpdate":"tool_call","toolCallId":"c","kind":"execute",
        "status":"in_progress","rawInput":{"command":"ls"}})");
    SECTION("before the permission") {
        turn.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"c","rawInput":{},
            "title":"rm -rf x"})");
    }
    SECTION("in the permission") {
        turn.allow(R"({"toolCallId":"c","rawInput":{},"title":"rm -rf x"})");
    }
    CHECK(is_own(turn.run(R"({"command":"rm -rf x"})"), "rm -rf x"));
}

TEST_CASE("acp: a class that a call gets after its permission was not allowed", "[cli]") {
    Turn turn;
    turn.allow(R"({"toolCallId":"c","kind":"read","title":"rm -rf build"})");
    turn.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"c","kind":"execute"})");
    const AcpAction question = turn.run(R"({"command":"rm -rf build"})");
    REQUIRE(is_own(question, "rm -rf build"));
    CHECK(headway::core::rule_covers("class:shell", question.data["hook"].text_of("tool")));
}

TEST_CASE("acp: a command is allowed with all of its words", "[cli]") {
    const auto covers = [](const std::string& input, const char* params) {
        Turn turn;
        turn.allow((R"({"toolCallId":"c","kind":"execute","rawInput":)" + input + "}").c_str());
        return is_covered(turn.run(params));
    };
    const char* const dry = R"({"command":"./deploy.sh","args":["--dry-run"]})";
    const char* const real = R"({"command":"./deploy.sh"})";
    CHECK(covers(dry, dry));
    CHECK(covers(dry, R"({"command":"./deploy.sh --dry-run"})"));
    CHECK_FALSE(covers(dry, real));
    CHECK_FALSE(covers(R"({"command":["./deploy.sh"],"args":["--dry-run"]})", real));
    CHECK_FALSE(covers(R"({"command":"./deploy.sh","args":"--dry-run"})", real));
    CHECK_FALSE(covers(R"({"command":"./deploy.sh","flags":["--dry-run"]})", real));
    CHECK_FALSE(covers(R"({"command":"./deploy.sh","cmd":"ls"})", real));
    // A lax editor may join them.
    CHECK_FALSE(covers(real, R"({"command":"./deploy.sh","args":"--all"})"));
    CHECK_FALSE(covers(real, R"({"command":"./deploy.sh","args":[["--all"]]})"));
    CHECK_FALSE(covers(real, R"({"command":"./deploy.sh","shell":"/tmp/sh"})"));
    // As Claude Code, opencode and Gemini CLI ask.
    CHECK(covers(R"({"command":"./deploy.sh","description":"x","timeout":5,"cwd":"/w"})",
                 R"({"command":"./deploy.sh","cwd":"/w","env":[{"name":"A","value":"1"}],"args":[],
                     "outputByteLimit":32000,"_meta":{"a":1}})"));
    Turn turn;
    turn.allow(
        R"({"toolCallId":"c","kind":"execute","title":"make","content":[{"type":"content",
            "content":{"type":"text","text":"[x]"}}],"locations":[]})");
    CHECK(is_covered(turn.run(R"({"command":"make"})")));
}

TEST_CASE("acp: a file is allowed with its content, once", "[cli]") {
    Turn turn;
    turn.allow(kWritten);
    CHECK(is_own(turn.write("/w/a", "evil"), "evil"));
    CHECK(is_own(turn.write("/w/b", "new"), "/w/b"));
    CHECK(is_own(turn.write("/w/a", 5), "5"));
    CHECK(is_own(turn.write("/w/b/../a", "new"), ".."));  // b may be a link
    CHECK(is_own(turn.write({{"path", "/w/a"}, {"content", "new"}, {"Path", "/x"}}), "/x"));
    CHECK(is_covered(turn.write("/w/./a", "new")));
    CHECK(is_own(turn.write("/w/a", "new"), "new"));
}

TEST_CASE("acp: places that a person was not shown are not written", "[cli]") {
    Turn turn;
    turn.allow(R"({"toolCallId":"c","kind":"edit","rawInput":{"path":"/w/notes.md","content":"new"},
        "locations":[{"path":"/w/.bashrc"}]})");
    CHECK(is_own(turn.write("/w/.bashrc", "new"), ".bashrc"));
    turn.allow(R"({"toolCallId":"d","kind":"edit","rawInput":{"path":"/w/notes.md",
        "file_path":"/w/.bashrc","content":"new"}})");
    CHECK(is_own(turn.write("/w/.bashrc", "new"), ".bashrc"));
}

TEST_CASE("acp: a call that does not show the content covers none", "[cli]") {
    for (const char* input :
         {R"({"path":"/w/a","text":"hello"})", R"({"path":"/w/a","file_text":"hello"})",
          R"({"changes":{"/w/a":{"type":"update"}}})", R"({"file_path":"/w/a"})"}) {
        Turn turn;
        turn.allow(
            (std::string{R"({"toolCallId":"c","kind":"edit","rawInput":)"} + input + "}").c_str());
        CHECK(is_own(turn.write("/w/a", "evil"), "evil"));
    }
}

TEST_CASE("acp: an edit covers the text that the file has, with the edit in it", "[cli]") {
    const char* const call = GENERATE(kEdited, kShown);
    Turn turn;
    turn.allow(call);
    turn.put("/w/a", "axb");
    SECTION("that text") {
        CHECK(is_covered(turn.write("/w/./a", "ayb")));
        turn.put("/w/a", "ayb");
        CHECK(is_own(turn.write("/w/a", "ayb"), "ayb"));
    }
    SECTION("other text around it") {
        CHECK(is_own(turn.write("/w/a", "evil y"), "evil y"));
    }
    SECTION("the edit alone") {
        CHECK(is_own(turn.write("/w/a", "y"), "y"));
    }
    SECTION("a text that the file had before") {
        turn.put("/w/a", "axb and more");
        CHECK(is_own(turn.write("/w/a", "ayb"), "ayb"));
    }
    SECTION("a text with more than one such place") {
        turn.put("/w/a", "axbx");
        CHECK(is_own(turn.write("/w/a", "aybx"), "aybx"));
    }
    SECTION("a file that cannot be read") {
        turn.put("/w/a", std::nullopt);
        CHECK(is_own(turn.write("/w/a", "ayb"), "ayb"));
    }
    SECTION("a file that is not there") {
        turn.remove("/w/a");
        CHECK(is_own(turn.write("/w/a", "ayb"), "ayb"));
    }
    SECTION("a path that leads elsewhere, or anywhere") {
        for (const char* path : {"/w/b/../a", "a", "./a"}) {
            turn.put(path, "axb");
            CHECK(is_own(turn.write(path, "ayb"), "ayb"));
        }
    }
    SECTION("a text that the editor gave for another file") {
        turn.read(R"({"path":"/w/evil"})", "evil x");
        turn.read(R"({"path":"/w/a","Path":"/w/evil"})", "evil x");
        CHECK(is_own(turn.write("/w/a", "evil y"), "evil y"));
    }
}

TEST_CASE("acp: an edit of all places, and one that deletes", "[cli]") {
    Turn turn;
    turn.allow(R"({"toolCallId":"c","kind":"edit","rawInput":{"file_path":"/w/a","old_string":"x",
        "new_string":"xx","replace_all":true}})");
    turn.put("/w/a", "axbx");
    CHECK(is_covered(turn.write("/w/a", "axxbxx")));
    turn.allow(R"({"toolCallId":"d","kind":"edit","locations":[{"path":"/w/b"}],
        "content":[{"type":"diff","path":"/w/b","oldText":"x","newText":""}]})");
    turn.put("/w/b", "axb");
    CHECK(is_own(turn.write("/w/b", "evil"), "evil"));
    CHECK(is_covered(turn.write("/w/b", "ab")));
}

TEST_CASE("acp: a new file covers no write of one that is there", "[cli]") {
    Turn turn;
    turn.allow(R"({"toolCallId":"c","kind":"edit","locations":[{"path":"/w/b"}],
        "content":[{"type":"diff","path":"/w/b","oldText":"","newText":"new"}]})");
    turn.put("/w/b", "old");
    CHECK(is_own(turn.write("/w/b", "new"), "new"));
    turn.put("/w/b", std::nullopt);
    CHECK(is_own(turn.write("/w/b", "new"), "new"));
    turn.remove("/w/b");
    CHECK(is_own(turn.write("/w/b", "evil"), "evil"));
    CHECK(is_covered(turn.write("/w/b", "new")));
}

TEST_CASE("acp: a number or a false may tell that a part of a file is written", "[cli]") {
    const auto covers = [](const std::string& more) {
        Turn turn;
        turn.allow(
            (R"({"toolCallId":"c","kind":"edit","rawInput":{"path":"/w/a","content":"new",)" +
             more + "}}")
                .c_str());
        return is_covered(turn.write("/w/a", "new"));
    };
    for (const char* more :
         {R"("insert_line":5)", R"("start_line":3,"end_line":4)", R"("position":0)",
          R"("offset":120)", R"("overwrite":false)", R"("run_in_background":true)"})
        CHECK_FALSE(covers(more));
    CHECK(covers(
        R"("timeout":5,"expected_replacements":1,"replace_all":false,"is_background":false)"));
    Turn turn;
    turn.allow(
        R"({"toolCallId":"d","kind":"execute","rawInput":{"command":"ls","sandbox":false}})");
    CHECK(is_own(turn.run(R"({"command":"ls"})"), "ls"));
}

TEST_CASE("acp: a refused call about a file wins, except over what an allowed one covers",
          "[cli]") {
    const char* const order = GENERATE("ab", "ba");
    const auto edit = [](char id, const char* before, const char* after) {
        const Json input = {{"file_path", "/w/a"}, {"old_string", before}, {"new_string", after}};
        const Json call = {
            {"toolCallId", std::string(1, id)}, {"kind", "edit"}, {"rawInput", input}};
        return dump(call);
    };
    Turn turn;
    turn.put("/w/a", "axp");
    turn.refuse(turn.ask(edit(order[0], "x", "y").c_str()));
    CHECK(turn.write("/w/a", "other").data.contains("refused"));
    turn.allow(edit(order[1], "p", "q").c_str());
    CHECK(turn.write("/w/a", "ayp").data.contains("refused"));
    CHECK(turn.write("/w/a", "other").data.contains("refused"));
    CHECK(is_covered(turn.write("/w/a", "axq")));
}

TEST_CASE("acp: an edit is not compared with a text that is just being replaced", "[cli]") {
    Turn turn;
    turn.put("/w/a", "axp");
    turn.allow(R"({"toolCallId":"c","kind":"edit",
        "rawInput":{"file_path":"/w/a","old_string":"x","new_string":"y"}})");
    turn.allow(R"({"toolCallId":"d","kind":"edit",
        "rawInput":{"file_path":"/w/a","old_string":"p","new_string":"q"}})");
    CHECK(is_covered(turn.write("/w/a", "ayp")));
    CHECK_FALSE(is_covered(turn.write("/w/a", "axq")));
}

TEST_CASE("acp: a new text covers a file that is there and empty", "[cli]") {
    Turn turn;
    turn.put("/w/b", "");
    turn.allow(R"({"toolCallId":"c","kind":"edit",
        "content":[{"type":"diff","path":"/w/b","oldText":"","newText":"new"}]})");
    CHECK(is_covered(turn.write("/w/b", "new")));
}

TEST_CASE("acp: a write of a call that did not ask is shown with its content", "[cli]") {
    Turn turn;
    turn.update(
        R"({"sessionUpdate":"tool_call","toolCallId":"c","kind":"edit","title":"Writing to a",
        "status":"in_progress","content":[],"locations":[{"path":"/w/a"}]})");
    const AcpAction question = turn.write("/w/a", "new");
    CHECK(question.type == "c");
    CHECK(question.data["hook"]["args"].text_of("content") == "new");
    turn.allow(question);
    CHECK(is_own(turn.write("/w/a", "evil"), "evil"));
}

TEST_CASE("acp: a new file of opencode is covered by its permission", "[cli]") {
    Turn turn;
    turn.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"c","kind":"edit",
        "status":"in_progress","locations":[{"path":"/w/b"}],
        "rawInput":{"filePath":"/w/b","content":"new\n"}})");
    turn.allow(R"({"toolCallId":"c","kind":"edit","title":"/w/b","locations":[{"path":"/w/b"}],
        "rawInput":{"filepath":"/w/b","diff":"@@ -0,0 +1,1 @@\n+new\n"},
        "content":[{"type":"diff","path":"/w/b","oldText":"","newText":"new\n"}]})");
    CHECK(is_covered(turn.write("/w/b", "new\n")));
}

TEST_CASE("acp: an edit of opencode, which never reads by its editor, is covered", "[cli]") {
    Turn turn;
    turn.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"c","kind":"edit",
        "status":"in_progress","locations":[{"path":"/w/b"}],
        "rawInput":{"filePath":"/w/b","oldString":"x","newString":"y"}})");
    turn.allow(R"({"toolCallId":"c","kind":"edit","title":"/w/b","locations":[{"path":"/w/b"}],
        "rawInput":{"filepath":"/w/b","diff":"@@ -1,1 +1,1 @@\n-axb\n+ayb\n"},
        "content":[{"type":"diff","path":"/w/b","oldText":"axb\n","newText":"ayb\n"}]})");
    turn.put("/w/b", "axb\n");
    CHECK(is_covered(turn.write("/w/b", "ayb\n")));
}

TEST_CASE("acp: a question about an edit shows all that is written", "[cli]") {
    Turn turn;
    turn.update(
        (R"({"sessionUpdate":"tool_call","status":"in_progress",)" + std::string{kEdited}.substr(1))
            .c_str());
    turn.put("/w/a", "axb");
    const AcpAction question = turn.write("/w/a", "ayb");
    CHECK(question.type == "c");
    CHECK(question.data["hook"]["args"].text_of("content") == "ayb");
}
