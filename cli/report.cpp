// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/approval_view.hpp"
#include "cli/daemon.hpp"
#include "cli/exit_code.hpp"
#include "cli/ids.hpp"
#include "cli/report_fields.hpp"
#include "cli/session_view.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"

// The verbs that are one request each. Those that are safe to repeat are tried a few times; a nudge
// or an extension of a budget, which would count twice, is sent once.

namespace headway::cli {
namespace {

using nlohmann::json;

constexpr int kTries = 4;

HttpReply post_patiently(Daemon& daemon, const std::string& path, const json& body) {
    Backoff backoff;
    HttpReply reply = daemon.post(path, body);
    for (int attempt = 1; attempt < kTries && worth_retrying(reply); ++attempt) {
        std::this_thread::sleep_for(backoff.next());
        reply = daemon.post(path, body);
    }
    return reply;
}

int print_advice(const ClientOptions& client, const Daemon& daemon, const HttpReply& reply,
                 const Console& console) {
    const std::optional<json> advice = body_json(reply);
    if (!reply.ok() || !advice) return explain_failure(console, daemon, reply);
    console.out << (client.json ? dump(*advice) + "\n" : advice_text(*advice));
    return kExitOk;
}

int post_and_print(const ClientOptions& client, const std::string& path, const json& body,
                   const Console& console) {
    Daemon daemon(client.url, client.credential);
    return print_advice(client, daemon, post_patiently(daemon, path, body), console);
}

int send_once(const ClientOptions& client, const std::string& path, const json& body,
              const Console& console) {
    Daemon daemon(client.url, client.credential);
    return print_advice(client, daemon, daemon.post(path, body), console);
}

json limits_of(const BudgetOptions& options) {
    json limits = json::object();
    if (options.timeout_seconds) limits["timeout_seconds"] = *options.timeout_seconds;
    if (options.max_steps) limits["max_steps"] = *options.max_steps;
    if (options.max_tokens) limits["max_tokens"] = *options.max_tokens;
    if (options.max_cost_usd) limits["max_cost_usd"] = *options.max_cost_usd;
    return limits;
}

void sign(json& body, const Console& console) {
    const auto user = console.environment.find("USER");
    if (user != console.environment.end()) body["by"] = user->second;
}

int show_budget(const BudgetOptions& options, const std::string& path, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    const HttpReply reply = daemon.get(path);
    const std::optional<json> budget = body_json(reply);
    if (!reply.ok() || !budget) return explain_failure(console, daemon, reply);
    console.out << (options.client.json ? dump(*budget) + "\n"
                                        : budget_text(budget->value("budget", json())));
    return kExitOk;
}

core::Result<std::string> data_text(const std::string& option) {
    if (option != "-" && !option.starts_with('@')) return option;
    const auto read = [](std::istream& stream) {
        return std::string((std::istreambuf_iterator<char>(stream)),
                           std::istreambuf_iterator<char>());
    };
    if (option == "-") return read(std::cin);
    std::ifstream file(option.substr(1), std::ios::binary);
    if (file) return read(file);
    return core::Error{core::ErrorCode::kInvalidField, "cannot read \"" + option.substr(1) + "\"",
                       "--data"};
}

/// Its reply is the session, not advice.
int acknowledge_alarms(const SteerOptions& options, const json& body, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    const HttpReply reply =
        post_patiently(daemon, session_path(options.session, "/" + options.what), body);
    const std::optional<json> session = body_json(reply);
    if (!reply.ok() || !session) return explain_failure(console, daemon, reply);
    console.out << (options.client.json ? dump(*session)
                                        : clean_line(options.session) + ": acknowledged")
                << "\n";
    return kExitOk;
}

}  // namespace

int report_event(const ReportOptions& options, const Console& console) {
    const core::Result<std::string> text = data_text(options.data);
    if (!text) return complain(console, kExitUsage, text.error().detail);
    const core::Result<json> data = build_data(*text, options.fields);
    if (!data) {
        return complain(console, kExitUsage, data.error().detail,
                        "as in: headway report ID tool.finished tool=bash ok=false");
    }
    json event = {{"type", options.type}, {"data", *data}};
    event["event_id"] = options.event_id.empty() ? "cli-" + random_tag() : options.event_id;
    return post_and_print(options.client, session_path(options.session, "/events"), event, console);
}

int end_session(const EndOptions& options, const Console& console) {
    json body = {{"outcome", options.outcome}};
    if (!options.reason.empty()) body["reason"] = options.reason;
    return post_and_print(options.client, session_path(options.session, "/end"), body, console);
}

int cancel_session(const CancelOptions& options, const Console& console) {
    json body = json::object();
    if (!options.reason.empty()) body["reason"] = options.reason;
    return post_and_print(options.client, session_path(options.session, "/cancel"), body, console);
}

int steer_session(const SteerOptions& options, const Console& console) {
    const bool nudge = options.what == "nudge";
    json body = json::object();
    if (options.number) body["n"] = *options.number;
    if (!options.text.empty()) body[nudge ? "text" : "reason"] = options.text;
    sign(body, console);
    if (options.what == kAcknowledge) return acknowledge_alarms(options, body, console);
    const std::string path = session_path(options.session, "/" + options.what);
    return nudge ? send_once(options.client, path, body, console)
                 : post_and_print(options.client, path, body, console);
}

int show_or_change_budget(const BudgetOptions& options, const Console& console) {
    const std::string path = session_path(options.session, "/budget");
    if (options.change.empty()) return show_budget(options, path, console);
    const json limits = limits_of(options);
    if (limits.empty()) {
        return complain(console, kExitUsage, "nothing to " + options.change,
                        "give --seconds, --steps, --tokens or --cost");
    }
    json body = {{options.change, limits}};
    if (!options.reason.empty()) body["reason"] = options.reason;
    sign(body, console);
    return send_once(options.client, path, body, console);
}

int compare_timeouts(const CompareOptions& options, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    const bool all = options.session.empty();
    const HttpReply reply = daemon.get(all ? std::string{"/v1/analytics/timeouts"}
                                           : session_path(options.session, "/comparison"));
    const std::optional<json> body = body_json(reply);
    if (!reply.ok() || !body) return explain_failure(console, daemon, reply);
    if (options.client.json) {
        console.out << dump(*body) << "\n";
    } else {
        console.out << (all ? timeout_totals_text(*body) : comparison_text(*body));
    }
    return kExitOk;
}

}  // namespace headway::cli
