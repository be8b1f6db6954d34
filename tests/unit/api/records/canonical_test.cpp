// SPDX-License-Identifier: Apache-2.0
#include "api/records/canonical.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "api/decode/decode.hpp"
#include "tests/support/names.hpp"

using namespace headway;
using core::CallFingerprint;
using core::CallKind;
using core::FailureKind;
using core::Shape;

namespace {

std::string canonical_of(const std::string& args) {
    api::JsonDocument document;
    REQUIRE(document.parse(args).has_value());
    return api::canonical_arguments(document.root());
}

/// The fingerprint of a finished call as a client reports it: the members of `data`.
CallFingerprint fingerprint_of_call(const std::string& data) {
    api::JsonDocument document;
    const auto report = api::decode_report(
        document, R"({"type":"tool.finished","data":{)" + data + "}}", api::BodyFormat::kJson);
    tests::require_ok(report);
    return *std::get<core::ToolFinished>(report->events.at(0).payload).fingerprint;
}

/// A command of a shell, and what else the report says of it.
CallFingerprint fingerprint_of_shell(const std::string& command, const std::string& rest) {
    return fingerprint_of_call(R"("tool":"bash","args":{"command":")" + command + R"("},)" + rest);
}

/// The names of its shapes, in the order of Shape.
std::string shapes_of(const CallFingerprint& fingerprint) {
    const std::pair<Shape, const char*> shapes[] = {
        {Shape::kSilent, "silent"},     {Shape::kAcknowledged, "acknowledged"},
        {Shape::kActs, "acts"},         {Shape::kLooks, "looks"},
        {Shape::kSleeps, "sleeps"},     {Shape::kCosmetic, "cosmetic"},
        {Shape::kRestores, "restores"}, {Shape::kNothing, "nothing"},
        {Shape::kWhole, "whole"},       {Shape::kGuard, "guard"}};
    std::string names;
    for (const auto& [shape, name] : shapes) {
        if (fingerprint.is(shape)) names += (names.empty() ? "" : " ") + std::string{name};
    }
    return names;
}

/// A report of a call, and the shapes of its fingerprint.
struct ShapedCall {
    std::string data;
    const char* shapes;
};

const std::string kSearch = R"("tool":"search","args":)";

}  // namespace

TEST_CASE("canonical: a number is one text however it is written", "[api]") {
    CHECK(canonical_of("[1.0]") == canonical_of("[1]"));
    CHECK(canonical_of("[1e2]") == canonical_of("[100]"));
    CHECK(canonical_of("[-0.0]") == canonical_of("[0]"));
    CHECK(canonical_of("[1.5]") != canonical_of("[1]"));
}

TEST_CASE("canonical: numbers beyond every integer are told apart", "[api]") {
    CHECK(canonical_of("[1e300]") == canonical_of("[10e299]"));
    CHECK(canonical_of("[1e300]") != canonical_of("[-1e300]"));
    CHECK(canonical_of("[1e300]") != canonical_of("[2e300]"));
    CHECK(canonical_of("[9223372036854775808.0]") != canonical_of("[-9223372036854775808.0]"));
    CHECK(canonical_of("[1.5e19]") != canonical_of("[1.6e19]"));
}

TEST_CASE("fingerprint: a command that failed without a word is silent", "[api]") {
    const std::string guard = "test -f out";
    const std::string bare = R"("ok":false,"error":{"message":"exit code 1"})";
    const ShapedCall cases[] = {
        {bare, "silent looks guard"},
        {bare + R"(,"result":"")", "silent looks guard"},
        {bare + R"(,"result":" \n ")", "silent looks guard"},
        {bare + R"(,"result":"null")", "silent looks guard"},
        {R"("ok":false,"result":"")", "silent looks guard"},
        {R"("ok":false)", "looks guard"},  // nothing is known
        {bare + R"(,"result":"no")", "looks guard"},
        {bare + R"(,"result_digest":"d")", "looks guard"},
        {R"("ok":false,"error":{"message":"no such file"})", "looks guard"},
        {R"("ok":false,"error":{"class":"timeout","message":"exit code 1"})", "looks guard"},
        {R"("ok":true,"result":"")", "acknowledged looks guard"},
    };
    for (const ShapedCall& c : cases) {
        DYNAMIC_SECTION(c.data) {
            CHECK(shapes_of(fingerprint_of_shell(guard, c.data)) == c.shapes);
        }
    }
    CHECK(shapes_of(fingerprint_of_shell("make", bare)).empty());  // a red test has said no
    CHECK(shapes_of(fingerprint_of_call(R"("tool":"find_user",)" + bare)).empty());
}

TEST_CASE("fingerprint: a guard that said no is weak, a command that failed in silence is not",
          "[api]") {
    const std::string bare = R"("ok":false,"error":{"message":"exit code 1"})";
    CHECK(fingerprint_of_shell("which cargo", bare).weak());
    CHECK_FALSE(fingerprint_of_shell("./deploy.sh", bare).weak());
    CHECK_FALSE(fingerprint_of_shell("which cargo", R"("ok":true,"result":"/bin/cargo")").weak());
    CHECK(fingerprint_of_call(R"("tool":"click","args":{"x":1},"result":"Clicked.")").weak());
    CHECK_FALSE(
        fingerprint_of_call(R"("tool":"click","args":{"x":1},"result":"a new page")").weak());
    CHECK_FALSE(fingerprint_of_call(R"("tool":"save","args":{"x":1},"result":"Saved.")").weak());
}

TEST_CASE("fingerprint: an answer that only confirms is an acknowledgement", "[api]") {
    const ShapedCall cases[] = {
        {R"("result":"The label has been saved")", "acknowledged"},
        {R"("result":"ok")", "acknowledged"},
        {R"("result":{})", "acknowledged"},
        {R"("result":"")", "acknowledged"},
        {R"("result":"saved, but not sent")", ""},
        {R"("result":"42")", ""},
        {R"("result":"ok","result_digest":"d")", ""},
        {R"("result":"ok","ok":false)", ""},
    };
    for (const ShapedCall& c : cases) {
        DYNAMIC_SECTION(c.data) {
            CHECK(shapes_of(fingerprint_of_call(R"("tool":"label",)" + c.data)) == c.shapes);
        }
    }
}

TEST_CASE("fingerprint: what a command or an action does shows in its shape", "[api]") {
    const std::string news = R"("result":"12 lines of text")";
    const std::pair<const char*, const char*> commands[] = {
        {"ls -la", "looks"},
        {"sleep 5; ls", "looks sleeps"},
        {"sleep 5; ./run", "sleeps"},
        {"sleep 5", ""},
        {"git checkout -- a.py", "restores"},
        {"touch marker", "nothing"},
        {"grep -q x f && ./run", "guard"},
        {"make", ""},
    };
    for (const auto& [command, shapes] : commands) {
        DYNAMIC_SECTION(command) {
            CHECK(shapes_of(fingerprint_of_shell(command, news)) == shapes);
        }
    }
    CHECK(shapes_of(fingerprint_of_call(R"("tool":"browser_click","args":{"x":1},)" + news)) ==
          "acts");
    const std::string failed = R"("ok":false,"error":{"message":"Can't open display: :0"})";
    CHECK(shapes_of(fingerprint_of_shell("xdotool key Tab", news)) == "acts");
    CHECK(shapes_of(fingerprint_of_shell("xdotool key Tab", failed)).empty());
    // A tool that holds a command is judged by the command.
    CHECK(shapes_of(fingerprint_of_call(R"("tool":"press","args":{"cmd":"ls"},)" + news)) ==
          "looks");
    const std::string longest = "ls " + std::string(4096 - 3, 'x');
    CHECK(shapes_of(fingerprint_of_shell(longest, news)) == "looks");
    CHECK(
        shapes_of(fingerprint_of_shell(longest + "x", news)).empty());  // the rest may do anything
}

TEST_CASE("fingerprint: the address of the item of the question is an acknowledgement", "[api]") {
    const auto shapes = [](const std::string& command, const std::string& address) {
        return shapes_of(fingerprint_of_shell(command, R"("result":")" + address + "\""));
    };
    const std::string item = "https://github.com/acme/shop/issues/171";
    CHECK(shapes("gh issue edit 171 --add-label bug", item) == "acknowledged");
    CHECK(shapes("gh issue comment 171 -b x", item + "#issuecomment-9") == "acknowledged");
    CHECK(shapes("gh -R acme/shop issue create -t x", item) == "acknowledged");
    CHECK(shapes("./find_ticket.py login", item).empty());
    CHECK(shapes("./find_ticket.py 71", item).empty());
    CHECK(shapes("./find_ticket.py 171", item + " is open").empty());
    CHECK(shapes("./home_of.sh create", "https://github.com/acme/shop").empty());
    CHECK(shapes("cd shop && gh pr create -t x", item) == "acknowledged");
    for (const char* search : {"cd /srv/open/app && ./find_ticket.py login", "cd order && ./find x",
                               "node src/update/lookup.js login", "./find.py --states open login",
                               "./find_ticket.py login to file"})
        CHECK(shapes(search, item).empty());
    CHECK(shapes("./find_ticket.py --project 42 login", "https://git/projects/42/issues/4711")
              .empty());
    CHECK(shapes("./find_ticket.py --limit 1", "http" + std::string(1'000'000, '/') + "1/x/2")
              .empty());
}

TEST_CASE("fingerprint: an edit is of a part or of a whole file, and may be of looks only",
          "[api]") {
    const auto edit = [](const std::string& args) {
        return R"("tool":"edit_file","args":{"path":"a.py",)" + args + R"(},"result":"3 lines")";
    };
    const ShapedCall cases[] = {
        {edit(R"("old":"x = 1","new":"x = 2")"), ""},
        {edit(R"("old_string":"x = 1","new_string":"x  =  1")"), "cosmetic"},
        {edit(R"("oldText":"f() # a","newText":"f() # b")"), "cosmetic"},
        {edit(R"("search":"x","replace":"x")"), ""},  // nothing differs
        {edit(R"("new":"# a comment")"), ""},         // an insertion replaces nothing
        {edit(R"("content":"x = 1")"), "whole"},
        {edit(R"("file_text":"x = 1")"), "whole"},
        {edit(R"("content":"x","old":"y","new":"z")"), ""},
        {edit(R"("content":"")"), ""},
        {edit(R"("line":3)"), ""},
    };
    for (const ShapedCall& c : cases) {
        DYNAMIC_SECTION(c.data) {
            CHECK(shapes_of(fingerprint_of_call(c.data)) == c.shapes);
        }
    }
    // With a digest of the file, what is in it is known.
    CHECK(shapes_of(fingerprint_of_call(edit(R"("content":"x")") +
                                        R"(,"mutated":[{"path":"a.py","digest":"d"}])")) == "");
    CHECK(shapes_of(fingerprint_of_call(kSearch + R"({"text":"x"},"result":"3 lines")")).empty());
}

TEST_CASE("fingerprint: an edit by a text editor is that of any editing tool", "[api]") {
    const auto edit = [](const char* tool, const char* verb, const char* path, const char* text) {
        return fingerprint_of_call(R"("tool":")" + std::string{tool} + R"(","args":{"command":")" +
                                   verb + R"(","path":")" + path +
                                   R"(","old_str":"a","new_str":")" + text +
                                   R"("},"result":"The file has been edited successfully.")");
    };
    const CallFingerprint one = edit("file_editor", "str_replace", "/w/a.py", "b");
    CHECK(one.kind == CallKind::kEdit);
    CHECK(one.path == edit("file_editor", "str_replace", "/w/a.py", "c").path);
    CHECK(one.content != 0);
    CHECK(one.content != edit("file_editor", "str_replace", "/w/a.py", "c").content);
    CHECK(one.content == edit("file_editor", "str_replace", "/w/b.py", "b").content);
    CHECK_FALSE(one.is(Shape::kCommand));
    const CallFingerprint look = fingerprint_of_call(
        R"("tool":"str_replace_editor","args":{"command":"view","path":"/w/a.py"},"result":"1 a")");
    CHECK(look.kind == CallKind::kRead);
    CHECK(look.content == 0);
    CHECK_FALSE(look.is(Shape::kCommand));
}

TEST_CASE("fingerprint: two edits with the same content have one, whatever file they name",
          "[api]") {
    const auto content = [](const std::string& args) {
        return fingerprint_of_call(R"("tool":"write_file","args":)" + args).content;
    };
    CHECK(content(R"({"path":"a","content":"x"})") == content(R"({"path":"b","content":"x"})"));
    CHECK(content(R"({"path":"a","content":"x"})") != content(R"({"path":"a","content":"y"})"));
    CHECK(content(R"(["x"])") == 0);
    CHECK(fingerprint_of_call(R"("tool":"read_file","args":{"path":"a"})").content == 0);
    CHECK(fingerprint_of_shell("rm x", R"("result":"")").content == 0);
}

TEST_CASE("fingerprint: an argument that a short answer quotes is no news", "[api]") {
    const auto outcome = [](const std::string& args, const std::string& result) {
        return fingerprint_of_call(kSearch + args + R"(,"result":")" + result + "\"").outcome;
    };
    CHECK(outcome(R"({"q":"apples"})", "no results for apples") ==
          outcome(R"({"q":"pears"})", "no results for pears"));
    CHECK(outcome(R"({"q":"apples"})", "apples, apples") ==
          outcome(R"({"q":"pears"})", "pears, pears"));
    // Two letters may be in any word, and what is no text is not looked for.
    CHECK(outcome(R"({"q":"ab"})", "no ab") != outcome(R"({"q":"cd"})", "no cd"));
    CHECK(outcome(R"({"q":1234})", "no 1234") != outcome(R"({"q":5678})", "no 5678"));
    const std::string most(256, 'x');
    CHECK(outcome(R"({"q":")" + most + "\"}", "no " + most) ==
          outcome(R"({"q":"pears"})", "no pears"));
    CHECK(outcome(R"({"q":")" + most + "x\"}", "no " + most + "x") !=
          outcome(R"({"q":"pears"})", "no pears"));
    const std::string page(2048, '.');
    CHECK(outcome(R"({"q":"apples"})", "apples" + page) !=
          outcome(R"({"q":"pears"})", "pears" + page));
}

TEST_CASE("fingerprint: the first four texts are looked for in an answer, of no command", "[api]") {
    const auto outcome = [](const std::string& last) {
        const std::string args = R"({"a":"one","b":"two","c":"three",)" + last + "}";
        return fingerprint_of_call(kSearch + args + R"(,"result":"no apples")").outcome;
    };
    CHECK(outcome(R"("d":"apples")") != outcome(R"("d":"nothing")"));
    CHECK(outcome(R"("d":"four","e":"apples")") == outcome(R"("d":"four","e":"nothing")"));
    CHECK(fingerprint_of_shell("cat a.c", R"("result":"cat a.c")").outcome !=
          fingerprint_of_shell("cat b.c", R"("result":"cat b.c")").outcome);
}

TEST_CASE("fingerprint: a digest of the client stands for what it left out or cut", "[api]") {
    const auto question = [](const std::string& rest) {
        return fingerprint_of_call(R"("tool":"read",)" + rest).question;
    };
    CHECK(question(R"("args_digest":"a")") != question(R"("args_digest":"b")"));
    CHECK(question(R"("args":{"p":1},"args_digest":"a")") ==
          question(R"("args":{"p":1},"args_digest":"b")"));
    const std::string cut = R"("args":{"p":"x [9 chars cut]"},"args_digest":)";
    CHECK(question(cut + R"("a")") != question(cut + R"("b")"));
    CHECK(question(R"("target":"a")") != question(R"("target":"b")"));
    CHECK(question(R"("target":"a","args":{})") == question(R"("target":"b","args":{})"));
    const auto outcome = [](const std::string& rest) {
        return fingerprint_of_call(R"("tool":"read",)" + rest).outcome;
    };
    CHECK(outcome(R"("result_digest":"a")") != outcome(R"("result_digest":"b")"));
    CHECK(outcome(R"("result":"x","result_digest":"a")") ==
          outcome(R"("result":"x","result_digest":"b")"));
}

TEST_CASE("fingerprint: a failure is of the client's class, else of its message", "[api]") {
    const auto failure = [](const std::string& command, const std::string& rest) {
        return fingerprint_of_shell(command, R"("ok":false,)" + rest);
    };
    const CallFingerprint typed =
        failure("./a", R"("error":{"class":"timeout","message":"not found"})");
    CHECK(typed.failure == FailureKind::kTimeout);
    CHECK(typed.typed_failure);
    const CallFingerprint read = failure("./a", R"("error":{"message":"not found"})");
    CHECK(read.failure == FailureKind::kNotFound);
    CHECK_FALSE(read.typed_failure);
    // An exit status alone says nothing: the output does.
    CHECK(failure("./a", R"("error":{"message":"exit 1"},"result":"access denied")").failure ==
          FailureKind::kAuth);
    // A red test is recognised by its output.
    CHECK(failure("make", R"("error":{"message":"connection refused"})").failure ==
          FailureKind::kAssertion);
    const CallFingerprint red =
        fingerprint_of_shell("pytest", R"("ok":true,"result":"2 failed, 1 passed")");
    CHECK(red.failing == 2U);
    CHECK(red.failure == FailureKind::kAssertion);
    // A compiler's count of errors is no count of tests.
    const CallFingerprint broken = fingerprint_of_shell(
        "make test", R"("ok":false,"result":"a.c:3:1: error: x\n2 errors generated.")");
    CHECK(broken.failing > red.failing);
    const CallFingerprint ninja = fingerprint_of_shell(
        "make test",
        R"("ok":false,"result":"FAILED: a.o\na.c:3:1: error: x\n2 errors generated.")");
    CHECK(ninja.failing == broken.failing);
    const CallFingerprint green =
        fingerprint_of_shell("pytest", R"("ok":true,"result":"3 passed")");
    CHECK(green.failing == 0U);
    CHECK(green.failure == FailureKind::kNone);
    CHECK_FALSE(fingerprint_of_shell("./a", R"("result":"2 failed")").failing.has_value());
}

TEST_CASE("fingerprint: a red test says nothing of what is under way, any other answer may",
          "[api]") {
    CHECK(fingerprint_of_shell("gh run view 1", R"("result":"in_progress")").running);
    CHECK(fingerprint_of_shell("gh run view 1", R"("result":"in_progress")").kind ==
          CallKind::kPoll);
    CHECK_FALSE(fingerprint_of_shell("make", R"("result":"building a.o")").running);
    CHECK_FALSE(fingerprint_of_shell("./a", R"("ok":false,"result":"pending")").running);
}

TEST_CASE("fingerprint: a failed look may say that it goes on, in its answer or its error",
          "[api]") {
    CHECK(fingerprint_of_shell("gh pr checks 1", R"("ok":false,"result":"build\tpending\t0")")
              .running);
    const std::string error = R"("ok":false,"error":{"message":"build in_progress"})";
    CHECK(fingerprint_of_shell("gh run view 1 --exit-status", error).running);
    CHECK(fingerprint_of_shell("sleep 60; ./done.sh",
                               R"("ok":false,"error":{"message":"job not finished yet"})")
              .running);
    CHECK_FALSE(fingerprint_of_shell("./done.sh", error).running);
    CHECK_FALSE(
        fingerprint_of_shell("gh run view 1", R"("ok":false,"error":{"message":"build 4 failed"})")
            .running);
    // A short sleep, a name or a long text excuses nothing.
    const auto goes_on = [](const std::string& command, const std::string& message) {
        return fingerprint_of_shell(command,
                                    R"("ok":false,"error":{"message":")" + message + R"("})")
            .running;
    };
    CHECK_FALSE(goes_on("sleep 1; ./done.sh", "job not finished yet"));
    CHECK_FALSE(goes_on("sleep 60; ./convert", "Error processing row 12"));
    CHECK_FALSE(goes_on("gh run view 1", "no run pending-jobs"));
    CHECK_FALSE(goes_on("kubectl get pod a", "pod a not found, pending"));
    CHECK_FALSE(goes_on("gh run view 1", "pending " + std::string(300, 'x')));
}

TEST_CASE("fingerprint: a command that sleeps for its own machine is refused by no provider",
          "[api]") {
    const auto failed = [](const std::string& command, const std::string& message) {
        return fingerprint_of_shell(command,
                                    R"("ok":false,"error":{"message":")" + message + R"("})");
    };
    const std::string closed = "Failed to connect to localhost port 80: Connection refused";
    for (const std::string& text :
         {std::string{"E: Could not get lock /var/lib/dpkg/lock-frontend"}, closed,
          std::string{"listen EADDRINUSE: address already in use :::3000"}}) {
        INFO(text);
        const CallFingerprint waits = failed("sleep 10; ./serve", text);
        CHECK(waits.failure == FailureKind::kOther);
        CHECK(waits.is(Shape::kBusy));
    }
    CHECK(failed("curl localhost", closed).failure == FailureKind::kNetwork);
    CHECK(failed("sleep 10; curl api.example", "connect to api.example: Connection refused")
              .failure == FailureKind::kNetwork);
}

TEST_CASE("fingerprint: the number that Codex puts before an answer is none of it", "[api]") {
    const auto codex = [](const std::string& id) {
        return fingerprint_of_shell(
            "ls", R"("result":"Chunk ID: )" + id + R"(\nWall time: 0.1 seconds\nOutput:\na b")");
    };
    CHECK(codex("2f3a10").outcome == codex("9e0001").outcome);
    CHECK(fingerprint_of_shell("ls", R"("result":"Chunk ID: 1")").outcome !=
          fingerprint_of_shell("ls", R"("result":"Chunk ID: 2")").outcome);
}

TEST_CASE("fingerprint: a wait of a tool that ran out of time has not ended", "[api]") {
    const std::string rest = R"("result":{"status":"running","timed_out":true})";
    CHECK_FALSE(
        fingerprint_of_call(R"("tool":"wait_agent","args":{"id":"a"},)" + rest).is(Shape::kOver));
    CHECK(fingerprint_of_shell("squeue", R"("result":"job 4 timed_out")").is(Shape::kOver));
}

TEST_CASE("fingerprint: the parts of a duration are one where it is that of a run", "[api]") {
    const auto count_in = [](const std::string& answer) {
        return fingerprint_of_shell("./sync", R"("result":")" + answer + '"').outcome;
    };
    for (const char* time : {"1m23s", "0m1.234s", "3h5m", "2d3h", "1h2m3s", "15 ms", "4.2s"}) {
        INFO(time);
        CHECK(count_in("done in " + std::string{time}) == count_in("done in 12s"));
    }
    CHECK(count_in("web-1   Pending   0     3h5m") == count_in("web-1   Pending   0     3h6m"));
    CHECK(count_in("real\\t0m1.234s") == count_in("real\\t0m2.345s"));
    CHECK(count_in("position 1h2m of 2h5m") != count_in("position 1h3m of 2h5m"));
    CHECK(count_in("ETA 1h59m") != count_in("ETA 1h58m"));
    CHECK(count_in("done in 3d4x") != count_in("done in 3d5x"));
}

TEST_CASE("fingerprint: the path is the target, else an argument, else of the command", "[api]") {
    const auto path = [](const std::string& data) { return fingerprint_of_call(data).path; };
    const auto a = path(R"("tool":"read","target":"a.c")");
    CHECK(a != 0);
    CHECK(path(R"("tool":"read","target":"a.c","args":{"path":"b.c"})") == a);
    CHECK(path(R"("tool":"read","args":{"file_path":"./a.c"})") == a);
    CHECK(path(R"("tool":"bash","args":{"command":"cat a.c"})") == a);
    CHECK(path(R"("tool":"bash","args":{"command":"cat b.c","cwd":"a.c/"})") == a);
    CHECK(path(R"("tool":"bash","args":{"command":"make"})") == 0);
}
