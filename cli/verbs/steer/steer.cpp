// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <ostream>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/keep_going/keep_going_state.hpp"
#include "cli/keep_going/run_record.hpp"
#include "cli/line/verb.hpp"
#include "cli/verbs/one_request.hpp"
#include "cli/views/session_view.hpp"

// `headway pause`, `resume` and `nudge`: directives of a person, one route each.

namespace headway::cli {
namespace {

struct SteerOptions {
    ClientOptions client;
    std::string session;
    std::string text;
};

class Steer : public Verb {
protected:
    std::string path(const char* route) const { return session_path(options_.session, route); }

    Json body(const char* name, const Console& console) const {
        Json body = Json::object();
        if (!options_.text.empty()) body[name] = options_.text;
        add_by(body, console);
        return body;
    }

    SteerOptions options_;
};

constexpr const char* kResume = "/resume";

/// Ends the wait of the run of this session on this machine, and says so. Error: no such run waits,
/// or it is of a session of that name that another daemon has, or had.
core::Result<std::string> end_wait(Daemon& daemon, const std::string& folder,
                                   const std::string& session) {
    HEADWAY_TRY(const RunRecord run, waiting_run(folder, session));
    const HttpReply reply = daemon.get(session_path(run.generation));
    const Json shown = body_json(reply).value_or(Json());
    const std::string& opened = shown.text_of("opened_at");
    const std::string process = "process " + std::to_string(run.run.pid);
    if (!run.opened_at.empty() && !opened.empty() && opened != run.opened_at)
        return core::Error{core::ErrorCode::kUnknownSession,
                           "no run of this session waits: that of " + process +
                               " is of another session " + run.generation + ", opened at " +
                               run.opened_at + "; name its daemon with --url",
                           {}};
    HEADWAY_CHECK(ask_to_start(folder, run));
    return "asked " + process + " to end its wait";
}

/// A line about a pause or a resume that did not do what its name says; empty: it did. `waited`: a
/// wait has ended instead.
std::string shortfall(const std::string& route, bool changed, Daemon& daemon,
                      const std::string& session, bool waited) {
    if (route != kResume) return changed ? "" : "nothing was to be done: it is paused already";
    const std::string nothing = changed ? "" : "nothing to resume: ";
    const Json shown = body_json(daemon.get(session_path(session))).value_or(Json());
    if (shown["cancel_requested"] == true)
        return nothing + "its cancel stays, and cannot be undone";
    if (changed) return {};
    const std::string& parent = shown.text_of("parent");
    const Json above =
        parent.empty() ? Json() : body_json(daemon.get(session_path(parent))).value_or(Json());
    const bool paused = !above.text_of("paused_at").empty();
    if (paused && above.text_of("ended_at").empty())
        return nothing + "the session above it, " + parent + ", is paused; resume that one";
    if (paused)
        return nothing + "the session above it, " + parent +
               ", was paused when it ended; begin it again and resume that run, or end this one";
    if (waited) return {};
    return nothing + "it is neither paused nor stopped by a rejection or a rule";
}

/// pause and resume: safe to repeat, so a repeat is no failure; but it says that it did nothing.
class Hold : public Steer {
public:
    Hold(const char* route, const char* help, const char* footer)
        : route_(route), help_(help), footer_(footer) {}

    void declare(Arguments& arguments) override {
        arguments.help(help_).footer(footer_);
        arguments.client(options_.client);
        arguments.session(options_.session).required();
        arguments.option("--reason", options_.text, "why, for the agent to read");
        if (route_ == std::string_view{kResume})
            arguments.flag("--now", now_, "also end the wait of the session's `run --keep-going`");
    }

    int run(const Console& console, const Server&) override {
        Daemon daemon(options_.client.url, options_.client.credential);
        const HttpReply reply = post_patiently(daemon, path(route_), body("reason", console));
        const std::string folder = state_folder_of(options_.client, console.environment);
        std::string waited;
        if (now_ && reply.ok()) {
            const auto ended = end_wait(daemon, folder, options_.session);
            if (!ended) return complain(console, kExitFailed, clean_line(ended.error().detail));
            waited = *ended;
        }
        std::optional<Json> advice = body_json(reply);
        if (!reply.ok() || !advice) return explain_failure(console, daemon, reply);
        if (options_.client.json) {
            console.out << dump(*advice) << "\n";
            return kExitOk;
        }
        const bool changed = advice->count_of("duplicates") == 0;
        if (!waited.empty()) console.out << clean_line(options_.session) << ": " << waited << "\n";
        const std::string words =
            shortfall(route_, changed, daemon, options_.session, !waited.empty());
        if (!words.empty()) console.out << clean_line(options_.session) << ": " << words << "\n";
        if (!changed) (*advice)["duplicates"] = 0;  // the line above says it better
        console.out << advice_text(*advice);
        return kExitOk;
    }

private:
    const char* route_;
    const char* help_;
    const char* footer_;
    bool now_ = false;
};

/// Counts twice when it is sent twice.
class Nudge : public Steer {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Send a hint to a session's agent");
        arguments.footer(
            "Example:\n  headway nudge my-agent \"the fixture is generated: change the "
            "generator\"");
        arguments.client(options_.client);
        arguments.session(options_.session).required();
        arguments
            .operand("HINT", options_.text,
                     "hint for the agent, sent in the reply to its next report")
            .required();
    }

    int run(const Console& console, const Server&) override {
        return send_once(options_.client, path("/nudge"), body("text", console), console);
    }
};

}  // namespace

std::unique_ptr<Verb> make_pause() {
    return std::make_unique<Hold>(
        "/pause", "Ask a session's agent to pause",
        "The agent pauses until `headway resume`.\n\n"
        "Example:\n  headway pause my-agent --reason \"staging is being restored\"");
}

std::unique_ptr<Verb> make_resume() {
    return std::make_unique<Hold>(
        kResume, "Let an agent go on after a pause or a rejection",
        "Ends a pause, or (token scope `approve`) the stop after `headway reject`. A "
        "cancel cannot be undone. If there is nothing to resume, this verb says so; its exit "
        "status is 0.\n\n"
        "On the machine of the run, `--now` also ends the wait of `headway run --keep-going`, for "
        "example after you have bought credits. A pending request still holds the agent.\n\n"
        "Examples:\n  headway resume my-agent\n  headway resume --now nightly");
}

std::unique_ptr<Verb> make_nudge() {
    return std::make_unique<Nudge>();
}

}  // namespace headway::cli
