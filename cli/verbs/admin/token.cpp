// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/admin/token.hpp"

#include <ostream>

#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/views/table.hpp"

// `headway token`: create, list, revoke and rotate-operator.

namespace headway::cli {
namespace {

std::string day_of(const Json& token, const char* name) {
    const std::string at = clean_line(token.text_of(name));
    return at.empty() ? "-" : at.substr(0, 16) + "Z";  // to the minute
}

std::string scopes_of(const Json& token) {
    std::string text;
    for (const Json& scope : token["scopes"]) {
        if (scope.is_string()) text += (text.empty() ? "" : " ") + scope.text();
    }
    return clean_line(text);
}

std::string state_of(const Json& token) {
    if (token.flag_of("active")) return "active";
    return token["revoked_at"].is_string() ? "revoked" : "expired";
}

/// Everything except the result goes to standard error, so that TOKEN=$(headway token create ...)
/// works.
int create(Daemon& daemon, const TokenOptions& options, const Console& console) {
    Json body = {{"name", options.name}, {"scopes", options.scopes}};
    if (options.expires) {
        body["expires_in"] = std::chrono::ceil<std::chrono::seconds>(*options.expires).count();
    }
    const HttpReply reply = daemon.post("/v1/tokens", body);
    const std::optional<Json> json = body_json(reply);
    if (!reply.ok() || !json) return explain_failure(console, daemon, reply);
    if (options.client.json) {
        console.out << dump(*json) << "\n";
        return kExitOk;
    }
    console.out << clean_line(json->text_of("token")) << "\n";
    console.err << "token " << clean_line(json->text_of("id")) << " (" << scopes_of(*json)
                << ") is shown this once; a client finds it in HEADWAY_TOKEN\n";
    return kExitOk;
}

int list(Daemon& daemon, const TokenOptions& options, const Console& console) {
    const HttpReply reply = daemon.get("/v1/tokens");
    const std::optional<Json> body = body_json(reply);
    const bool usable = reply.ok() && body && body->contains("tokens");
    if (!usable) return explain_failure(console, daemon, reply);
    const Json& tokens = (*body)["tokens"];
    if (options.client.json) {
        console.out << dump(tokens) << "\n";
        return kExitOk;
    }
    if (tokens.empty()) {
        console.err << "only the operator's token; `headway token create --help` shows how to make "
                       "others\n";
        return kExitOk;
    }
    std::vector<std::vector<Cell>> rows;
    for (const Json& token : tokens) {
        rows.push_back({{clean_line(token.text_of("id")), {}},
                        {clean_line(token.text_of("name")), {}},
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
    const std::optional<Json> token = body_json(reply);
    if (!reply.ok() || !token) return explain_failure(console, daemon, reply);
    if (options.client.json) {
        console.out << dump(*token) << "\n";
    } else {
        console.out << "revoked " << clean_line(token->text_of("id")) << " ("
                    << clean_line(token->text_of("name")) << ")\n";
    }
    return kExitOk;
}

int rotate(Daemon& daemon, const TokenOptions& options, const Console& console) {
    const HttpReply reply = daemon.post_text("/v1/tokens/operator/rotate", {});
    const std::optional<Json> json = body_json(reply);
    if (!reply.ok() || !json) return explain_failure(console, daemon, reply);
    if (options.client.json) {
        console.out << dump(*json) << "\n";
    } else {
        console.out << "the operator's new token is in " << clean_line(json->text_of("file"))
                    << "; the old one is invalid\n";
    }
    return kExitOk;
}

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

constexpr const char* kCreateFooter = R"(Scopes:
  report:PREFIX   open and read the sessions whose id begins with PREFIX, and report for them
  read            read every session
  approve         approve, reject and answer requests, acknowledge alarms, change daily caps
  control         cancel, pause, resume and nudge sessions, change their budgets
  admin           manage tokens, make backups, delete sessions, test and replay webhooks
A token with a report scope cannot have approve or admin: no agent may decide its own requests.

Examples:
  headway token create nightly --scope report:nightly- --expires 30d
  headway token create dashboard --scope read --scope approve
  export HEADWAY_TOKEN=$(headway token create ci --scope report:ci- --expires 12h))";

class Token : public VerbOf<TokenOptions> {
    using Action = TokenOptions::Action;

public:
    void declare(Arguments& arguments) override {
        arguments.help("Create, list and revoke access tokens");
        arguments.footer(
            R"(These verbs need the Unix socket, the operator's token (operator.token in the state directory of a
daemon on this machine), or a token with the scope `admin`.

Examples:
  headway token create nightly --scope report:nightly- --expires 30d
  headway token list
  headway token revoke 4K9TQ2XH7B1M)");
        Arguments create =
            add(arguments, "create", "Make a token and print it once", Action::kCreate);
        create.footer(kCreateFooter);
        create.operand("NAME", options.name, "name of the holder, for lists and records")
            .required();
        create
            .option("--scope", options.scopes,
                    "scopes of the token, as listed below; repeatable, or comma separated")
            .required()
            .separator(',')
            .type("SCOPE");
        create.duration("--expires", options.expires, "lifetime (default: unlimited)");

        add(arguments, "list", "List the tokens, newest first", Action::kList)
            .footer("Example:\n  headway token list --json | jq '.[] | select(.active)'");

        Arguments revoke =
            add(arguments, "revoke", "Revoke a token, at once and permanently", Action::kRevoke);
        revoke.footer("Example:\n  headway token revoke 4K9TQ2XH7B1M");
        revoke.operand("ID", options.id, "id of the token, from `headway token list`").required();

        add(arguments, "rotate-operator", "Replace the operator's token", Action::kRotateOperator)
            .footer(
                "The daemon writes the new token into operator.token; the old token becomes "
                "invalid at "
                "once.\n\nExample:\n  headway token rotate-operator");
    }

    int run(const Console& console, const Server&) override {
        return manage_tokens(options, console);
    }

private:
    Arguments add(Arguments& token, const char* name, const char* help, Action action) {
        Arguments verb = token.verb(name, help, [this, action] { options.action = action; });
        verb.client(options.client);
        return verb;
    }
};

}  // namespace

std::unique_ptr<Verb> make_token() {
    return std::make_unique<Token>();
}

}  // namespace headway::cli
