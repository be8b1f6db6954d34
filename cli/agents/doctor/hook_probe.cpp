// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/doctor/hook_probe.hpp"

#include <algorithm>

#include "cli/agents/agent_files.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "core/base/version.hpp"

namespace headway::cli {
namespace {

constexpr std::chrono::milliseconds kHookPatience{5'000};
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kUnknownRoute = 404;
constexpr int kInvalid = 400;
constexpr int kUnknownHost = 421;
constexpr int kTooMany = 429;

HttpRequest request_of(const HookProbe& probe, const std::string& path) {
    HttpRequest request;
    request.url = probe.url + path;
    request.timeout = kHookPatience;
    if (!probe.token.empty()) request.headers.push_back("Authorization: Bearer " + probe.token);
    return request;
}

std::string hooks_path(const HookProbe& probe) {
    return "/v1/hooks/" + probe.dialect;
}

/// The neutral form answers an event that it does not know with 400, the agents' own with `{}`.
bool is_taken(const HookProbe& probe, const HttpReply& reply) {
    const Json body = Json::parse(reply.body).value_or(Json());
    if (reply.ok()) return body.is_object();
    return probe.dialect == "generic" && reply.status == kInvalid &&
           body.text_of("code") == "invalid_field" && body.text_of("field") == "body";
}

std::string token_fix(const std::string& agent) {
    return "start the agent with HEADWAY_TOKEN set to a token with the scope report:" + agent +
           "-; the operator makes one with `headway token create`";
}

std::string host_of(std::string_view url) {
    url.remove_prefix(std::min(url.find("://") + 3, url.size()));
    return std::string{url.substr(0, url.find('/'))};
}

/// Whether the token may report for sessions of this agent, by the daemon's reply.
bool may_report(const Json& me, const std::string& agent) {
    if (me.text_of("mode") != "token" || me["can"].flag_of("admin")) return true;
    constexpr std::string_view kReport = "report:";
    const std::string session = agent + "-";
    const Json& scopes = me["scopes"];
    return std::any_of(scopes.begin(), scopes.end(), [&](const Json& scope) {
        const std::string& text = scope.text();
        return text.starts_with(kReport) && session.starts_with(text.substr(kReport.size()));
    });
}

}  // namespace

HttpReply send_probe(const HookProbe& probe) {
    HttpRequest request = request_of(probe, hooks_path(probe));
    request.method = "POST";
    request.body = "{}";
    request.content_type = "application/json";
    return HttpClient{}.send(request);
}

Finding judge_probe(const HookProbe& probe, const HttpReply& reply) {
    const std::string about = probe.agent + " daemon";
    const std::string url = probe.url + hooks_path(probe);
    if (is_taken(probe, reply)) return {about, true, "answers at " + url, {}};
    if (!reply.answered()) {
        return {about, false, "none answers at " + url + " (" + reply.error + ")",
                "start one with `headway serve` or `headway service install`"};
    }
    const std::string status = std::to_string(reply.status);
    const std::string code = Json::parse(reply.body).value_or(Json()).text_of("code");
    switch (reply.status) {
        case kUnauthorized:
            return {about, false,
                    url + " wants a token, and " +
                        (probe.token.empty() ? "the hooks show none"
                                             : "does not know the one that the hooks show"),
                    token_fix(probe.agent)};
        case kForbidden:
            if (code == "forbidden")
                return {about, false, url + " does not let this token report",
                        token_fix(probe.agent)};
            break;
        case kTooMany:
            return {about, false, url + " has seen too many wrong tokens, and listens to none now",
                    token_fix(probe.agent) + "; it listens again in a minute"};
        case kUnknownHost:
            return {about, false,
                    url + " does not answer to the Host \"" + host_of(probe.url) + "\"",
                    "add it to server.allowed_hosts in the daemon's headway.toml"};
        case kUnknownRoute:
            if (code == "unknown_route")
                return {about, false,
                        url + " is a daemon that knows no hooks of " + probe.agent +
                            ": it is of an older version",
                        "start the daemon of this version"};
            break;
        default:
            break;
    }
    if (!code.empty() && reply.status >= 500) {
        return {about, false, url + " answers " + status + " (" + clean_line(code) + ")",
                "`headway doctor` without a name says what is wrong with the daemon"};
    }
    return {about, false, "no Headway daemon answers at " + url + ", but " + status,
            "name the daemon with --url, or stop what has its port"};
}

std::optional<Finding> examine_daemon(const HookProbe& probe) {
    HttpClient client;
    const auto version = body_json(client.send(request_of(probe, "/v1/version")));
    const std::string own{core::version().version};
    const std::string theirs = version ? clean_line(version->text_of("version")) : std::string{};
    if (!theirs.empty() && is_older(theirs, own)) {
        return Finding{probe.agent + " daemon version", false,
                       "the daemon is " + theirs + ", this program is " + own,
                       "start the daemon of this version: `headway serve`, or restart its service"};
    }
    if (probe.token.empty()) return {};
    const auto me = body_json(client.send(request_of(probe, "/v1/me")));
    if (!me || may_report(*me, probe.agent)) return {};
    return Finding{
        probe.agent + " token", false,
        "the token of the hooks may not report sessions whose id begins with " + probe.agent + "-",
        token_fix(probe.agent)};
}

std::string token_of_hooks(const Environment& environment, bool by_command) {
    std::string token = variable_of(environment, "HEADWAY_TOKEN");
    const std::string file = variable_of(environment, "HEADWAY_TOKEN_FILE");
    if (!by_command || file.empty()) return token;
    const auto text = read_settings(file);
    if (!text || !*text) return token;
    token = (*text)->substr(0, (*text)->find_first_of("\r\n"));
    return token;
}

}  // namespace headway::cli
