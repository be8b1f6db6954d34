// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/limits.hpp"

namespace headway::cli {

struct HttpRequest {
    std::string method = "GET";
    std::string url;
    std::string body;
    std::string content_type;          ///< sent when the method carries a body
    std::vector<std::string> headers;  ///< "Name: value"
    std::string socket;                ///< path of a Unix socket to use; empty: TCP
    std::string ca_file;               ///< PEM file of trusted certificates; empty: the system's
    std::optional<uid_t> only_to;      ///< sent only if the listener belongs to this user
    std::chrono::milliseconds timeout{
        30'000};  ///< limit for the whole exchange or, in a stream, between two bytes
    /// Bytes of a body that is kept; a longer one ends the exchange. Bodies that a stream passes on
    /// have no limit. A daemon keeps no more for all of its clients, so a longer body is another
    /// program's, which may send without end.
    std::size_t reply_bytes_max = core::limits::kUnreadBytesMax;
};

/// A reply. `status` 0 means that there was no HTTP reply; `error` has the reason.
struct HttpReply {
    int status = 0;
    std::string body;
    std::string error;
    std::map<std::string, std::string> headers;  ///< names in lower case
    std::string stranger{};  ///< the listener's user, if not `only_to`; nothing was sent then
    bool foreign = false;    ///< another program replied with success; `status` is 0 then
    bool connected = false;  ///< something accepted the connection, and may have the request

    bool answered() const { return status != 0; }
    bool ok() const { return status >= 200 && status < 300; }
};

/// HTTP over libcurl with one kept-alive connection. Environment proxies are not used for loopback.
/// One thread at a time; a client is cheap, so each thread has its own.
class HttpClient {
public:
    HttpClient();
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    /// Sends the request and reads the whole reply. Never throws for network trouble. A 2xx reply
    /// without the header `X-Headway` is another program's: its status becomes 0.
    HttpReply send(const HttpRequest& request);

    struct StreamHandlers {
        std::function<bool(std::string_view)>
            on_data;                    ///< gets bytes of a 2xx body; false ends the stream
        std::function<bool()> on_idle;  ///< called about five times a second; false ends the stream
    };
    /// Sends the request and passes a 2xx body on as it comes. Returns when the server closes the
    /// connection, a handler returns false, or `timeout` passes without a byte. The result has the
    /// `status` of the reply and, unless a handler ended the stream, the reason for the end as
    /// `error`.
    HttpReply stream(const HttpRequest& request, const StreamHandlers& handlers);

private:
    struct Handles;
    std::unique_ptr<Handles> handles_;
};

/// Percent-encodes all except unreserved characters, for one path segment or query value. Pure.
std::string url_encode(std::string_view text);

}  // namespace headway::cli
