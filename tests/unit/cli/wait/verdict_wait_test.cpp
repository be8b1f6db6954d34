// SPDX-License-Identifier: Apache-2.0
#include "cli/wait/verdict_wait.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/parsed.hpp"

using namespace headway::cli;
using headway::tests::parsed;

TEST_CASE("wait: a verdict is taken out of a list, sets written out", "[cli]") {
    CHECK(until_without("settled", "stuck") ==
          "completed,failed,cancelled,halted,blocked,needs_somebody");
    CHECK(until_without("ended,completed,slow", "stuck") ==
          "completed,failed,cancelled,halted,slow");
    CHECK(until_without("stuck", "stuck").empty());
    CHECK_THAT(all_verdicts_but("stuck"), !Catch::Contains("stuck"));
    CHECK_THAT(all_verdicts_but("stuck"), Catch::Contains("suspect"));
}

TEST_CASE("wait: verdicts and exit codes", "[cli]") {
    CHECK(exit_code_of("completed") == 0);
    CHECK(exit_code_of("failed") == 1);
    CHECK(exit_code_of("halted") == 1);
    CHECK(exit_code_of("stuck") == 2);
    CHECK(exit_code_of("cancelled") == 3);
    CHECK(exit_code_of("blocked") == 4);
    CHECK(exit_code_of("waiting") == 4);
    CHECK(exit_code_of("silent") == 5);
    CHECK(exit_code_of("progressing") == 0);
    CHECK(exit_code_of("suspect") == 0);
    CHECK(exit_code_of("exhausted") == 70);  // of a daemon to come
    CHECK(exit_code_of("") == 70);
}

TEST_CASE("wait: a reply that names no known verdict is an error of the daemon", "[cli]") {
    for (const char* const matched :
         {R"("exhausted")", R"("")", "7", "true", R"(["completed"])", R"({"a":"completed"})"}) {
        const std::string one = std::string(R"({"met":true,"session":"a","matched":)") + matched;
        CHECK(read_wait_reply(parsed(one + "}"), false).exit_code == 70);
    }
    CHECK(read_wait_reply(parsed(R"({"met":true,"session":"a"})"), false).exit_code == 70);
    CHECK(
        read_wait_reply(parsed(R"({"met":true,"session":"a","matched":null})"), false).exit_code ==
        0);  // only `event` was met
    const std::string several = R"({"met":true,"sessions":{"a":{},"b":{}},"matched":)";
    for (const char* const matched :
         {R"({"a":"completed","b":"exhausted"})", R"({"a":"completed","b":7})", "{}", "null",
          R"("completed")", R"(["completed"])"}) {
        CHECK(read_wait_reply(parsed(several + matched + "}"), false).exit_code == 70);
    }
    CHECK(read_wait_reply(parsed(several + R"({"a":null,"b":"completed"}})"), false).exit_code ==
          0);
    CHECK(read_wait_reply(parsed(several + R"({"a":"exhausted","b":"completed"}})"), true)
              .exit_code == 0);
}

TEST_CASE("wait: several that are given up without a word are no success", "[cli]") {
    for (const char* const rest :
         {R"("matched":{},"causes":{})", R"("matched":{})", R"("causes":[])"}) {
        const std::string text =
            std::string{R"({"met":false,"impossible":true,"sessions":{"a":{}},)"} + rest + "}";
        CHECK(read_wait_reply(parsed(text), false).exit_code == 70);
    }
}

TEST_CASE("wait: a reply for one session", "[cli]") {
    const WaitAnswer answer = read_wait_reply(
        parsed(R"({"met":true,"matched":"stuck","impossible":false,"session":"a","n":3,
                        "verdict":{"status":"stuck","reason":"same call"}})"),
        false);
    CHECK(answer.met);
    CHECK(answer.stuck);
    CHECK(answer.exit_code == 2);
    CHECK(answer.lines == std::vector<std::string>{"a: stuck (same call)"});
    const WaitAnswer nothing = read_wait_reply(
        parsed(R"({"met":false,"matched":null,"impossible":true,"session":"a","verdict":null})"),
        false);
    CHECK_FALSE(nothing.met);
    CHECK(nothing.impossible);
    CHECK(nothing.lines == std::vector<std::string>{"a: not opened yet"});
    CHECK_FALSE(read_wait_reply(Json(7), false).met);
}

TEST_CASE("wait: of several the worst decides for all, the best for any", "[cli]") {
    const Json reply = parsed(
        R"({"met":true,"impossible":false,"matched":{"a":"completed","b":"stuck","c":"cancelled"},
            "sessions":{"a":{"verdict":{"status":"completed"}},"b":{"verdict":{"status":"stuck"}},
                        "c":{"verdict":{"status":"cancelled"}},"d":{}}})");
    const WaitAnswer all = read_wait_reply(reply, false);
    CHECK(all.exit_code == 2);
    CHECK(all.stuck);
    CHECK(all.lines.size() == 4);
    CHECK(read_wait_reply(reply, true).exit_code == 0);
}

TEST_CASE("wait: the long poll says what was asked", "[cli]") {
    WaitOptions options;
    options.sessions = {"a"};
    CHECK(wait_path(options, "settled", milliseconds{55'000}, milliseconds{0}) ==
          "/v1/sessions/a/wait?until=settled&missing=wait&open_within=60000ms&wait=55000ms");
    CHECK_THAT(wait_path(options, "settled", milliseconds{55'000}, milliseconds{59'000}),
               Catch::Contains("&open_within=1000ms&"));
    CHECK_THAT(wait_path(options, "settled", milliseconds{55'000}, milliseconds{70'000}),
               Catch::Contains("&open_within=1ms&"));
    options.open_within = milliseconds{0};
    options.silent_for = std::chrono::hours{24 * 30};
    CHECK(wait_path(options, "ended", milliseconds{5}, milliseconds{70'000}) ==
          "/v1/sessions/a/wait?until=ended&missing=wait&silent_for=2592000s&wait=5ms");
    options = {};
    options.sessions = {"a"};
    options.after = 7;
    options.mode = "ever";
    options.missing_waits = false;
    CHECK(wait_path(options, "stuck,failed", milliseconds{1}, milliseconds{0}) ==
          "/v1/sessions/a/wait?until=stuck%2Cfailed&after=7&mode=ever&wait=1ms");
    options = {};
    options.sessions = {"a", "b"};
    CHECK(wait_path(options, "ended", milliseconds{5}, milliseconds{0}) ==
          "/v1/wait?all=a,b&until=ended&missing=wait&open_within=60000ms&wait=5ms");
    options.any = true;
    CHECK_THAT(wait_path(options, "ended", milliseconds{5}, milliseconds{0}),
               Catch::StartsWith("/v1/wait?any=a,b&"));
}

TEST_CASE("wait: an agent that is gone and a session that never came have exit codes of their own",
          "[cli]") {
    const WaitAnswer gone =
        read_wait_reply(parsed(R"({"met":false,"matched":null,"impossible":true,"cause":"silent",
                        "session":"a","n":3,"verdict":{"status":"silent","reason":"no beat"}})"),
                        false);
    CHECK(gone.exit_code == 5);
    CHECK(gone.silent == std::vector<std::string>{"a"});
    CHECK(gone.unopened.empty());
    const WaitAnswer never = read_wait_reply(
        parsed(R"({"met":false,"matched":null,"impossible":true,"cause":"never_opened",
                        "session":"a","n":0,"verdict":null})"),
        false);
    CHECK(never.exit_code == 6);
    CHECK(never.unopened == std::vector<std::string>{"a"});
    const WaitAnswer ended =
        read_wait_reply(parsed(R"({"met":false,"matched":null,"impossible":true,"cause":"ended",
                        "session":"a","n":3,"verdict":{"status":"completed"}})"),
                        false);
    CHECK(ended.exit_code == 3);
}

TEST_CASE("wait: of several that are given up the worst decides, a failure before it", "[cli]") {
    Json reply = parsed(
        R"({"met":false,"impossible":true,"matched":{"a":"completed"},
            "causes":{"b":"silent","c":"never_opened","d":"ended"},
            "sessions":{"a":{"verdict":{"status":"completed"}},"b":{"verdict":{"status":"silent"}},
                        "c":null,"d":{"verdict":{"status":"completed"}}}})");
    CHECK(read_wait_reply(reply, false).exit_code == 5);
    CHECK(read_wait_reply(reply, false).unopened == std::vector<std::string>{"c"});
    reply["matched"]["e"] = "failed";
    CHECK(read_wait_reply(reply, false).exit_code == 1);
    reply["met"] = true;  // any: what has come counts, not what cannot come
    reply["matched"] = {{"a", "completed"}};
    CHECK(read_wait_reply(reply, true).exit_code == 0);
}
