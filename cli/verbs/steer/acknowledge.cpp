// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <ostream>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/verbs/one_request.hpp"

// `headway acknowledge`: a person has seen the alarms of a session.

namespace headway::cli {
namespace {

struct AcknowledgeOptions {
    ClientOptions client;
    std::string session;
    std::string reason;
    std::optional<std::uint64_t> alarm;  ///< the event of one alarm; none: all
};

/// True if the session in this reply has no alarm. A token that may not read it knows of none.
bool has_no_alarm(const HttpReply& reply) {
    const std::optional<Json> shown = body_json(reply);
    return reply.ok() && shown && (*shown)["alarms"].is_array() && (*shown)["alarms"].empty() &&
           shown->count_of("alarms_more") == 0;
}

/// The reply is the session, not advice.
int acknowledge_alarms(const AcknowledgeOptions& options, const Console& console) {
    Json body = Json::object();
    if (options.alarm) body["n"] = *options.alarm;
    if (!options.reason.empty()) body["reason"] = options.reason;
    add_by(body, console);
    Daemon daemon(options.client.url, options.client.credential);
    HttpReply reply = daemon.get(session_path(options.session));
    // Not sent then: it could acknowledge an alarm that is raised meanwhile, and say nothing of it.
    const bool nothing = !options.alarm && has_no_alarm(reply);
    if (!nothing)
        reply = post_patiently(daemon, session_path(options.session, "/alarms/acknowledge"), body);
    const std::optional<Json> session = body_json(reply);
    if (!reply.ok() || !session) return explain_failure(console, daemon, reply);
    const char* const done =
        nothing ? ": nothing to acknowledge: it has no open alarm" : ": acknowledged";
    console.out << (options.client.json ? dump(*session) : clean_line(options.session) + done)
                << "\n";
    return kExitOk;
}

class Acknowledge : public Verb {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Acknowledge a session's alarms");
        arguments.footer(
            R"(An alarm is raised when a call runs without its approval or after a rejection, when an approved call
does not run or is refused by the agent, or when a session has too many sub-agents. A session with an alarm is first in `headway top`
and on the dashboard until a person acknowledges the alarm. If there is no alarm, this verb says so and exits with 0.

Example:
  headway show my-agent && headway acknowledge my-agent --reason "rolled back")");
        arguments.client(options_.client);
        arguments.session(options_.session).required();
        arguments.option("--alarm", options_.alarm,
                         "only the alarm with this event number (see `headway show`)");
        arguments.option("--reason", options_.reason,
                         "what was done about the alarm, for the journal");
    }

    int run(const Console& console, const Server&) override {
        return acknowledge_alarms(options_, console);
    }

private:
    AcknowledgeOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_acknowledge() {
    return std::make_unique<Acknowledge>();
}

}  // namespace headway::cli
