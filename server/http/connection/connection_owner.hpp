// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/settings/settings.hpp"
#include "server/http/message/gate.hpp"
#include "server/http/message/request_head.hpp"
#include "server/http/sockets/bulk_turns.hpp"
#include "server/http/sockets/passed_descriptors.hpp"
#include "server/http/sockets/peer.hpp"

namespace headway::server {

class HttpConnection;

/// A complete request. Its views are valid until the handler returns or, if the handler called
/// HttpConnection::keep_request(), until let_go().
struct HttpRequest {
    const RequestHead& head;
    const Target& target;
    std::string_view body;
    const Peer& peer;
    /// The body is still compressed, because it is long, or may become long when it is inflated.
    bool packed = false;
};

/// Answers requests and owns connections. I/O thread only.
class ConnectionOwner {
public:
    virtual ~ConnectionOwner() = default;

    /// The host names that a connection from `peer` may use.
    virtual const GateSettings& gate(const Peer& peer) const = 0;
    virtual const config::ServerSettings& limits() const = 0;
    virtual bool draining() const = 0;
    virtual std::string next_request_id() = 0;

    /// Decides whether the rest of a body is read. Called when the head and a part of the body have
    /// arrived, because an incomplete body takes memory that other requests may need. The error
    /// becomes the reply.
    virtual core::Result<> admit(const Target& target, const RequestHead& head,
                                 const Peer& peer) = 0;
    /// Replies to the request in `slot` of the connection, now or later, with respond() or
    /// begin_stream(). May throw; the reply is then 500.
    virtual void on_request(HttpConnection& connection, std::uint64_t slot,
                            const HttpRequest& request) = 0;
    /// Called when a request is refused before on_request().
    virtual void on_refused(core::ErrorCode code) = 0;
    /// Called when the number of bytes in unread replies and unfinished bodies has changed by
    /// `change`. Returns false if their total is too high; the owner may then close connections
    /// later.
    virtual bool on_held(std::ptrdiff_t change) = 0;
    /// The queue for long work: large bodies, inflation and handshakes.
    virtual BulkTurns& bulk() = 0;
    /// The descriptors that clients of the report socket send.
    virtual PassedDescriptors& passed() = 0;
    /// Called when a stream has written all its data.
    virtual void on_writable(HttpConnection& connection) = 0;
    /// Called once, when the peer is gone or was cut off; nothing more may be sent. Called only
    /// from the event loop, never within one of the owner's own calls, which might still use the
    /// objects released here.
    virtual void on_closed(HttpConnection& connection) = 0;
    /// Destroys the connection. Nothing refers to it any more.
    virtual void release(HttpConnection& connection) = 0;
};

}  // namespace headway::server
