// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/approval_view.hpp"
#include "cli/clock.hpp"
#include "cli/daemon.hpp"
#include "cli/exit_code.hpp"
#include "cli/verbs.hpp"

// `headway approvals`, `approve`, `reject` and `answer`: a person's side of approvals.

namespace headway::cli {
namespace {

using nlohmann::json;

core::Result<json> arguments_from(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return core::Error{core::ErrorCode::kInvalidField, "cannot read \"" + path + "\"",
                           "--edit"};
    }
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    json arguments = json::parse(text, nullptr, false);
    if (arguments.is_discarded()) {
        return core::Error{core::ErrorCode::kInvalidJson, "\"" + path + "\" holds no JSON",
                           "--edit"};
    }
    return core::Result<json>(std::in_place, std::move(arguments));
}

std::string person(const Console& console) {
    const auto user = console.environment.find("USER");
    return user == console.environment.end() ? std::string{} : user->second;
}

core::Result<json> decision_body(const DecideOptions& options, const Console& console) {
    json body = {{"decision", options.decision}, {"channel", "cli"}};
    if (const std::string by = person(console); !by.empty()) body["by"] = by;
    if (!options.reason.empty()) body["reason"] = options.reason;
    if (!options.response.empty()) body["response"] = options.response;
    if (!options.scope.empty()) body["scope"] = options.scope;
    if (!options.then.empty()) body["then"] = options.then;
    if (options.identical) body["apply_to_identical"] = true;
    if (!options.edit_file.empty()) {
        HEADWAY_TRY(body["edited_args"], arguments_from(options.edit_file));
        body["decision"] = "edit";
    }
    return core::Result<json>(std::in_place, std::move(body));
}

}  // namespace

int list_approvals(const ApprovalsOptions& options, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    std::string query = "/v1/approvals?status=" + std::string{options.all ? "all" : "pending"};
    if (!options.session.empty()) query += "&session=" + url_encode(options.session);
    const HttpReply reply = daemon.get(query);
    const std::optional<json> body = body_json(reply);
    const bool usable = reply.ok() && body && body->is_object() && body->contains("approvals");
    if (!usable) return explain_failure(console, daemon, reply);
    const json& approvals = (*body)["approvals"];
    if (options.client.json) {
        console.out << dump(approvals) << "\n";
    } else if (approvals.empty()) {
        console.err << (options.all ? "nothing was ever asked\n" : "nobody waits for a decision\n");
    } else {
        console.out << approvals_text(approvals, wall_now(), console.color);
    }
    return kExitOk;
}

int decide_approval(const DecideOptions& options, const Console& console) {
    const core::Result<json> body = decision_body(options, console);
    if (!body) return complain(console, kExitUsage, body.error().detail);
    Daemon daemon(options.client.url, options.client.credential);
    const HttpReply reply =
        daemon.post("/v1/approvals/" + url_encode(options.id) + "/decision", *body);
    const std::optional<json> approval = body_json(reply);
    if (!reply.ok() || !approval) return explain_failure(console, daemon, reply);
    console.out << (options.client.json
                        ? dump(*approval) + "\n"
                        : decision_text(approval->value("approval", json::object())));
    return kExitOk;
}

}  // namespace headway::cli
