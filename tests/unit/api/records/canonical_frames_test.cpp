// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>
#include <variant>

#include "api/decode/decode.hpp"
#include "api/records/answer_frame.hpp"
#include "api/records/canonical.hpp"

// Frames that platforms put around commands and their output.

using headway::api::without_frame;

namespace {

headway::core::CallFingerprint fingerprint_of_report(const std::string& data) {
    headway::api::JsonDocument document;
    const auto report =
        headway::api::decode_report(document, R"({"type":"tool.finished","data":)" + data + "}",
                                    headway::api::BodyFormat::kJson);
    REQUIRE(report.has_value());
    const auto& call = std::get<headway::core::ToolFinished>(report->events.front().payload);
    REQUIRE(call.fingerprint);
    return *call.fingerprint;
}

std::string ran(const std::string& args, const std::string& result) {
    return R"({"tool":"shell","ok":true,"args":)" + args + R"(,"result":)" + result + "}";
}

}  // namespace

TEST_CASE("canonical: a command may be the words of exec", "[api]") {
    using headway::core::CallKind;
    const auto kind = [](const std::string& args) {
        return fingerprint_of_report(ran(args, "\"\"")).kind;
    };
    CHECK(kind(R"({"command":["bash","-lc","cargo test"]})") == CallKind::kVerify);
    CHECK(kind(R"({"command":["cargo","test","--lib"]})") == CallKind::kVerify);
    CHECK(kind(R"({"command":["sh","-c","sleep 30"]})") == CallKind::kSleep);
    CHECK(kind(R"({"command":["/usr/bin/bash","-c","make"]})") == CallKind::kVerify);
    CHECK(kind(R"({"command":["mytool","-c","sleep"]})") == CallKind::kOther);
    CHECK(kind(R"({"command":["git","-c","sleep=1","push"]})") == CallKind::kOther);
    CHECK(kind(R"({"command":[]})") == CallKind::kOther);
    CHECK(kind(R"({"command":[1,"cargo test"]})") == CallKind::kOther);
}

TEST_CASE("canonical: an element of a page is the same in each snapshot, other elements differ",
          "[api]") {
    const auto question = [](const std::string& tool, const std::string& args) {
        return fingerprint_of_report(R"({"tool":")" + tool + R"(","ok":true,"args":)" + args +
                                     R"(,"result":"ok"})")
            .question;
    };
    const std::string click = "mcp__chrome-devtools__click";
    CHECK(question(click, R"({"uid":"1_5"})") == question(click, R"({"uid":"12_5"})"));
    CHECK(question(click, R"({"uid":"1_5"})") != question(click, R"({"uid":"1_6"})"));
    CHECK(question(click, R"({"uid":"1_5x"})") != question(click, R"({"uid":"2_5x"})"));
    const std::string drag = "browser_drag";
    CHECK(question(drag, R"({"startRef":"s1e5","endRef":"s1e6"})") ==
          question(drag, R"({"startRef":"s2e5","endRef":"s2e6"})"));
    CHECK(question(drag, R"({"startRef":"s1e5","endRef":"s1e6"})") !=
          question(drag, R"({"startRef":"s1e5","endRef":"s1e7"})"));
    CHECK(question(drag, R"({"ref":"e5"})") != question(drag, R"({"ref":"e6"})"));
    CHECK(question("get_user", R"({"uid":"1_5"})") != question("get_user", R"({"uid":"2_5"})"));
}

TEST_CASE("canonical: how long a command took is no part of its answer", "[api]") {
    const auto outcome = [](const std::string& result) {
        return fingerprint_of_report(ran(R"({"command":"make"})", result)).outcome;
    };
    CHECK(outcome(R"({"output":"x","metadata":{"exit_code":0,"duration_seconds":0.7}})") ==
          outcome(R"({"output":"x","metadata":{"exit_code":0,"duration_seconds":1.3}})"));
    CHECK(outcome(R"({"output":"x","metadata":{"exit_code":0}})") !=
          outcome(R"({"output":"x","metadata":{"exit_code":1}})"));
    CHECK(outcome("\"Stdout: x\\nProcess Group PGID: 4711\"") ==
          outcome("\"Stdout: x\\nProcess Group PGID: 4822\""));
}

TEST_CASE("canonical: an aside about what an agent may use up is masked, work that is left is not",
          "[api]") {
    const auto outcome = [](const std::string& text) {
        return fingerprint_of_report(ran(R"({"command":"x"})", "\"" + text + "\"")).outcome;
    };
    CHECK(outcome("ok (17 steps left)") == outcome("ok (16 steps left)"));
    CHECK(outcome("ok. You have 9 turns remaining") == outcome("ok. You have 8 turns remaining"));
    CHECK(outcome("attempt 3 failed") == outcome("attempt 4 failed"));
    CHECK(outcome("Done. 40 requests remaining") != outcome("Done. 39 requests remaining"));
    CHECK(outcome("3 files left") != outcome("2 files left"));
}

TEST_CASE("canonical: a receipt of changed rows is an acknowledged action, a sentence is none",
          "[api]") {
    const auto fingerprint = [](const std::string& text) {
        return fingerprint_of_report(ran(R"({"command":"psql -f x.sql"})", "\"" + text + "\""));
    };
    CHECK(fingerprint("UPDATE 40").weak());
    CHECK_FALSE(fingerprint("update 1 is rejected by plan").weak());
}

TEST_CASE("canonical: what was asked for is compared, though results hold it as an aside",
          "[api]") {
    const auto question = [](const std::string& args) {
        return fingerprint_of_report(ran(args, "\"\"")).question;
    };
    CHECK(question(R"({"walltime":"01:00:00"})") != question(R"({"walltime":"24:00:00"})"));
}

TEST_CASE("canonical: a search that is made again has the same answer under another id", "[api]") {
    const auto outcome = [](const std::string& id, const std::string& url) {
        return fingerprint_of_report(ran(R"({"query":"Foo CEO"})",
                                         R"({"query":"Foo CEO","results":[{"tool_use_id":")" + id +
                                             R"(","content":[{"title":"Foo","url":")" + url +
                                             R"("}]},"No CEO is named."],"durationSeconds":3.1})"))
            .outcome;
    };
    const auto first = outcome("srvtoolu_01QbUGhYKqAcZFxHtVsvtDzJ", "https://foo.example");
    CHECK(outcome("srvtoolu_017r3kQpWdYgS9ZbLLfmKxne", "https://foo.example") == first);
    CHECK(outcome("srvtoolu_017r3kQpWdYgS9ZbLLfmKxne", "https://bar.example") != first);
}

TEST_CASE("canonical: the text that an edit did not find is no word of a provider", "[api]") {
    using headway::core::FailureKind;
    const auto failure = [](const std::string& tool, const std::string& message) {
        return fingerprint_of_report(
                   R"({"tool":")" + tool +
                   R"(","ok":false,"args":{"file_path":"/w/a.ts","old_string":"x"},)" +
                   R"("error":{"message":")" + message + R"("}})")
            .failure;
    };
    for (const char* quoted :
         {"rate limit exceeded", "401 Unauthorized", "Unknown tool", "error 503"}) {
        const std::string text = std::string{"String to replace not found in file."};
        CHECK(failure("Edit", text + R"(\nString: throw new Error(\")" + quoted + R"(\"))") ==
              failure("Edit", text));
        CHECK(failure("Edit", std::string{"Could not find '"} + quoted + "' in the file") ==
              failure("Edit", "Could not find '' in the file"));
    }
    CHECK(failure("Edit", "EACCES: permission denied, open '/w/a.ts'") == FailureKind::kAuth);
    CHECK(failure("publish", R"(it failed\n401 Unauthorized)") == FailureKind::kAuth);
}

TEST_CASE("canonical: an argument makes no other tool a screen", "[api]") {
    using headway::core::Shape;
    const auto acts = [](const std::string& tool) {
        return fingerprint_of_report(R"({"tool":")" + tool +
                                     R"(","ok":true,"args":{"action":"click"},"result":"ok"})")
            .is(Shape::kActs);
    };
    CHECK(acts("computer"));
    CHECK(acts("browser_use"));
    CHECK_FALSE(acts("search"));
}

TEST_CASE("canonical: an action of a screen tool that waits is a wait", "[api]") {
    using headway::core::CallKind;
    const auto kind = [](const std::string& rest) {
        return fingerprint_of_report(R"({"tool":"computer","ok":true,"args":{"action":"wait"})" +
                                     rest + "}")
            .kind;
    };
    CHECK(kind("") == CallKind::kSleep);
    CHECK(kind(R"(,"result":"Installing 18%")") == CallKind::kPoll);
}

TEST_CASE("answers: the frame that a platform puts around an output", "[api]") {
    CHECK(without_frame("Command: ls\nDirectory: (root)\nStdout: a.txt\nb\nStderr: (empty)\n"
                        "Exit Code: 0") == "a.txt\nb");
    CHECK(without_frame("Command: ls\nStdout: (empty)\nStderr: (empty)\nError: (none)").empty());
    CHECK(without_frame("Command: a\nStdout: (empty)\nStderr: no such key\nError: (none)") ==
          "no such key");
    CHECK(without_frame("<returncode>2</returncode>\n<output>\nno\n</output>\n") == "no");
    CHECK(without_frame("<returncode>2</returncode>\n<output>\ncut") == "cut");
    for (const char* plain : {"", "Command: x", "<returncode>1", "a <output> b", "Stdout: x"})
        CHECK(without_frame(plain) == plain);
}

TEST_CASE("answers: the code that Playwright MCP quotes is frame, values and pages are not",
          "[api]") {
    const std::string ran = "### Ran Playwright code\n```js\nawait page.mouse.wheel(0, 500);\n```";
    const std::string older = "- Ran Playwright code:\n```js\n// Click Next\nawait x();\n```\n";
    const std::string page = "### Page state\n- Page URL: https://shop.example/cart";
    CHECK(without_frame(ran).empty());
    CHECK(without_frame("### Result\nundefined\n\n" + ran + "\n").empty());
    CHECK(without_frame(ran + "\n### Result\nundefined").empty());
    CHECK(without_frame(ran + "\n\n" + page + "\n") == page);
    CHECK(without_frame(older + "\n" + page) == page);
    CHECK(without_frame("### Result\nundefined\n" + ran + "\n" + page) == page);
    CHECK(without_frame("### Result\n17\n" + ran) == "### Result\n17");
    const std::string both = "### Result\n17\n" + ran + "\n" + page;
    CHECK(without_frame(both) == both);
    const std::string cut = "### Ran Playwright code\n```js\nawait page";
    CHECK(without_frame(cut) == cut);
    CHECK(without_frame("### Page\nRan Playwright code is a heading") ==
          "### Page\nRan Playwright code is a heading");
}

TEST_CASE("answers: an object of empty lists and zeros lists nothing", "[api]") {
    using headway::api::lists_nothing;
    for (const char* no : {R"({"mode":"files_with_matches","filenames":[],"numFiles":0})",
                           R"({"filenames":[],"durationMs":12,"numFiles":0,"truncated":false})",
                           R"({"mode":"content","filenames":[],"content":"","numLines":0})"})
        CHECK(lists_nothing(no));
    for (const char* other :
         {"", "[]", "{}", "{[]", R"({"filenames":["a.c"],"numFiles":1})",
          R"({"filenames":[],"numFiles":3})", R"({"filenames":[],"error":"no such folder"})",
          R"({"filenames":[],"truncated":true})", R"({"pages":[[]]})"})
        CHECK_FALSE(lists_nothing(other));
    CHECK_FALSE(lists_nothing("{\"filenames\":[]" + std::string(256, ' ') + "}"));
}
