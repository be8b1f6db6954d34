// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/clock.hpp"
#include "cli/daemon.hpp"
#include "cli/exit_code.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"

// `headway token`: create, list, revoke and rotate-operator.

namespace headway::cli {
namespace {

using nlohmann::json;

std::string text_of(const json& token, const char* name) {
    const auto found = token.find(name);
    return found != token.end() && found->is_string() ? clean_line(found->get<std::string>()) : "";
}

std::string day_of(const json& token, const char* name) {
    const std::string at = text_of(token, name);
    return at.empty() ? "-" : at.substr(0, 16) + "Z";  // to the minute
}

std::string scopes_of(const json& token) {
    std::string text;
    for (const json& scope : token.value("scopes", json::array())) {
        if (scope.is_string()) text += (text.empty() ? "" : " ") + scope.get<std::string>();
    }
    return clean_line(text);
}

std::string state_of(const json& token) {
    if (token.value("active", false)) return "active";
    return token.value("revoked_at", json()).is_string() ? "revoked" : "expired";
}

/// What is not the result goes to standard error, so that TOKEN=$(headway token create ...) works.
int create(Daemon& daemon, const TokenOptions& options, const Console& console) {
    json body = {{"name", options.name}, {"scopes", options.scopes}};
    if (options.expires) {
        body["expires_in"] = std::chrono::ceil<std::chrono::seconds>(*options.expires).count();
    }
    const HttpReply reply = daemon.post("/v1/tokens", body);
    const std::optional<json> made = body_json(reply);
    if (!reply.ok() || !made) return explain_failure(console, daemon, reply);
    if (options.client.json) {
        console.out << dump(*made) << "\n";
        return kExitOk;
    }
    console.out << text_of(*made, "token") << "\n";
    console.err << "token " << text_of(*made, "id") << " (" << scopes_of(*made)
                << ") is shown this once; a client finds it in HEADWAY_TOKEN\n";
    return kExitOk;
}

int list(Daemon& daemon, const TokenOptions& options, const Console& console) {
    const HttpReply reply = daemon.get("/v1/tokens");
    const std::optional<json> body = body_json(reply);
    const bool usable = reply.ok() && body && body->is_object() && body->contains("tokens");
    if (!usable) return explain_failure(console, daemon, reply);
    const json& tokens = (*body)["tokens"];
    if (options.client.json) {
        console.out << dump(tokens) << "\n";
        return kExitOk;
    }
    if (tokens.empty()) {
        console.err << "no tokens but the operator's; `headway token create --help` shows how\n";
        return kExitOk;
    }
    std::vector<std::vector<Cell>> rows;
    for (const json& token : tokens) {
        rows.push_back({{text_of(token, "id"), {}},
                        {text_of(token, "name"), {}},
                        {state_of(token), {}},
                        {scopes_of(token), {}},
                        {day_of(token, "expires_at"), {}},
                        {day_of(token, "last_used_at"), {}}});
    }
    console.out << format_table(
        {{"ID"}, {"NAME", true}, {"STATE"}, {"SCOPES", true}, {"EXPIRES"}, {"LAST USED"}}, rows,
        console.width);
    return kExitOk;
}

int revoke(Daemon& daemon, const TokenOptions& options, const Console& console) {
    const HttpReply reply = daemon.remove("/v1/tokens/" + url_encode(options.id));
    const std::optional<json> token = body_json(reply);
    if (!reply.ok() || !token) return explain_failure(console, daemon, reply);
    if (options.client.json) {
        console.out << dump(*token) << "\n";
    } else {
        console.out << "revoked " << text_of(*token, "id") << " (" << text_of(*token, "name")
                    << ")\n";
    }
    return kExitOk;
}

int rotate(Daemon& daemon, const TokenOptions& options, const Console& console) {
    const HttpReply reply = daemon.post_text("/v1/tokens/operator/rotate", {});
    const std::optional<json> made = body_json(reply);
    if (!reply.ok() || !made) return explain_failure(console, daemon, reply);
    if (options.client.json) {
        console.out << dump(*made) << "\n";
    } else {
        console.out << "the operator's new token is in " << text_of(*made, "file")
                    << "; the old one is worth nothing\n";
    }
    return kExitOk;
}

}  // namespace

int manage_tokens(const TokenOptions& options, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    switch (options.action) {
        case TokenOptions::Action::kCreate:
            return create(daemon, options, console);
        case TokenOptions::Action::kList:
            return list(daemon, options, console);
        case TokenOptions::Action::kRevoke:
            return revoke(daemon, options, console);
        case TokenOptions::Action::kRotateOperator:
            break;
    }
    return rotate(daemon, options, console);
}

}  // namespace headway::cli
