// SPDX-License-Identifier: Apache-2.0
#include "cli/client/daemon.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <ostream>

#include "cli/base/exit_code.hpp"
#include "cli/base/ids.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/tcp_peer.hpp"

namespace headway::cli {
namespace {

bool matches(std::string_view text, std::string_view allowed) {
    return std::all_of(text.begin(), text.end(), [allowed](char c) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return letter || (c >= '0' && c <= '9') || allowed.find(c) != allowed.npos;
    });
}

/// `127.0.0.1`, `a.example:80`, `[::1]:7717`.
bool is_authority(std::string_view text) {
    const bool six = text.starts_with('[');
    const std::size_t end = six ? text.find(']') : std::min(text.find(':'), text.size());
    if (end == text.npos) return false;
    const std::string_view host = six ? text.substr(1, end - 1) : text.substr(0, end);
    if (host.empty() || !matches(host, six ? ":." : "._-")) return false;
    if (six && host.find(':') == host.npos) return false;
    std::string_view port = text.substr(six ? end + 1 : end);
    if (port.empty()) return true;
    if (port.front() != ':') return false;
    port.remove_prefix(1);
    std::uint16_t number = 0;
    const auto read = std::from_chars(port.data(), port.data() + port.size(), number);
    return read.ec == std::errc{} && read.ptr == port.data() + port.size() && number != 0;
}

/// As every client and the hook read it: tests/support/daemon_urls.txt.
std::optional<std::string> normal_url(std::string_view url) {
    const std::size_t colon = std::min(url.find(':'), url.size());
    std::string scheme{url.substr(0, colon)};
    for (char& c : scheme)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    if (scheme == "unix" && colon < url.size()) {
        std::string path{url.substr(colon + 1)};
        if (path.starts_with("//")) path.erase(0, 2);
        const bool plain = std::all_of(path.begin(), path.end(), [](unsigned char c) {
            return c >= ' ' && c != '"' && c != '\\' && c != 0x7F;
        });
        if (!path.starts_with('/') || path.starts_with("//") || !plain) return std::nullopt;
        return "unix:" + path;
    }
    const bool named =
        (scheme == "http" || scheme == "https") && url.substr(colon).starts_with("://");
    if (named) url.remove_prefix(colon + 3);
    while (url.ends_with('/'))
        url.remove_suffix(1);
    const std::size_t slash = std::min(url.find('/'), url.size());
    const std::string_view base = url.substr(slash);
    if (!matches(base, "/._~!$&'()*+,;=:@%-") || base.find("//") != base.npos) return std::nullopt;
    if (!is_authority(url.substr(0, slash))) return std::nullopt;
    return (named ? scheme : "http") + "://" + std::string{url};
}

/// For a message: without what stands before an `@`, which may be a password.
std::string_view without_secret(std::string_view url) {
    const std::size_t at = url.rfind('@');
    return at == url.npos ? url : url.substr(at);
}

}  // namespace

core::Result<std::string> daemon_url(std::string_view flag,
                                     const std::map<std::string, std::string>& environment) {
    std::string url(flag);
    if (url.empty()) {
        const auto variable = environment.find("HEADWAY_URL");
        if (variable != environment.end()) url = variable->second;
    }
    if (url.empty()) url = kDefaultUrl;
    std::optional<std::string> normal = normal_url(url);
    if (normal) return *normal;
    return core::Error{core::ErrorCode::kInvalidParameter,
                       "\"" + clean_line(without_secret(url)) +
                           "\" is no URL of a daemon; write http://HOST:PORT, https://HOST:PORT or "
                           "unix:/PATH",
                       "--url"};
}

Problem problem_of(const HttpReply& reply) {
    Problem problem;
    const std::optional<Json> body = body_json(reply);
    if (!body || !body->is_object()) {
        problem.detail = "HTTP status " + std::to_string(reply.status);
        return problem;
    }
    const auto text = [&](const char* name) { return clean_line(body->text_of(name)); };
    problem.code = text("code");
    problem.detail = text("detail").empty() ? text("title") : text("detail");
    if (problem.detail.empty()) problem.detail = "HTTP status " + std::to_string(reply.status);
    problem.field = text("field");
    problem.retryable = body->flag_of("retryable");
    return problem;
}

HttpReply Daemon::get(std::string_view path, std::chrono::milliseconds timeout) {
    HttpRequest request;
    request.url = base_ + std::string(path);
    request.timeout = timeout;
    return send(std::move(request));
}

HttpReply Daemon::remove(std::string_view path) {
    HttpRequest request;
    request.method = "DELETE";
    request.url = base_ + std::string(path);
    return send(std::move(request));
}

HttpReply Daemon::send_once(const HttpRequest& request,
                            const HttpClient::StreamHandlers* handlers) {
    return handlers != nullptr ? client_.stream(request, *handlers) : client_.send(request);
}

HttpReply Daemon::send(HttpRequest request, const HttpClient::StreamHandlers* handlers) {
    request.socket = socket_;
    request.ca_file = credential_.ca_file;
    if (credential_.token.empty()) return send_once(request, handlers);
    if (credential_.found) request.only_to = credential_.owner;
    request.headers.push_back("Authorization: Bearer " + credential_.token);
    HttpReply reply = send_once(request, handlers);
    withheld_from_ = reply.stranger;
    const bool may_go_without =
        reply.status == 401 || (!withheld_from_.empty() && !credential_.owner_only);
    if (!credential_.found || !may_go_without) return reply;
    if (withheld_from_.empty()) credential_.token.clear();
    request.only_to.reset();
    request.headers.pop_back();
    return send_once(request, handlers);
}

HttpReply Daemon::send_body(std::string_view method, std::string_view path, std::string body,
                            std::chrono::milliseconds timeout) {
    HttpRequest request;
    request.method = method;
    request.url = base_ + std::string(path);
    request.body = std::move(body);
    request.content_type = "application/json";
    request.timeout = timeout;
    request.headers = headers_;
    return send(std::move(request));
}

HttpReply Daemon::post(std::string_view path, const Json& body, std::chrono::milliseconds timeout) {
    return send_body("POST", path, dump(body), timeout);
}

HttpReply Daemon::post_text(std::string_view path, std::string body) {
    return send_body("POST", path, std::move(body));
}

HttpReply Daemon::put_text(std::string_view path, std::string body) {
    return send_body("PUT", path, std::move(body));
}

HttpReply Daemon::post_held(std::string_view path, std::string body,
                            const HttpClient::StreamHandlers& handlers) {
    HttpRequest request;
    request.method = "POST";
    request.url = base_ + std::string(path);
    request.body = std::move(body);
    request.content_type = "application/json";
    request.timeout = kHoldSilenceMax;
    request.headers = headers_;
    return send(std::move(request), &handlers);
}

HttpReply Daemon::stream(std::string_view path, const std::string& last_event_id,
                         const HttpClient::StreamHandlers& handlers) {
    HttpRequest request;
    request.url = base_ + std::string(path);
    request.timeout = kStreamSilenceMax;
    request.headers.emplace_back("Accept: text/event-stream");
    if (!last_event_id.empty()) request.headers.push_back("Last-Event-ID: " + last_event_id);
    return send(std::move(request), &handlers);
}

std::string Daemon::where_is_the_token() const {
    std::string text = "name a token with --token-file, HEADWAY_TOKEN or HEADWAY_TOKEN_FILE";
    if (!withheld_from_.empty()) {
        const std::string file = clean_line(credential_.looked_in);
        return "the token in " + file + " was not sent: the daemon belongs to " + withheld_from_ +
               ", the file to " + user_name(credential_.owner) +
               "; if it is meant for this one, --token-file " + file + " sends it";
    }
    if (credential_.looked_in.empty()) return text;
    // The answer is shown and not used: a token goes to the daemon that it was named for.
    Daemon asking{url_};
    const Json system = body_json(asking.get("/v1/system")).value_or(Json());
    const std::string file = clean_line(system["database"].text_of("path"));
    const std::string folder = file.substr(0, file.find_last_of('/'));
    if (folder.empty()) {
        return text + "; the operator's is not in " + clean_line(credential_.looked_in) +
               ", --state-dir names another folder";
    }
    return text + "; the operator's is in " + folder + "/operator.token: add --state-dir " + folder;
}

FailureText Daemon::stranger() const {
    const std::string folder = std::filesystem::path{credential_.looked_in}.parent_path().string();
    return {kExitUnreachable,
            "what listens at " + url_ + " belongs to " + withheld_from_ + ", not to " +
                user_name(credential_.owner) + ", the owner of " +
                clean_line(credential_.looked_in) + ": nothing was sent to it",
            "`headway serve --state-dir " + clean_line(folder) +
                "` starts yours; if this one is meant, name it: " + url_option_ + " " + url_};
}

std::string Daemon::path_advice() const {
    const std::size_t host = url_.find("://");
    const std::size_t slash = host == url_.npos ? url_.npos : url_.find('/', host + 3);
    if (slash == url_.npos) return {};
    return "the URL ends in a path, " + url_.substr(slash) + ", that no daemon has; try " +
           url_option_ + " " + url_.substr(0, slash);
}

namespace {

/// The flag of the command line for a parameter of the API, where there is one.
std::string flag_for(const std::string& field) {
    constexpr std::array<std::string_view, 14> kFlags{
        "until", "after",   "mode",  "missing", "open_within", "silent_for", "limit",
        "label", "verdict", "agent", "reason",  "expires_in",  "scope",      "then"};
    const bool known = std::find(kFlags.begin(), kFlags.end(), field) != kFlags.end();
    if (field == "expires_in") return "--expires";
    if (!known) return field;
    std::string flag = "--" + field;
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

}  // namespace

std::string session_path(std::string_view id, std::string_view rest) {
    return "/v1/sessions/" + url_encode(id) + std::string(rest);
}

std::optional<Json> body_json(const HttpReply& reply) {
    return Json::parse(reply.body);
}

bool worth_retrying(const HttpReply& reply) {
    if (!reply.answered()) return true;
    return reply.status == 503 || reply.status == 507 || reply.status == 408 ||
           reply.status == 502 || reply.status == 504;
}

bool is_of_another_program(const HttpReply& reply) {
    if (reply.foreign) return true;
    const bool of_proxies = worth_retrying(reply) || reply.status == 413;
    return !of_proxies && !reply.headers.contains("x-headway");
}

FailureText describe_failure(const Daemon& daemon, const HttpReply& reply) {
    if (!reply.answered() && !reply.stranger.empty()) return daemon.stranger();
    if (!reply.answered()) {
        return {kExitUnreachable, "no daemon answers at " + daemon.url() + " (" + reply.error + ")",
                "start one with `headway serve`, or name it with " + daemon.url_option() +
                    (daemon.url_option() == "--url" ? " or HEADWAY_URL" : "")};
    }
    const Problem problem = problem_of(reply);
    FailureText failure{kExitFailed, problem.detail, {}};
    if (!problem.field.empty()) failure.what += " (" + flag_for(problem.field) + ")";
    const bool parameter = problem.code == "invalid_parameter" || problem.code == "invalid_id";
    if (parameter) failure.exit_code = kExitUsage;

    std::string& next = failure.next;
    if (problem.code == "unknown_session") next = "`headway sessions` lists what the daemon knows";
    const bool goes_on = problem.detail.find("goes on as") != std::string::npos;
    if (problem.code == "session_ended" && !goes_on)
        next = "an ended session takes no reports; use another id";
    if (problem.code == "session_open") next = "`headway end` or `headway cancel` ends it";
    if (problem.code == "unknown_host")
        next = "add this name to server.allowed_hosts of the daemon";
    if (problem.code == "unauthorized") next = daemon.where_is_the_token();
    if (problem.code == "no_judge")
        next = "`headway config default` shows such a table, `headway doctor` tries it";
    if (problem.code == "unknown_token") next = "`headway token list` shows their ids";
    if (problem.code.empty()) next = "is this a Headway daemon? " + daemon.url();
    if (problem.code == "unknown_route") next = daemon.path_advice();
    if (reply.status == 401 && daemon.withheld()) next = daemon.where_is_the_token();
    if (problem.retryable) next = "this may pass: try again";
    return failure;
}

int explain_failure(const Console& console, const Daemon& daemon, const HttpReply& reply) {
    const FailureText failure = describe_failure(daemon, reply);
    return complain(console, failure.exit_code, failure.what, failure.next);
}

std::chrono::milliseconds PollPace::after(std::chrono::milliseconds took) {
    constexpr std::chrono::milliseconds kHeld{1'000};
    if (took < kHeld) return backoff_.next();
    backoff_.reset();
    return std::chrono::milliseconds{0};
}

std::chrono::milliseconds Backoff::next() {
    constexpr std::chrono::milliseconds kMax{2'000};
    const auto jitter = static_cast<std::int64_t>(random_bits() % 50);
    const std::chrono::milliseconds pause = step_ * (100 + jitter) / 100;
    step_ = std::min(step_ * 2, kMax);
    return pause;
}

}  // namespace headway::cli
