// SPDX-License-Identifier: Apache-2.0
#include "cli/line/command_line.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "cli/verbs/admin/token.hpp"
#include "cli/verbs/admin/webhooks.hpp"
#include "cli/verbs/records/eval.hpp"
#include "cli/verbs/records/replay.hpp"
#include "cli/verbs/run/report.hpp"
#include "cli/verbs/run/run.hpp"
#include "cli/verbs/setup/config.hpp"
#include "cli/verbs/setup/doctor.hpp"
#include "cli/verbs/setup/version.hpp"
#include "cli/verbs/steer/cancel.hpp"
#include "cli/verbs/steer/check.hpp"
#include "cli/verbs/steer/end.hpp"
#include "cli/verbs/watch/dashboard.hpp"
#include "cli/verbs/watch/events.hpp"
#include "cli/verbs/watch/sessions.hpp"
#include "cli/verbs/watch/show.hpp"
#include "cli/verbs/watch/watch.hpp"
#include "cli/wait/wait.hpp"
#include "config/load/load.hpp"

using namespace headway::cli;

namespace {

struct Outcome {
    Parsed parsed;
    std::string out;
    std::string err;
};

Outcome parse(const std::vector<std::string>& words) {
    std::ostringstream out;
    std::ostringstream err;
    const Console console{out, err, {{"HEADWAY_URL", "http://env:1"}}};
    std::vector<const char*> argv{"headway"};
    for (const std::string& word : words)
        argv.push_back(word.c_str());
    Outcome outcome;
    outcome.parsed = parse_arguments(static_cast<int>(argv.size()), argv.data(), console);
    outcome.out = out.str();
    outcome.err = err.str();
    return outcome;
}

template <class Options>
Options options_of(const std::vector<std::string>& words) {
    const Outcome outcome = parse(words);
    INFO(outcome.err);
    const auto* const verb = dynamic_cast<const VerbOf<Options>*>(outcome.parsed.verb.get());
    REQUIRE(verb != nullptr);
    return verb->options;
}

}  // namespace

TEST_CASE("command line: serve collects settings and the environment", "[cli]") {
    const auto serve = options_of<headway::config::ServeOptions>(
        {"serve", "--listen", "127.0.0.1:0", "--state-dir", "/s", "--ports-file", "/p", "--set",
         "log.level=debug", "--set", "policy.profile=strict", "--config", "/c.toml"});
    CHECK(serve.sources.flags ==
          std::map<std::string, std::string>{{"log.level", "debug"},
                                             {"policy.profile", "strict"},
                                             {"server.listen", "127.0.0.1:0"},
                                             {"storage.state_dir", "/s"}});
    CHECK(serve.ports_file == "/p");
    CHECK(serve.sources.file == "/c.toml");
    CHECK(serve.sources.environment.count("HEADWAY_URL") == 1);
}

TEST_CASE("command line: check waits without a limit, for so long, or not at all", "[cli]") {
    CHECK_FALSE(options_of<CheckOptions>({"check", "a"}).wait);
    const auto endless = options_of<CheckOptions>({"check", "--wait", "a", "--id", "monday"});
    CHECK(endless.wait);
    CHECK_FALSE(endless.timeout.has_value());
    CHECK(endless.session == "a");
    CHECK(endless.id == "monday");
    const auto bounded = options_of<CheckOptions>({"check", "a", "--wait=30s", "--json"});
    CHECK(bounded.wait);
    CHECK(bounded.timeout == std::chrono::seconds{30});
    CHECK(bounded.client.json);
    for (const char* wrong : {"--wait=soon", "--wait=false"})
        CHECK(parse({"check", "a", wrong}).parsed.exit_code == 64);
    CHECK(parse({"check"}).parsed.exit_code == 64);
}

TEST_CASE("command line: doctor takes the settings of serve and needs no daemon", "[cli]") {
    const auto doctor = options_of<DoctorOptions>(
        {"doctor", "--config", "/c.toml", "--state-dir", "/s", "--url", "http://a:1", "--json"});
    CHECK(doctor.sources.file == "/c.toml");
    CHECK(doctor.sources.flags == std::map<std::string, std::string>{{"storage.state_dir", "/s"}});
    CHECK(doctor.sources.environment.count("HEADWAY_URL") == 1);
    CHECK(doctor.url == "http://a:1");
    CHECK(doctor.json);
}

TEST_CASE("command line: token and what is below it", "[cli]") {
    const auto create =
        options_of<TokenOptions>({"token", "create", "ci", "--scope", "report:ci-,read", "--scope",
                                  "control", "--expires", "12h", "--json"});
    CHECK((create.action == TokenOptions::Action::kCreate));
    CHECK(create.name == "ci");
    CHECK(create.scopes == std::vector<std::string>{"report:ci-", "read", "control"});
    CHECK(create.expires == std::chrono::hours{12});
    CHECK(create.client.json);
    CHECK(create.client.url == "http://env:1");
    const auto revoke = options_of<TokenOptions>({"token", "revoke", "7A"});
    CHECK((revoke.action == TokenOptions::Action::kRevoke));
    CHECK(revoke.id == "7A");
    CHECK((options_of<TokenOptions>({"token", "list"}).action == TokenOptions::Action::kList));
    CHECK((options_of<TokenOptions>({"token", "rotate-operator"}).action ==
           TokenOptions::Action::kRotateOperator));
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"token"},
             {"token", "create", "ci"},
             {"token", "create", "--scope", "read"},
             {"token", "revoke"},
             {"token", "create", "ci", "--scope", "read", "--expires", "x"}}) {
        CHECK(parse(words).parsed.exit_code == 64);
    }
}

TEST_CASE("command line: webhooks are listed, tested and replayed, and a secret needs no daemon",
          "[cli]") {
    using Action = WebhookOptions::Action;
    const auto replay = options_of<WebhookOptions>({"webhooks", "replay", "ops", "m1", "m2"});
    CHECK((replay.action == Action::kReplay));
    CHECK(replay.name == "ops");
    CHECK(replay.ids == std::vector<std::string>{"m1", "m2"});
    CHECK_FALSE(replay.all);
    CHECK(options_of<WebhookOptions>({"webhooks", "replay", "ops", "--all"}).all);
    CHECK((options_of<WebhookOptions>({"webhooks", "test", "ops"}).action == Action::kTest));
    CHECK((options_of<WebhookOptions>({"webhooks", "dead", "ops"}).action == Action::kDead));
    CHECK((options_of<WebhookOptions>({"webhooks", "pending", "x"}).action == Action::kPending));
    CHECK((options_of<WebhookOptions>({"webhooks", "list"}).action == Action::kList));
    CHECK((options_of<WebhookOptions>({"webhooks", "secret"}).action == Action::kSecret));
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"webhooks"}, {"webhooks", "test"}, {"webhooks", "dead"}, {"webhooks", "replay"}}) {
        CHECK(parse(words).parsed.exit_code == 64);
    }
}

TEST_CASE("command line: a token file that cannot be read is a mistake of the command line",
          "[cli]") {
    const Outcome outcome = parse({"sessions", "--token-file", "/nonexistent"});
    CHECK(outcome.parsed.exit_code == 64);
    CHECK_THAT(outcome.err, Catch::Contains("--token-file"));
}

TEST_CASE("command line: wait", "[cli]") {
    const auto wait = options_of<WaitOptions>({"wait", "a", "b", "--any", "--timeout", "2m",
                                               "--on-stuck", "ignore", "--missing", "fail",
                                               "--after", "7", "--mode", "ever", "--json"});
    CHECK(wait.sessions == std::vector<std::string>{"a", "b"});
    CHECK(wait.any);
    CHECK(wait.timeout == milliseconds{120'000});
    CHECK(wait.on_stuck == OnStuck::kIgnore);
    CHECK_FALSE(wait.missing_waits);
    CHECK(wait.after == 7);
    CHECK(wait.mode == "ever");
    CHECK(wait.client.json);
    CHECK(wait.client.url == "http://env:1");
    const auto plain = options_of<WaitOptions>({"wait", "a", "--url", "b:2"});
    CHECK(plain.client.url == "http://b:2");
    CHECK(plain.on_stuck == OnStuck::kAsk);
    CHECK_FALSE(plain.timeout);
}

TEST_CASE("command line: the command of run is taken as it is", "[cli]") {
    const auto run = options_of<RunOptions>({"run", "--session", "s", "--label", "a=b", "--",
                                             "make", "-j2", "--", "--help", "--session"});
    CHECK(run.session == "s");
    CHECK(run.labels == std::vector<std::string>{"a=b"});
    CHECK(run.command == std::vector<std::string>{"make", "-j2", "--", "--help", "--session"});
    const auto bare = options_of<RunOptions>({"run", "--quiet", "make", "-j2", "--json"});
    CHECK(bare.quiet);
    CHECK(bare.command == std::vector<std::string>{"make", "-j2", "--json"});
    CHECK_FALSE(bare.client.json);
}

TEST_CASE("command line: the other verbs", "[cli]") {
    CHECK(options_of<WatchOptions>({"watch"}).session.empty());
    CHECK(options_of<WatchOptions>({"watch", "a", "--after", "0"}).after == 0U);
    CHECK(options_of<SessionsOptions>({"sessions", "--open"}).open == true);
    CHECK(options_of<SessionsOptions>({"sessions", "--ended"}).open == false);
    CHECK(options_of<SessionsOptions>({"sessions", "--label", "team=a:b"}).label == "team:a:b");
    CHECK(options_of<SessionsOptions>({"sessions", "--label", "team:a=b"}).label == "team:a=b");
    CHECK(options_of<ShowOptions>({"show", "a"}).session == "a");
    CHECK(options_of<EventsOptions>({"events", "a", "--jsonl"}).client.json);
    const auto report = options_of<ReportOptions>({"report", "a", "heartbeat", "phase=x", "i=1"});
    CHECK(report.type == "heartbeat");
    CHECK(report.fields == std::vector<std::string>{"phase=x", "i=1"});
    CHECK(options_of<EndOptions>({"end", "a", "--outcome", "failed"}).outcome == "failed");
    CHECK(options_of<CancelOptions>({"cancel", "a", "--reason", "b c"}).reason == "b c");
    const auto replay = options_of<ReplayOptions>({"replay", "f", "--to", "h:3", "--speed", "10"});
    CHECK(replay.client.url == "http://h:3");
    CHECK(replay.speed == 10.0);
    CHECK(replay.to_daemon);
    CHECK(options_of<ReplayOptions>({"replay", "f", "--url", "h", "--speed", "realtime"}).speed ==
          1.0);
    const auto judge = options_of<ReplayOptions>({"replay", "f", "--policy", "strict", "--why"});
    CHECK_FALSE(judge.to_daemon);
    CHECK(judge.why);
    CHECK(judge.policy == std::vector<std::string>{"strict"});
    CHECK(judge.speed == 0.0);
    const auto eval = options_of<EvalOptions>(
        {"eval", "d", "--policy", "a", "--policy", "b=1", "--labels", "l.csv"});
    CHECK(eval.folder == "d");
    CHECK(eval.labels == "l.csv");
    CHECK(eval.policy == std::vector<std::string>{"a", "b=1"});
    CHECK(options_of<ConfigOptions>({"config", "show", "--origin"}).origin);
    CHECK(options_of<VersionOptions>({"--version"}).json == false);
}

TEST_CASE("command line: a mistake is named, with the next step, and is exit code 64", "[cli]") {
    struct Case {
        std::vector<std::string> words;
        const char* said;
    };
    const Case cases[] = {
        {{}, "Usage"},
        {{"wiat"}, "did you mean `wait`?"},
        {{"wait"}, "`headway wait` needs SESSION"},
        {{"wait", "a", "--timeout", "5"}, "has no unit"},
        {{"wait", "a", "--any", "--all"}, "--any cannot be used with --all"},
        {{"wait", "a", "--mode", "later"}, "--mode"},
        {{"wait", "a", "--nonsense"}, "--nonsense"},
        {{"run"}, "no command to run"},
        {{"run", "--"}, "no command to run"},
        {{"show", "a", "--url", "ftp://x"}, "is no URL of a daemon"},
        {{"serve", "--set", "x"}, "not KEY=VALUE"},
        {{"replay", "f", "--to", "h", "--speed", "fast"}, "use max"},
        {{"replay", "a", "b", "--session", "s"}, "one FILE only"},
        {{"replay", "f", "--parallel", "2"}, "--parallel needs --to"},
        {{"replay", "f", "--to", "h", "--why"}, "cannot be used with"},
        {{"eval"}, "`headway eval` needs DIR"},
        {{"install", "claude", "--require", "Class:shell|Edit"}, "a class is for the settings"},
        {{"install", "claude", "--require", "("}, "must be a regular expression of tool names"},
        {{"install", "claude", "--require", std::string(501, 'a')}, "takes at most 500 bytes"},
        {{"end", "a", "--outcome", "great"}, "--outcome"},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.said << " " << c.words.size()) {
            const Outcome outcome = parse(c.words);
            CHECK(outcome.parsed.verb == nullptr);
            CHECK(outcome.parsed.exit_code == 64);
            CHECK_THAT(outcome.err, Catch::Contains(c.said));
            CHECK(outcome.out.empty());
        }
    }
}

TEST_CASE(
    "command line: mistakes are in our words, what was written first, and with what was meant",
    "[cli]") {
    struct Case {
        std::vector<std::string> words;
        const char* said;
    };
    const Case cases[] = {
        {{"wait", "s", "--timout", "1s"}, "unknown option `--timout`; did you mean `--timeout`?"},
        {{"wait", "--timout=1s"}, "unknown option `--timout`; did you mean `--timeout`?"},
        {{"wait", "s", "--zzz"}, "unknown option `--zzz`\n"},
        {{"run", "--sesion", "s", "--", "make"},
         "unknown option `--sesion`; did you mean `--session`?"},
        {{"acp", "--lingr", "1s", "agent"}, "unknown option `--lingr`; did you mean `--linger`?"},
        {{"config", "check", "--state-dri", "./x"},
         "unknown option `--state-dri`; did you mean `--state-dir`?"},
        {{"config", "default", "--state-dir", "./x"}, "unknown option `--state-dir`\n"},
        {{"budget"}, "`headway budget` needs one of its verbs: show"},
        {{"budget", "shw", "s"}, "unknown verb `shw` of `headway budget`; did you mean `show`?"},
        {{"show", "a", "b"}, "`b` is one word too many for `headway show`"},
        {{"show"}, "`headway show` needs SESSION"},
        {{"wait", "s", "--until"}, "--until needs a value"},
        {{"wait", "s", "--mode", "evr"}, "`evr` is none of now, ever; did you mean `ever`?"},
    };
    for (const Case& c : cases) {
        const Outcome outcome = parse(c.words);
        INFO(outcome.err);
        CHECK(outcome.parsed.exit_code == 64);
        CHECK_THAT(outcome.err, Catch::Contains(c.said));
        CHECK(outcome.err.find("expected") == std::string::npos);
    }
    for (const char* option : {"--state-dir", "--listen", "--store", "--config", "--set"}) {
        const char* const value = std::string_view{option} == "--set" ? "log.level=debug" : "x";
        CHECK(parse({"config", "check", option, value}).parsed.exit_code == 0);
        CHECK(parse({"serve", option, value}).parsed.exit_code == 0);
    }
}

TEST_CASE("command line: a number that cannot be meant is a mistake", "[cli]") {
    for (const char* wrong : {"-5", "99999999999999999999999", "5x", "1.5"})
        CHECK(parse({"budget", "set", "a", std::string{"--steps="} + wrong}).parsed.exit_code ==
              64);
    for (const char* wrong : {"nan", "inf", "1e5000", "x"})
        CHECK(parse({"budget", "set", "a", std::string{"--cost="} + wrong}).parsed.exit_code == 64);
    CHECK(parse({"budget", "set", "a", "--steps=80", "--cost=1.5"}).parsed.exit_code == 0);
}

TEST_CASE("command line: every verb's help teaches by example", "[cli]") {
    for (const char* verb : {"serve", "run", "wait", "watch", "sessions", "show", "events",
                             "report", "end", "cancel", "replay", "eval", "config"}) {
        DYNAMIC_SECTION(verb) {
            const Outcome outcome = parse({verb, "--help"});
            CHECK(outcome.parsed.exit_code == 0);
            CHECK(outcome.parsed.verb == nullptr);
            CHECK_THAT(outcome.out, Catch::Contains(std::string("headway ") + verb));
            CHECK_THAT(outcome.out, Catch::Contains("Example"));
        }
    }
    CHECK_THAT(parse({"help"}).out, Catch::Contains("headway serve"));
}

TEST_CASE("command line: dashboard", "[cli]") {
    CHECK_FALSE(options_of<DashboardOptions>({"dashboard"}).open);
    const auto options = options_of<DashboardOptions>({"dashboard", "--open", "--json"});
    CHECK(options.open);
    CHECK(options.client.json);
    CHECK(options.client.url == "http://env:1");
}
