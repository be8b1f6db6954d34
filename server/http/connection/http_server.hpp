// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/settings/settings.hpp"
#include "server/http/connection/http_connection.hpp"
#include "server/http/message/gate.hpp"
#include "server/http/sockets/local_socket.hpp"
#include "server/http/sockets/net.hpp"
#include "server/http/sockets/tls.hpp"

namespace headway::server {

/// Counters for the metrics.
struct HttpStats {
    std::uint64_t accepted = 0;
    /// Connections refused because the maximum number was reached.
    std::uint64_t refused_connections = 0;
    std::uint64_t refused_users = 0;  ///< connections by users who may not use the Unix socket
    std::uint64_t accept_errors = 0;
    std::uint64_t requests = 0;
    std::uint64_t refused_requests = 0;
    std::uint64_t open = 0;
    /// Bytes of unread replies and unfinished bodies, over all connections.
    std::size_t held_bytes = 0;
    std::uint64_t cut = 0;  ///< connections closed because too many bytes were held
};

/// The listeners and all connections. It accepts connections up to the maximum, finds a connection
/// by its id, runs one timer for all deadlines, and drains. I/O thread only.
class HttpServer final : public ConnectionOwner {
public:
    /// Handles requests and events of connections.
    class Handler {
    public:
        virtual ~Handler() = default;
        /// As ConnectionOwner::admit().
        virtual core::Result<> admit(const Target& target, const RequestHead& head,
                                     const Peer& peer) = 0;
        virtual void handle(HttpConnection& connection, std::uint64_t slot,
                            const HttpRequest& request) = 0;
        virtual void writable(HttpConnection& connection) = 0;
        virtual void closed(std::uint64_t connection) = 0;
        /// Closes a connection that only waits, to make room for a new one. Returns false if no
        /// connection may be closed.
        virtual bool make_room() = 0;
        /// Bytes that are held for clients, but not by their connections.
        virtual std::size_t held() const = 0;
        /// Called once a second.
        virtual void second(Clock::Steady::time_point now) = 0;
    };

    HttpServer(net::io_context& io, config::ServerSettings settings, Handler& handler);
    ~HttpServer() override;

    /// Binds `address`:`port` and starts accepting. Error: kInvalidConfig.
    core::Result<> listen(const std::string& address, std::uint16_t port);
    /// Also listens on a Unix socket, for root and the daemon's user. Error: kInvalidConfig.
    core::Result<> listen_local(const std::filesystem::path& file);
    /// Also listens on the report socket, a Unix socket for reports only: every user who may open
    /// the file may connect, and no user is treated as the operator there. Error: kInvalidConfig.
    core::Result<> listen_for_reports(const std::filesystem::path& file, const std::string& group);
    /// From now on, new connections over the network use TLS with this certificate.
    void set_tls(std::shared_ptr<TlsContext> tls) { tls_ = std::move(tls); }
    bool encrypted() const noexcept { return tls_ != nullptr; }
    /// The maximum number of open connections: as configured, or lower because of the limit on open
    /// files.
    std::uint32_t connections_max() const noexcept { return settings_.connections_max; }
    /// The bound address as HOST:PORT.
    std::string bound() const;
    /// A URL that works on this machine. Wildcard addresses (0.0.0.0, ::) are replaced with
    /// loopback, because neither a browser nor the check of Host accepts them.
    std::string url() const;
    /// The path of the Unix socket; empty if there is none.
    const std::filesystem::path& local_path() const noexcept { return operators_.file.path(); }
    /// The path of the report socket; empty if there is none.
    const std::filesystem::path& report_path() const noexcept { return reporters_.file.path(); }
    std::uint16_t port() const;

    HttpConnection* find(std::uint64_t id);
    void set_allowed_hosts(const std::vector<std::string>& hosts);
    /// Sets whether requests that came through a proxy are refused. On the Unix socket such
    /// requests are always refused, because they would have the rights of the user who runs the
    /// proxy.
    void refuse_forwarded(bool refused) { gate_.refuse_forwarded = refused; }
    /// Closes the connections with the most unread bytes while the total is too high.
    void relieve();

    /// Stops accepting; open connections close as they become idle.
    void drain();
    /// Closes the remaining connections.
    void close_all();
    const HttpStats& stats() const noexcept { return stats_; }

    const GateSettings& gate(const Peer& peer) const override {
        return peer.on_socket() ? local_gate_ : gate_;
    }
    const config::ServerSettings& limits() const override { return settings_; }
    bool draining() const override { return draining_; }
    std::string next_request_id() override;
    core::Result<> admit(const Target& target, const RequestHead& head, const Peer& peer) override {
        return handler_.admit(target, head, peer);
    }
    void on_request(HttpConnection& connection, std::uint64_t slot,
                    const HttpRequest& request) override;
    void on_refused(core::ErrorCode code) override;
    bool on_held(std::ptrdiff_t change) override;
    BulkTurns& bulk() override { return bulk_; }
    PassedDescriptors& passed() override { return passed_; }
    void on_writable(HttpConnection& connection) override;
    void on_closed(HttpConnection& connection) override;
    void release(HttpConnection& connection) override;

private:
    struct Place {
        std::unique_ptr<HttpConnection> connection;
        std::uint32_t generation = 1;
        bool local = false;  ///< the connection came through the operator's socket
    };
    /// A listening Unix socket.
    struct LocalDoor {
        LocalAcceptor acceptor;
        LocalSocketFile file;
        Timer pause;
        bool reports;

        LocalDoor(net::io_context& io, bool only_reports)
            : acceptor(io), pause(io), reports(only_reports) {}
    };
    void accept();
    void accept_local(LocalDoor& door);
    void enter(LocalDoor& door, LocalSocket socket);
    template <class Again>
    void go_on(const error_code& ec, Timer& pause, Again again);
    void admit(Socket socket, const Peer& peer);
    bool has_place(const Peer& peer);
    bool make_room();
    void turn_wheel();
    bool overfull() const;

    net::io_context& io_;
    config::ServerSettings settings_;
    Handler& handler_;
    GateSettings gate_;
    GateSettings local_gate_;
    std::shared_ptr<TlsContext> tls_;  ///< null: plain HTTP
    TcpAcceptor acceptor_;
    net::ip::tcp::endpoint from_;  ///< address of the next accepted connection
    LocalDoor operators_;
    LocalDoor reporters_;
    BulkTurns bulk_;
    /// Declared before the connections, because connections hold places in it.
    PassedDescriptors passed_;
    Timer wheel_;
    Timer accept_pause_;
    std::vector<Place> places_;  ///< the id of a connection consists of the generation and the
                                 ///< index of its place
    std::vector<std::uint32_t> free_;
    std::size_t hand_ = 0;  ///< the last search for a connection that may be closed ended at this
                            ///< place
    HttpStats stats_;
    std::uint64_t local_ = 0;  ///< number of open connections on the operator's socket
    std::string request_id_prefix_;
    std::uint64_t request_count_ = 0;
    bool draining_ = false;
    bool relief_posted_ = false;
};

}  // namespace headway::server
