// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Stops by a provider, waits for work in the background and wake-ups (docs/detection.md, section
// 8).

using namespace headway::tests::catalogue;
using headway::core::Cause;
using headway::core::Verdict;

namespace {

void fails(Agent& agent, std::string_view error_class, std::string_view more = {}) {
    std::string data = R"({"message":"it is refused","class":")";
    data += error_class;
    data += '"';
    if (!more.empty()) (data += ',') += more;
    agent.reports("error.reported", data + "}");
}

void idles(Agent& agent, std::string_view more = {}) {
    std::string data = R"({"state":"idle")";
    if (!more.empty()) (data += ',') += more;
    agent.reports("state.changed", data + "}");
}

const std::string& reason(const Agent& agent) {
    return agent.state().judgement->reason;
}

}  // namespace

TEST_CASE("a stop whose class is typed blocks at once and names its cause") {
    const std::pair<const char*, Cause> cases[] = {{"authentication_failed", Cause::kCredentials},
                                                   {"billing_error", Cause::kBilling},
                                                   {"usage_limit", Cause::kUsageLimit},
                                                   {"rate_limit", Cause::kRateLimit},
                                                   {"overloaded", Cause::kOverloaded},
                                                   {"model_not_found", Cause::kModelMissing},
                                                   {"context_length", Cause::kContextFull},
                                                   {"ECONNREFUSED", Cause::kNetwork},
                                                   {"CERT_HAS_EXPIRED", Cause::kCertificate}};
    for (const auto& [name, cause] : cases) {
        DYNAMIC_SECTION(name) {
            Agent agent;
            agent.hears("fix the build");
            fails(agent, name);
            expect_blocked(agent);
            CHECK(agent.state().judgement->cause == cause);
            CHECK(agent.count(Verdict::kBlocked) == 1);
        }
    }
}

TEST_CASE("an unknown error that ended a turn blocks with its own words") {
    Agent agent;
    agent.hears("fix the build");
    SECTION("and one that did not is shown by the next") {
        fails(agent, "flux");
        CHECK(agent.verdict() == Verdict::kStarting);
    }
    fails(agent, "flux", R"("ends_turn":true)");
    expect_blocked(agent);
    CHECK(agent.state().judgement->cause == Cause::kUnknown);
    CHECK(reason(agent).find("it is refused") != std::string::npos);
}

TEST_CASE("a stop outlasts the prompt, silence, heartbeats and failing calls") {
    Agent agent;
    agent.hears("fix the build");
    fails(agent, "usage_limit");
    idles(agent);
    expect_blocked(agent);
    agent.passes(std::chrono::hours{3});
    expect_blocked(agent);
    agent.beats().beats();
    idles(agent, R"("detail":"startup")");
    expect_blocked(agent);
    SECTION("until a person asks") {
        agent.hears("go on");
    }
    SECTION("until something woke it") {
        agent.reports("message",
                      R"({"role":"system","text":"the limit has reset","wake_up":true})");
    }
    SECTION("until a turn begins") {
        agent.reports("state.changed", R"({"state":"processing_prompt"})");
    }
    SECTION("until a call starts") {
        agent.starts(bash("make"));
    }
    SECTION("until a call works") {
        agent.does(read_file("a.txt").result(source_of("a")));
    }
    CHECK(agent.verdict() != Verdict::kBlocked);
}

TEST_CASE("one failure that passes by itself is over with the model's next answer") {
    Agent agent;
    agent.hears("build it");
    fails(agent, "overloaded", R"("status":503)");
    expect_blocked(agent);
    SECTION("words") {
        agent.says("I start the build now.");
    }
    SECTION("a reflection") {
        agent.reports("reflection", R"({"text":"the build is next"})");
    }
    SECTION("a call") {
        agent.starts(bash("make"));
        for (int beat = 0; beat < 40; ++beat) {
            agent.beats();
            CHECK(agent.verdict() != Verdict::kBlocked);
        }
    }
    CHECK(agent.verdict() != Verdict::kBlocked);
}

TEST_CASE("words of the agent do not lift a usage limit") {
    Agent agent;
    agent.hears("build it");
    fails(agent, "usage_limit");
    agent.says("You've hit your session limit, resets 3pm");
    expect_blocked(agent);
}

TEST_CASE("the time of a reset stands in the verdict, and a vaguer error keeps it") {
    Agent agent;
    agent.hears("build it");
    // The catalogue's time begins at 2023-11-14 22:13:20 UTC.
    fails(agent, "usage_limit", R"("retry_at":"2023-11-15T03:10:00Z")");
    const auto until = agent.state().judgement->retry_at;
    CHECK(reason(agent).find("until 2023-11-15 03:10 UTC") != std::string::npos);
    fails(agent, "api_error", R"("ends_turn":true)");
    CHECK(agent.state().judgement->cause == Cause::kUsageLimit);
    CHECK(agent.state().judgement->retry_at == until);
    CHECK(agent.count(Verdict::kBlocked) >= 1);
    SECTION("an exact one replaces it") {
        fails(agent, "authentication_failed");
        CHECK(agent.state().judgement->cause == Cause::kCredentials);
        CHECK(agent.state().judgement->retry_at == headway::core::kNever);
    }
    SECTION("a later time replaces it") {
        fails(agent, "usage_limit", R"("retry_at":"2023-11-16T03:10:00Z")");
        CHECK(reason(agent).find("until 2023-11-16") != std::string::npos);
    }
}

TEST_CASE("a time that no provider names is not believed") {
    Agent agent;
    agent.hears("build it");
    const std::string when = GENERATE("2023-11-14T22:00:00Z", "2033-01-01T00:00:00Z");
    fails(agent, "usage_limit", R"("retry_at":")" + when + '"');
    expect_blocked(agent);
    CHECK(agent.state().judgement->retry_at == headway::core::kNever);
}

TEST_CASE("work in the background keeps a session waiting, by its names") {
    Agent agent;
    agent.hears("serve it");
    agent.does(bash("npm run build").result("built"));
    idles(agent, R"("background":["shell: npm run dev","cron: */10 * * * *"])");
    CHECK(agent.verdict() == Verdict::kWaiting);
    CHECK(reason(agent) ==
          "waits for its work in the background: shell: npm run dev, cron: */10 * * * *");
    SECTION("an idle prompt beside it changes nothing") {
        idles(agent);
        agent.passes(std::chrono::hours{2});
        CHECK(reason(agent).find("npm run dev") != std::string::npos);
        CHECK(agent.verdict() == Verdict::kWaiting);
    }
    SECTION("the next stop without any ends it") {
        agent.hears("stop the server");
        idles(agent);
        CHECK(reason(agent) == "idle: it waits for a task");
    }
    SECTION("only so many names are kept, the others are counted") {
        agent.hears("more");
        std::string names = R"("background":[)";
        for (int i = 0; i < 20; ++i)
            names += (i == 0 ? "\"t" : ",\"t") + std::to_string(i) + '"';
        idles(agent, names + "]");
        CHECK(reason(agent).find("t7 and 12 more") != std::string::npos);
    }
    CHECK(agent.count(Verdict::kSilent) == 0);
}

TEST_CASE("a look at each wake-up is a wait, and a wake-up is no message of a person") {
    Agent agent;
    agent.hears("tell me when the pull request is approved");
    for (int look = 0; look < 30; ++look) {
        agent.reports("message", R"({"role":"system","text":"look again","wake_up":true})");
        agent.does(bash("gh pr view 12 --json reviewDecision")
                       .result(R"({"reviewDecision":"REVIEW_REQUIRED"})"));
        idles(agent, R"("background":["cron: */10 * * * *"])");
        agent.passes(std::chrono::minutes{10});
    }
    expect_never_stuck(agent);
    CHECK(agent.count(Verdict::kSuspect) == 0);
    CHECK(agent.state().ledger->lifts <= 1);
}

TEST_CASE("what usually passes needs a person only when it lasts or ended the turn") {
    Agent agent;
    agent.hears("build it");
    const auto needs = [&agent] { return agent.state().judgement->needs_somebody; };
    SECTION("the agent tries again by itself") {
        for (int attempt = 1; attempt < 6; ++attempt) {
            fails(agent, "overloaded");
            CHECK_FALSE(needs());
        }
        fails(agent, "overloaded");
        CHECK(needs());
    }
    SECTION("the turn is over") {
        fails(agent, "overloaded");
        fails(agent, "overloaded", R"("ends_turn":true)");
        CHECK(needs());
    }
    SECTION("the next attempt is an hour ahead") {
        fails(agent, "rate_limit", R"("retry_at":"2023-11-14T23:30:00Z")");
        CHECK(needs());
    }
    SECTION("the next attempt is a minute ahead") {
        fails(agent, "rate_limit", R"("retry_at":"2023-11-14T22:14:30Z")");
        CHECK_FALSE(needs());
    }
    expect_blocked(agent);
}

TEST_CASE("an error that says nothing more does not hide the one before it") {
    Agent agent;
    agent.hears("build it");
    SECTION("words that need a second error") {
        agent.reports("error.reported", R"({"message":"429 usage_limit_reached"})");
        CHECK(agent.verdict() != Verdict::kBlocked);
    }
    SECTION("a class") {
        fails(agent, "usage_limit");
    }
    agent.reports("error.reported", R"({"message":"","class":"error","ends_turn":true})");
    expect_blocked(agent);
    CHECK(agent.state().judgement->cause == Cause::kUsageLimit);
}

TEST_CASE("a session that fails while its provider stopped it says why, and until when") {
    Agent agent;
    agent.hears("build it");
    fails(agent, "usage_limit", R"("retry_at":"2023-11-15T03:10:00Z")");
    SECTION("with a reason that says nothing") {
        agent.reports("session.ended", R"({"outcome":"failed","reason":"other"})");
        CHECK(reason(agent) == "the usage limit is reached, since #3; until 2023-11-15 03:10 UTC");
    }
    SECTION("with its own words") {
        agent.reports("session.ended", R"({"outcome":"failed","reason":"exit status 1"})");
        CHECK(reason(agent) ==
              "exit status 1 (the usage limit is reached, since #3; until 2023-11-15 03:10 UTC)");
    }
    CHECK(agent.verdict() == Verdict::kFailed);
    CHECK(agent.state().judgement->cause == Cause::kUsageLimit);
    CHECK(agent.state().judgement->retry_at != headway::core::kNever);
}

TEST_CASE("a session that fails for another reason has no cause") {
    Agent agent;
    agent.hears("build it");
    fails(agent, "usage_limit");
    agent.does(read_file("a.txt").result(source_of("a")));
    agent.reports("session.ended", R"({"outcome":"failed","reason":"red tests"})");
    CHECK(reason(agent) == "red tests");
    CHECK(agent.state().judgement->cause == Cause::kNone);
}

TEST_CASE("words alone take neither a certain stop nor an open dialog away") {
    Agent agent;
    agent.hears("build it");
    SECTION("a stop") {
        fails(agent, "usage_limit", R"("ends_turn":true)");
        agent.reports("error.reported", R"({"message":"invalid api key"})");
        expect_blocked(agent);
        CHECK(agent.state().judgement->cause == Cause::kUsageLimit);
    }
    SECTION("a dialog") {
        agent.reports("state.changed", R"({"state":"awaiting_permission"})");
        agent.reports("error.reported", R"({"message":"connection reset"})");
        fails(agent, "rate_limit");
        expect_blocked(agent);
        CHECK(agent.state().judgement->cause == Cause::kPerson);
    }
}

TEST_CASE("a lesser error after a limit does not shorten it") {
    Agent agent;
    agent.hears("build it");
    fails(agent, "usage_limit", R"("retry_at":"2023-11-15T03:10:00Z")");
    const auto until = agent.state().judgement->retry_at;
    fails(agent, "rate_limit", R"("status":429,"retry_at":"2023-11-14T22:15:00Z")");
    CHECK(agent.state().judgement->retry_at == until);
}

TEST_CASE("a wake-up is one by the system's role only") {
    Agent agent;
    agent.hears("build it");
    fails(agent, "usage_limit");
    agent.reports("message", R"({"role":"assistant","text":"hm","wake_up":true})");
    expect_blocked(agent);
}

TEST_CASE("other work in the background is another wait") {
    Agent agent;
    agent.hears("serve it");
    idles(agent);
    CHECK(reason(agent) == "idle: it waits for a task");
    idles(agent, R"("background":["shell: build"])");
    CHECK(reason(agent) == "waits for its work in the background: shell: build");
}

TEST_CASE("what usually passes needs a person once the agent is not heard any more") {
    Agent agent;
    agent.hears("build it");
    fails(agent, "overloaded");
    CHECK_FALSE(agent.state().judgement->needs_somebody);
    agent.passes(std::chrono::minutes{30});
    expect_blocked(agent);
    CHECK(agent.state().judgement->needs_somebody);
}
