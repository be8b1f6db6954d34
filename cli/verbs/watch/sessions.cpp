// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/watch/sessions.hpp"

#include <algorithm>
#include <ostream>

#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/run/job_runs.hpp"
#include "cli/views/session_view.hpp"

// `headway sessions`: page after page, up to --limit.

namespace headway::cli {
namespace {

constexpr std::size_t kPageSessions = 200;

std::string sessions_query(const SessionsOptions& options, std::size_t limit,
                           const std::string& cursor) {
    std::string query = "/v1/sessions?limit=" + std::to_string(limit);
    if (!options.verdict.empty()) query += "&verdict=" + url_encode(options.verdict);
    if (!options.label.empty()) query += "&label=" + url_encode(options.label);
    if (!options.agent.empty()) query += "&agent=" + url_encode(options.agent);
    if (options.open) query += std::string("&open=") + (*options.open ? "true" : "false");
    if (!cursor.empty()) query += "&cursor=" + url_encode(cursor);
    return query;
}

constexpr std::size_t kDefaultLimit = 50;
constexpr std::size_t kLimitMax = 1'000'000;

/// Limit of the runs that are read for the row of a job that pings.
constexpr std::size_t kReadMax = 10'000;

int list_sessions(const SessionsOptions& options, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    Json sessions = Json::array();
    JobRuns runs;
    const bool groups = !options.all && !options.ids && !options.client.json;
    std::string cursor;
    bool more = true;
    const std::size_t limit = options.limit.value_or(options.ids ? kLimitMax : kDefaultLimit);
    while (more && sessions.size() < limit && runs.hidden() < kReadMax) {
        const std::size_t wanted =
            groups ? kPageSessions : std::min(limit - sessions.size(), kPageSessions);
        const HttpReply reply = daemon.get(sessions_query(options, wanted, cursor));
        const std::optional<Json> body = body_json(reply);
        const bool usable = reply.ok() && body && body->contains("sessions");
        if (!usable) return explain_failure(console, daemon, reply);
        bool fits = true;
        for (const Json& session : (*body)["sessions"]) {
            if (groups && !runs.takes_row(session)) continue;
            fits = sessions.size() < limit;
            if (!fits) break;
            sessions.push_back(session);
        }
        const Json& next = (*body)["next"];
        more = !fits || (next.is_string() && !(*body)["sessions"].empty());
        if (!fits) break;
        if (more) cursor = next.text();
    }
    if (more) console.err << "there are more; raise --limit\n";
    if (options.client.json) {
        console.out << dump(sessions) << "\n";
        return kExitOk;
    }
    if (options.ids) {
        for (const Json& session : sessions)
            console.out << clean_line(session.text_of("id")) << "\n";
        return kExitOk;
    }
    if (sessions.empty()) {
        console.err << "no sessions; `headway run -- COMMAND` opens one\n";
        return kExitOk;
    }
    const auto behind = [&runs](const std::string& id) { return runs.behind(id); };
    console.out << sessions_table(sessions, wall_now(), console.width, console.color, behind);
    if (runs.hidden() > 0) console.err << "completed runs of a job are one row; --all shows each\n";
    return kExitOk;
}

class Sessions : public VerbOf<SessionsOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("List sessions, newest first");
        arguments.footer(R"(Examples:
  headway sessions --open
  headway sessions --verdict stuck,silent --label team=night
  headway sessions --json --limit 1000 | jq -r '.[].id')");
        arguments.client(options.client);
        arguments.option("--verdict", options.verdict,
                         "only sessions with these verdicts, comma separated");
        arguments.flag(
            "--open", [this] { options.open = true; }, "only sessions that have not ended");
        arguments
            .flag(
                "--ended", [this] { options.open = false; }, "only sessions that have ended")
            .excludes("--open");
        const auto set_label = [this](const std::string& text) {
            const std::size_t end = text.find_first_of("=:");  // the API separates by a colon
            if (end == 0 || end == std::string::npos) return "\"" + text + "\" is not KEY=VALUE";
            options.label = text.substr(0, end) + ":" + text.substr(end + 1);
            return std::string{};
        };
        arguments.option("--label", set_label, "only sessions with this label").type("KEY=VALUE");
        arguments.option("--agent", options.agent, "only sessions of this agent type");
        arguments.flag("--ids", options.ids,
                       "print only ids, one per line, without the default limit");
        arguments.flag(
            "--all", options.all,
            "list each completed run of a job that reports by a ping URL (default: one row for "
            "each job)");
        arguments
            .option("--limit", options.limit,
                    "list this many at most (default: 50; all with --ids)")
            .range(1, kLimitMax);
    }

    int run(const Console& console, const Server&) override {
        return list_sessions(options, console);
    }
};

}  // namespace

std::unique_ptr<Verb> make_sessions() {
    return std::make_unique<Sessions>();
}

}  // namespace headway::cli
