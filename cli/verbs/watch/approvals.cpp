// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/client/client_options.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/views/approval_view.hpp"

// `headway approvals`: what waits for a decision.

namespace headway::cli {
namespace {

/// Pages of 100 requests.
constexpr int kPagesMax = 100;

struct ApprovalsOptions {
    ClientOptions client;
    std::string session;
    bool all = false;  ///< also decided requests
};

int list_approvals(const ApprovalsOptions& options, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    std::string query =
        "/v1/approvals?limit=100&status=" + std::string{options.all ? "all" : "pending"};
    if (!options.session.empty()) query += "&session=" + url_encode(options.session);
    Json approvals = Json::array();
    Json next;
    for (int page = 0; page < kPagesMax; ++page) {
        const std::string cursor = next.is_string() ? "&cursor=" + url_encode(next.text()) : "";
        const HttpReply reply = daemon.get(query + cursor);
        const std::optional<Json> body = body_json(reply);
        const bool usable = reply.ok() && body && (*body)["approvals"].is_array();
        if (!usable) return explain_failure(console, daemon, reply);
        for (const Json& one : (*body)["approvals"])
            approvals.push_back(one);
        next = (*body)["next"];
        if (!next.is_string()) break;
    }
    if (options.client.json) {
        console.out << dump(approvals) << "\n";
    } else if (approvals.empty()) {
        console.err << (options.all ? "nothing was ever asked\n"
                                    : "no request waits for a decision\n");
    } else {
        console.out << approvals_text(approvals, wall_now(), console.color);
    }
    if (next.is_string())
        console.err << "there are more requests than the " << approvals.size()
                    << " listed here: use --session\n";
    return kExitOk;
}

class Approvals : public Verb {
public:
    void declare(Arguments& arguments) override {
        arguments.help("List the requests waiting for a decision");
        arguments.footer(R"(Examples:
  headway approvals                       what is pending, the oldest first
  headway approvals --session my-agent --all
  headway approvals --json | jq -r '.[].id')");
        arguments.client(options_.client);
        arguments.option("--session", options_.session, "only requests of this session")
            .check(session_id_fault);
        arguments.flag("--all", options_.all, "list decided requests, too");
    }

    int run(const Console& console, const Server&) override {
        return list_approvals(options_, console);
    }

private:
    ApprovalsOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_approvals() {
    return std::make_unique<Approvals>();
}

}  // namespace headway::cli
