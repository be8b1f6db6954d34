// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/base/console.hpp"
#include "cli/client/credentials.hpp"
#include "cli/client/http_client.hpp"
#include "core/base/result.hpp"

namespace headway::cli {

class Json;

inline constexpr std::string_view kDefaultUrl = "http://127.0.0.1:7717";

/// The base URL, from --url, HEADWAY_URL or the default. "host:port" means http, and "unix:/path" a
/// Unix socket. Error: kInvalidParameter. Pure.
core::Result<std::string> daemon_url(std::string_view flag,
                                     const std::map<std::string, std::string>& environment);

/// The problem document (RFC 9457) of a 4xx or 5xx reply.
struct Problem {
    std::string code;
    std::string detail;
    std::string field;
    bool retryable = false;
};
Problem problem_of(const HttpReply& reply);

/// Error text for a failed reply, with the next step.
struct FailureText {
    int exit_code = 0;
    std::string what;
    std::string next;
};

/// Sends JSON to one daemon, with the token of the credential, if any. A token that was found, and
/// not given by the user, is sent only to a listener that belongs to the owner of the token file.
/// After a refusal it is not sent again, because it may be the token of another daemon. One thread
/// at a time.
class Daemon {
public:
    explicit Daemon(std::string url, Credential credential = {})
        : url_(std::move(url)),
          socket_(socket_of(url_)),
          base_(socket_.empty() ? url_ : "http://localhost"),
          credential_(std::move(credential)) {}

    HttpReply get(std::string_view path, std::chrono::milliseconds timeout = kTimeout);
    HttpReply post(std::string_view path, const Json& body,
                   std::chrono::milliseconds timeout = kTimeout);
    /// `body` is JSON text.
    HttpReply post_text(std::string_view path, std::string body);
    HttpReply put_text(std::string_view path, std::string body);
    /// Posts a request whose reply the daemon may hold without limit. Meanwhile the daemon sends
    /// blanks, which show that it is reachable.
    HttpReply post_held(std::string_view path, std::string body,
                        const HttpClient::StreamHandlers& handlers);
    HttpReply remove(std::string_view path);
    HttpReply stream(std::string_view path, const std::string& last_event_id,
                     const HttpClient::StreamHandlers& handlers);

    /// Sent with each request that has a body from now on, as "Name: value".
    void set_headers(std::vector<std::string> headers) { headers_ = std::move(headers); }

    const std::string& url() const { return url_; }
    /// The option for choosing the daemon, as advice names it; --url if not set.
    void set_url_option(std::string option) { url_option_ = std::move(option); }
    const std::string& url_option() const { return url_option_; }
    /// Advice after a refused or missing token. It has the path of the daemon's operator.token if
    /// the daemon's reply names it. Sends a request.
    std::string where_is_the_token() const;
    /// True if the found token was withheld from the listener that sent the last reply.
    bool withheld() const { return !withheld_from_.empty(); }
    /// The text for a request that was not sent, because the daemon belongs to another user and
    /// this user did not name the daemon.
    FailureText stranger() const;
    /// Advice after an unknown route: the path in the URL may be the reason. Empty if the URL has
    /// no path.
    std::string path_advice() const;

private:
    static constexpr std::chrono::milliseconds kTimeout{30'000};
    static constexpr std::chrono::milliseconds kStreamSilenceMax{
        45'000};  // three keep-alive comments
    static constexpr std::chrono::milliseconds kHoldSilenceMax{15'000};  // the time of three blanks

    HttpReply send_body(std::string_view method, std::string_view path, std::string body,
                        std::chrono::milliseconds timeout = kTimeout);
    HttpReply send(HttpRequest request, const HttpClient::StreamHandlers* handlers = nullptr);
    HttpReply send_once(const HttpRequest& request, const HttpClient::StreamHandlers* handlers);

    std::string url_;  ///< URL as given
    std::string url_option_ = "--url";
    std::string socket_;  ///< Unix socket path; empty: TCP
    std::string base_;    ///< prefix of request URLs
    Credential credential_;
    std::string withheld_from_;  ///< owner of the last reply's listener, if it is another user
    std::vector<std::string> headers_;
    HttpClient client_;
};

/// "/v1/sessions/<id><rest>", the id encoded. Pure.
std::string session_path(std::string_view id, std::string_view rest = {});

/// The reply's body, if it is JSON. Pure.
std::optional<Json> body_json(const HttpReply& reply);

/// True if the same request may succeed later: the daemon is unreachable, overloaded or draining,
/// or has trouble with its storage. Pure.
bool worth_retrying(const HttpReply& reply);

/// True if the reply comes from another program that uses the daemon's port: it does not have the
/// header `X-Headway`, so it contains nothing about a session. False for status 413 and for replies
/// that are worth retrying, since a proxy in front of the daemon may have sent them. Pure.
bool is_of_another_program(const HttpReply& reply);

/// The reason for a failed reply, and the next step.
FailureText describe_failure(const Daemon& daemon, const HttpReply& reply);

/// Prints on `console.err` why this reply failed and the next step; returns the exit code.
int explain_failure(const Console& console, const Daemon& daemon, const HttpReply& reply);

/// Pauses between tries: 100 ms, doubling to 2 s, with a random part, so that clients do not all
/// retry at the same moments.
class Backoff {
public:
    std::chrono::milliseconds next();
    void reset() { step_ = std::chrono::milliseconds{100}; }

private:
    std::chrono::milliseconds step_{100};
};

/// Chooses the pause between long polls. Without a pause, a server that replies at once and without
/// a result would be polled thousands of times a second.
class PollPace {
public:
    /// The pause after a poll of duration `took`: none after a second or more.
    std::chrono::milliseconds after(std::chrono::milliseconds took);

private:
    Backoff backoff_;
};

}  // namespace headway::cli
