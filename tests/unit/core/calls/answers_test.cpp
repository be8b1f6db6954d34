// SPDX-License-Identifier: Apache-2.0
#include "core/calls/answers.hpp"

#include <catch2/catch.hpp>

#include <string>
#include "core/calls/mask.hpp"

#include "core/calls/tool_names.hpp"

using namespace headway::core;

TEST_CASE("answers: messages that name an exit status and nothing else", "[core]") {
    for (const char* bare :
         {"exit code 1", "exit 1", "Command failed with exit code 22", "exit status 22",
          "non-zero return code", "Process exited with code 127", "Exit code: 2"})
        CHECK(is_only_exit_status(bare));
    for (const char* text : {"", "1", "failed", "error", "exit code 1: no such file",
                             "Exited by user", "command not found", "the code failed"})
        CHECK_FALSE(is_only_exit_status(text));
}

TEST_CASE("answers: confirmations", "[core]") {
    for (const char* done : {"", "ok", "Clicked.", "Scrolled down 500 px",
                             "The label has been saved to the database successfully."})
        CHECK(is_acknowledgement(done));
    for (const char* news : {"Clicked, but the element is not visible", "error: update failed",
                             "42", "No results found", "nothing was sent"})
        CHECK_FALSE(is_acknowledgement(news));
    CHECK_FALSE(is_acknowledgement(std::string(200, 'x') + " saved"));
}

TEST_CASE("answers: tools that act on a screen", "[core]") {
    for (const char* tool :
         {"scroll", "browser_click", "pressKey", "computer.type", "mouse-move", "navigate"})
        CHECK(acts_on_screen(tool));
    for (const char* tool : {"bash", "read_file", "search", "edit", "screenshot", "typecheck"})
        CHECK_FALSE(acts_on_screen(tool));
}

TEST_CASE("answers: files that tools write by themselves", "[core]") {
    CHECK(is_artifact("coverage.xml"));
    CHECK(is_artifact("run.log"));
    CHECK(is_artifact("pkg/__pycache__/a.pyc"));
    CHECK_FALSE(is_artifact("src/main.c"));
    CHECK_FALSE(is_artifact("docs/logging.md"));
}

TEST_CASE("answers: what a message quotes is left out", "[core]") {
    CHECK(without_quotes("relation \"a\" does not exist") == "relation \"\" does not exist");
    CHECK(without_quotes("no such file: 'x y'") == "no such file: ''");
    CHECK(without_quotes("don't and can't") == "don't and can't");
    CHECK(without_quotes("an \"open one") == "an \"open one");
}

TEST_CASE("answers: an end that no waiting changes", "[core]") {
    const char* const over =
        GENERATE("completed cancelled", R"({"state":"FAILED","finished":true})", "Killed",
                 "5512044 PENDING DependencyNeverSatisfied",
                 "checkout-1  0/1  ImagePullBackOff  0  4m", "worker lost, will not be restarted");
    CAPTURE(over);
    CHECK(says_over(over));
    const char* const other = GENERATE("", "running", "0 failed, 12 passed", "2 failed, 1 running",
                                       "no failure", "completed success", "unfailing",
                                       "ask again if failed", "restarting: failed once");
    CAPTURE(other);
    CHECK_FALSE(says_over(other));
    CHECK_FALSE(says_over("failed" + std::string(4096, ' ') + "x"));  // a log, not a status
}

TEST_CASE("answers: ends of before, of others and in names are none", "[core]") {
    for (const char* over : {R"({"status":"timed_out"})", "123 main me OUT_OF_MEMORY 0:00",
                             "NAME STATE\njob-1 FAILED", "job-7: failed"})
        CHECK(says_over(over));
    for (const char* other :
         {R"({"status":"ok","previous":"failed"})", "last: failed; now: ok",
          "NAME READY FAILED\nweb 3 0", "wrote failed_jobs.csv", "see logs/failed for more"})
        CHECK_FALSE(says_over(other));
}

TEST_CASE("answers: receipts of changed rows", "[core]") {
    for (const char* receipt : {"UPDATE 1000", "DELETE 3", "INSERT 0 12", "3 rows affected"})
        CHECK(is_receipt(receipt));
    for (const char* other : {"", "UPDATE 0", "update the docs", "0 rows affected", "1000",
                              "UPDATE 3 error: deadlock", "update 1 is rejected"})
        CHECK_FALSE(is_receipt(other));
    for (const char* receipt : {"Query OK, 3 rows affected (0.01 sec)", "(3 rows affected)",
                                "{ acknowledged: true, matchedCount: 1, modifiedCount: 1 }",
                                "{ acknowledged: true, insertedId: ObjectId('65') }"})
        CHECK(is_receipt(receipt));
    for (const char* other : {"Query OK, 0 rows affected (0.01 sec)", "(0 rows affected)",
                              "{ acknowledged: true, matchedCount: 1, modifiedCount: 0 }"})
        CHECK_FALSE(is_receipt(other));
}

TEST_CASE("answers: tools that write the agent's own memory", "[core]") {
    CHECK(only_remembers("memory_write"));
    CHECK(only_remembers("rememberFact"));
    CHECK_FALSE(only_remembers("memory_dump"));
    CHECK_FALSE(only_remembers("inspect_memory"));
    CHECK_FALSE(only_remembers("create_note"));
    CHECK_FALSE(only_remembers("write_file"));
}

TEST_CASE("answers: words of a user that only tell it to go on", "[core]") {
    for (const char* word : {"continue", "Go on.", "please continue", "OK, keep going!", "next"})
        CHECK(only_goes_on(word));
    for (const char* request : {"", "run the tests", "continue with the parser", "status?",
                                "go to 3", "[cron] check the inbox and report"})
        CHECK_FALSE(only_goes_on(request));
}

TEST_CASE("answers: that something is in use by others", "[core]") {
    CHECK(says_busy("E: Could not get lock /var/lib/dpkg/lock-frontend"));
    CHECK(says_busy("429 Too Many Requests"));
    CHECK_FALSE(says_busy("ok"));
    CHECK_FALSE(says_busy(std::string(512, 'x') + " is locked"));
}

TEST_CASE("answers: receipts that differ by an id have one form, and counts of work do not",
          "[core]") {
    CHECK(receipt_form("Created issue #4412", false) == receipt_form("Created issue #4413", false));
    CHECK(receipt_form("https://h/o/r/pull/12#issuecomment-91", true) ==
          receipt_form("https://h/o/r/pull/12#issuecomment-92", true));
    CHECK(receipt_form("agentId: a71f3c9", false) == receipt_form("agentId: a80b2d1", false));
    CHECK(receipt_form("agentId: a7123456", false) == receipt_form("agentId: a8123456", false));
    for (const char* progress : {"task {} of 40 done", "Task {}/12: completed"}) {
        std::string one = progress;
        std::string two = progress;
        CHECK(receipt_form(one.replace(one.find("{}"), 2, "3"), false) !=
              receipt_form(two.replace(two.find("{}"), 2, "4"), false));
    }
    CHECK(receipt_form("Created /pull/4412/files", false) ==
          receipt_form("Created /pull/4413/files", false));
    CHECK(receipt_form("found in module12.py", false) !=
          receipt_form("found in module13.py", false));
    CHECK(receipt_form("Tagged DSC01234.jpg: a beach", false) !=
          receipt_form("Tagged DSC01235.jpg: a beach", false));
    CHECK(receipt_form("part00012 is valid", false) != receipt_form("part00013 is valid", false));
    CHECK(receipt_form("created job12345", false) == receipt_form("created job12346", false));
    CHECK(receipt_form("Submitted batch job 17", false) ==
          receipt_form("Submitted batch job 18", false));
    CHECK(receipt_form("batch 13 loaded", false) != receipt_form("batch 14 loaded", false));
    CHECK(receipt_form("batch 13 loaded", true) == receipt_form("batch 14 loaded", true));
    CHECK(receipt_form("", true).empty());
}

TEST_CASE("answers: an answer that nothing has come is no list of things", "[core]") {
    for (const char* nothing : {"", "[]", "{\"messages\":[]}", "No new messages.", "null", "0"})
        CHECK(says_nothing_yet(nothing));
    for (const char* news : {"[{\"id\":1}]", "3 messages", "10"})
        CHECK_FALSE(says_nothing_yet(news));
}

TEST_CASE("answers: tools that fetch a page", "[core]") {
    for (const char* tool : {"WebFetch", "fetch", "mcp__fetch__fetch", "web_fetch", "openurl"})
        CHECK(fetches_page(tool));
    for (const char* other : {"WebSearch", "prefetcher", "read"})
        CHECK_FALSE(fetches_page(other));
}

TEST_CASE("tool names: a step moves on from where a machine stands, and no getter or server is one",
          "[core]") {
    for (const char* tool : {"jog", "mcp__pump__dose", "mcp__daw__next_track", "previousSlide"})
        CHECK(headway::core::steps_on(tool));
    for (const char* tool : {"undo", "get_next_job", "mcp__next-devtools__build", "mcp__ide__redo",
                             "context", "fetch_next_page", ""})
        CHECK_FALSE(headway::core::steps_on(tool));
}
