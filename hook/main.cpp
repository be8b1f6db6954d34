// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>
#include <cstdlib>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "hook/goal/goal.hpp"
#include "hook/text/bytes.hpp"
#include "hook/text/notice.hpp"
#include "hook/way/ancestor.hpp"
#include "hook/way/exchange.hpp"
#include "hook/way/options.hpp"
#include "hook/way/places.hpp"
#include "hook/way/request.hpp"
#include "hook/way/use.hpp"

// headway-hook: standard input -> daemon -> standard output. Started by an agent around each of its
// calls, so it must be quick, and must never be why an agent stops: whatever fails, it prints
// nothing and exits with 0, unless --require asks for the opposite.

namespace {

using namespace headway::hook;

constexpr std::size_t kBodyBytesMax = 16 * 1024 * 1024;
constexpr int kNotAllowed = 2;  ///< what agents take as "the call must not run"

int away(const Options& options, const std::string& why) {
    if (!options.require) return 0;
    write_all(STDERR_FILENO, "headway-hook: this call may not run without Headway, and " + why +
                                 "; start the daemon (`headway serve`), then try again\n");
    return kNotAllowed;
}

/// A daemon that answers, and refuses the token.
int refused(const Options& options, std::string_view body, int status) {
    if (options.require) {
        write_all(STDERR_FILENO, "headway-hook: this call may not run without Headway, and " +
                                     refusal_words(options.agent, status) + "\n");
        return kNotAllowed;
    }
    const Notice notice = refusal_notice(options.agent, body, status);
    if (!notice.line.empty()) write_all(STDERR_FILENO, "headway-hook: " + notice.line + "\n");
    write_all(STDOUT_FILENO, notice.reply);
    return 0;
}

int mistaken(const Options& options) {
    std::string ignored;
    if (::isatty(STDIN_FILENO) == 0) read_all(STDIN_FILENO, 0, ignored);  // its writer may fail
    write_all(STDERR_FILENO, "headway-hook: " + options.mistake + "; see headway-hook --help\n");
    return options.require ? kNotAllowed : 0;
}

/// Names and TLS need more than a hook of a millisecond should carry.
int run_headway(const Options& options, char** arguments) {
    std::vector<char*> command;
    std::string program = "headway";
    std::string verb = "hook";
    command.push_back(program.data());
    command.push_back(verb.data());
    for (char** argument = arguments + 1; *argument != nullptr; ++argument)
        command.push_back(*argument);
    command.push_back(nullptr);
    ::execvp(program.c_str(), command.data());
    return away(options, "`headway`, which would reach " + options.url + ", cannot be run");
}

/// The places to try, in their order: one that was named is the only one.
std::vector<Place> places_of(const Options& options, const Place& named) {
    if (!options.socket.empty()) return {at_socket(options.socket)};
    if (!options.url.empty()) return {named};
    std::vector<Place> places;
    for (std::string& path : default_sockets(::getenv))
        places.push_back(at_socket(std::move(path)));
    Place port;
    read_url("http://127.0.0.1:7717", port);
    places.push_back(port);
    return places;
}

/// Tells of the answers that earlier hooks did not tell, until the daemon knows one. The agent has
/// its reply by then.
void tell_older_uses(const Options& options, const Place& place, Facts facts,
                     std::string_view hook) {
    const std::string body = use_body(hook);
    if (body.empty()) return;
    Options quiet = options;
    quiet.usage = true;
    facts.agent = {};
    facts.exit_code.clear();
    for (std::string& use : older_uses_of(options.agent, hook)) {
        const int connection = connect_to(place);
        if (connection < 0) return;
        facts.use = std::move(use);
        const std::string head = request_head(quiet, place, facts, body.size());
        const Outcome outcome = exchange(connection, head, body, -1, options.silence_ms);
        if (!outcome.away.empty() || !outcome.wants_older_uses) return;
    }
}

bool has_goal(const Options& options, std::string_view body) {
    return !options.usage && !options.until.empty() && is_turn_end(options.agent, body) &&
           !is_switched_off(::getenv);
}

/// Runs the command of the operator's goal; the daemon decides what follows from it.
void pursue_goal(const Options& options, const Place& place, Facts facts, std::string_view body,
                 Outcome& outcome) {
    const GoalRun run = run_goal(options.until, goal_folder(::getenv, body), kGoalMs);
    // Again: the command takes minutes, and the daemon does not know the switch.
    if (is_switched_off(::getenv)) return;
    const int connection = connect_to(place);
    if (connection < 0) return;
    facts.use.clear();
    facts.goal = goal_report(options.until, run);
    const std::string head = request_head(options, place, facts, body.size());
    Outcome second = exchange(connection, head, body, -1, options.silence_ms);
    if (second.away.empty()) outcome.body = std::move(second.body);
}

/// Without a daemon the call runs, as each call does then.
int too_long(const Options& options, const std::vector<Place>& places, std::string_view body) {
    const bool guards = !options.usage && is_before_call(body) &&
                        std::any_of(places.begin(), places.end(), [](const Place& place) {
                            const int connection = connect_to(place);
                            return connection >= 0 && ::close(connection) == 0;
                        });
    if (!guards) return away(options, "the input of the agent is above 16 MiB");
    write_all(STDERR_FILENO, "headway-hook: " + std::string{kTooLongToCheck} + "\n");
    return kNotAllowed;
}

int pass_on(const Options& options, const std::vector<Place>& places) {
    std::string body;
    const Input input = read_all(STDIN_FILENO, kBodyBytesMax, body);
    if (input == Input::kTooLong) return too_long(options, places, body);
    if (input == Input::kUnreadable) return away(options, "standard input cannot be read");
    for (const Place& place : places) {
        const int connection = connect_to(place);
        if (connection < 0) continue;
        const std::string hook = options.usage ? body : std::string{};
        Facts facts;  // after connecting: without a daemon there is no wait
        if (!find_facts(options, !place.socket.empty(), ::getenv, body, facts)) return 0;
        if (has_goal(options, body)) facts.goal = goal_question(options.until);
        const std::string head = request_head(options, place, facts, body.size());
        const int pidfd = place.socket.empty() ? -1 : facts.agent.pidfd;
        Outcome outcome = exchange(connection, head, body, pidfd, options.silence_ms);
        if (is_refusal(outcome.status)) return refused(options, body, outcome.status);
        if (!outcome.away.empty()) return away(options, outcome.away);
        if (outcome.wants_goal && has_goal(options, body))
            pursue_goal(options, place, facts, body, outcome);
        if (!options.usage && !write_all(STDOUT_FILENO, outcome.body))
            return away(options, "its answer cannot be written to standard output");
        if (outcome.wants_older_uses)
            tell_older_uses(options, place, facts, options.usage ? hook : body);
        return 0;
    }
    return away(options, "no daemon listens there");
}

}  // namespace

int main(int count, char** arguments) {
    // A parent that ignores it hands that down, and the status of a goal's command would be lost.
    ::signal(SIGCHLD, SIG_DFL);
    hold_standard_descriptors();
    bool require = false;
    for (int at = 1; at < count; ++at)
        require = require || std::string_view{arguments[at]} == "--require";
    leave_on_signals(require ? kNotAllowed : 0);
    const Options options =
        read_options(std::vector<std::string_view>(arguments + 1, arguments + count), ::getenv);
    if (options.help || options.version) {
        write_all(STDOUT_FILENO, options.help ? help_text() : "headway-hook " HEADWAY_VERSION "\n");
        return 0;
    }
    if (!options.mistake.empty()) return mistaken(options);
    Place named;
    const UrlKind kind = options.url.empty() ? UrlKind::kNumeric : read_url(options.url, named);
    if (options.socket.empty() && kind == UrlKind::kNeedsMore) {
        return run_headway(options, arguments);
    }
    if (options.socket.empty() && kind == UrlKind::kWrong) {
        return away(options, "\"" + options.url + "\" is no URL of a daemon");
    }
    return pass_on(options, places_of(options, named));
}
