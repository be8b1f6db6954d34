// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/base/exit_code.hpp"
#include "cli/client/credentials.hpp"
#include "cli/client/daemon.hpp"
#include "cli/client/http_client.hpp"
#include "cli/line/verb.hpp"
#include "hook/goal/goal.hpp"
#include "hook/text/bytes.hpp"
#include "hook/text/notice.hpp"
#include "hook/text/reply_parser.hpp"
#include "hook/way/options.hpp"
#include "hook/way/places.hpp"
#include "hook/way/request.hpp"

// `headway hook`: what `headway-hook` does, for daemons that it cannot reach: by https or by name.

namespace headway::cli {
namespace {

constexpr std::size_t kBodyBytesMax = 16 * 1024 * 1024;

struct HookOptions {
    std::string agent;
    std::string url;
    std::string token_file;
    std::string ca_file;
    std::string agent_version;
    std::string silence;
    std::string until;
    bool usage = false;
    bool require = false;
};

constexpr const char* kHookFooter =
    R"(Sends the JSON on standard input to the daemon, waits while the daemon holds the call, and
prints the daemon's reply. Without a daemon, the hook prints nothing, and the exit code is 0 (with
--require: 2). The hook never sends the operator's token. The program `headway-hook` does the same in
about a millisecond, by a Unix socket or plain http to an IP address; for any other address,
`headway-hook` runs this verb.

Examples:
  headway hook claude --url https://headway.example:7717 --ca-file ca.pem --token-file reporter.token)";

void add_option(std::vector<std::string>& words, const char* name, const std::string& value) {
    if (!value.empty()) words.push_back(std::string{name} + "=" + value);
}

/// As headway-hook reads its own.
hook::Options hook_options(const HookOptions& given) {
    std::vector<std::string> words{given.agent};
    add_option(words, "--url", given.url);
    add_option(words, "--token-file", given.token_file);
    add_option(words, "--agent-version", given.agent_version);
    add_option(words, "--silence", given.silence);
    add_option(words, "--until", given.until);
    if (given.usage) words.emplace_back("--usage");
    if (given.require) words.emplace_back("--require");
    hook::Options options =
        hook::read_options(std::vector<std::string_view>(words.begin(), words.end()), ::getenv);
    if (options.url.empty()) options.url = kDefaultUrl;
    return options;
}

int daemon_away(const Console& console, const hook::Options& options, const std::string& why) {
    if (!options.require) return kExitOk;
    return complain(console, kExitMustNotRun,
                    "this call may not run without Headway, and " + why +
                        "; start the daemon (`headway serve`), then try again");
}

/// As headway-hook does.
int token_refused(const Console& console, const hook::Options& options, std::string_view body,
                  int status) {
    if (options.require)
        return complain(console, kExitMustNotRun,
                        "this call may not run without Headway, and " +
                            hook::refusal_words(options.agent, status));
    const hook::Notice notice = hook::refusal_notice(options.agent, body, status);
    if (!notice.line.empty()) (void)complain(console, kExitOk, notice.line);
    hook::write_all(STDOUT_FILENO, notice.reply);
    return kExitOk;
}

HttpRequest hook_request(const hook::Options& options, const hook::Facts& facts, std::string body) {
    HttpRequest request;
    request.method = "POST";
    request.url = options.url;
    while (request.url.ends_with('/'))
        request.url.pop_back();
    request.url += hook::hook_path(options);
    request.body = std::move(body);
    request.content_type = "application/json";
    request.headers = hook::fact_fields(options, facts, false);
    request.timeout = std::chrono::milliseconds{options.silence_ms};
    return request;
}

struct HookReceived {
    std::string body;
    int status = 0;  ///< of a reply that is no answer; 0 = none
    bool wants_goal = false;
};

/// The reply without the blanks before it; empty and `why` set without one.
HookReceived post_hook(const HttpRequest& request, std::string& why) {
    std::string body;
    HttpClient client;
    const HttpReply reply =
        client.stream(request, {[&body](std::string_view bytes) {
                                    body += bytes;
                                    return body.size() <= hook::ReplyParser::kBodyBytesMax;
                                },
                                [] { return true; }});
    body.erase(0, std::min(body.find_first_not_of(" \t\r\n"), body.size()));
    const bool whole = reply.status == 200 && reply.error.empty() &&
                       body.size() <= hook::ReplyParser::kBodyBytesMax;
    const auto goal = reply.headers.find("x-headway-goal");
    if (whole && !hook::may_be_object(body)) {
        why = "the daemon's reply is no JSON object";
        return {};
    }
    if (whole) return {body, 0, goal != reply.headers.end() && goal->second == "check"};
    why = reply.answered() && reply.status != 200
              ? "the daemon answered with status " + std::to_string(reply.status)
              : "no daemon answers there" + (reply.error.empty() ? "" : ": " + reply.error);
    return {{}, reply.status, false};
}

/// As headway-hook does.
void pursue_goal(const hook::Options& options, hook::Facts facts, const HttpRequest& first,
                 HookReceived& received) {
    const hook::GoalRun run =
        hook::run_goal(options.until, hook::goal_folder(::getenv, first.body), hook::kGoalMs);
    if (hook::is_switched_off(::getenv)) return;
    facts.use.clear();
    facts.goal = hook::goal_report(options.until, run);
    HttpRequest request = first;
    request.headers = hook::fact_fields(options, facts, false);
    std::string why;
    HookReceived second = post_hook(request, why);
    if (why.empty()) received.body = std::move(second.body);
}

int pass_hook_on(const Console& console, const HookOptions& given, const hook::Options& options) {
    std::string body;
    const hook::Input input = hook::read_all(STDIN_FILENO, kBodyBytesMax, body);
    if (input == hook::Input::kTooLong && !options.usage && hook::is_before_call(body))
        return complain(console, kExitMustNotRun, std::string{hook::kTooLongToCheck});
    if (input == hook::Input::kTooLong)
        return daemon_away(console, options, "the input of the agent is above 16 MiB");
    if (input == hook::Input::kUnreadable)
        return daemon_away(console, options, "standard input cannot be read");
    const auto ca_file = find_ca_file(given.ca_file, console.environment);
    if (!ca_file) return daemon_away(console, options, ca_file.error().detail);
    hook::Facts facts;
    if (!hook::find_facts(options, false, ::getenv, body, facts)) return kExitOk;
    const bool goal = !options.usage && !options.until.empty() &&
                      hook::is_turn_end(options.agent, body) && !hook::is_switched_off(::getenv);
    if (goal) facts.goal = hook::goal_question(options.until);
    HttpRequest request = hook_request(options, facts, std::move(body));
    request.ca_file = *ca_file;
    std::string why;
    HookReceived reply = post_hook(request, why);
    if (hook::is_refusal(reply.status))
        return token_refused(console, options, request.body, reply.status);
    if (!why.empty()) return daemon_away(console, options, why);
    if (goal && reply.wants_goal) pursue_goal(options, facts, request, reply);
    if (!options.usage && !hook::write_all(STDOUT_FILENO, reply.body))
        return daemon_away(console, options, "its answer cannot be written to standard output");
    return kExitOk;
}

class HookVerb : public VerbOf<HookOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Send an agent's hook event to a daemon").footer(kHookFooter);
        arguments
            .operand(
                "AGENT", options.agent,
                "agent that runs this hook: claude, codex, gemini, qwen, copilot, cline, generic")
            .required();
        arguments.option("--url", options.url,
                         "the daemon (default: HEADWAY_URL, else http://127.0.0.1:7717)");
        arguments
            .option("--token-file", options.token_file,
                    "file that holds a token with a `report:` scope (default: the file named by "
                    "HEADWAY_TOKEN_FILE, else HEADWAY_TOKEN; other verbs try HEADWAY_TOKEN first)")
            .type("FILE")
            .may_be_empty();
        arguments
            .option(
                "--ca-file", options.ca_file,
                "PEM file of certificates to trust over https (default: HEADWAY_CA_FILE, else the "
                "system's)")
            .type("FILE")
            .may_be_empty();
        arguments.option("--agent-version", options.agent_version, "version of the agent");
        arguments
            .option(
                "--silence", options.silence,
                "treat the daemon as unreachable after this long without a byte (default: 15s); "
                "while the daemon holds a call, it sends a byte every 5 s")
            .type("DURATION");
        arguments
            .option(
                "--until", options.until,
                "run this command at the end of each turn; if the command fails, the agent is sent "
                "back to work, at most 5 times in a session")
            .type("COMMAND");
        arguments.flag("--usage", options.usage,
                       "report only the agent's usage, from its own record of the session");
        arguments.flag("--require", options.require,
                       "exit with 2 if the daemon is unreachable, so that the call does not run "
                       "(`headway install` sets this for claude only)");
    }

    int run(const Console& console, const Server&) override {
        hook::leave_on_signals(options.require ? kExitMustNotRun : kExitOk);
        const hook::Options read = hook_options(options);
        if (!read.mistake.empty())
            return complain(console, read.require ? kExitMustNotRun : kExitUsage, read.mistake,
                            "see: headway hook --help");
        return pass_hook_on(console, options, read);
    }
};

}  // namespace

std::unique_ptr<Verb> make_hook() {
    return std::make_unique<HookVerb>();
}

}  // namespace headway::cli
