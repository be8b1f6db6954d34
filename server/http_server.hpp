#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "server/gate.hpp"
#include "server/http_connection.hpp"
#include "server/net.hpp"

namespace headway::server {

/// Counted here, read by the metrics.
struct HttpStats {
    std::uint64_t accepted = 0;
    std::uint64_t refused_connections = 0;  ///< over the cap
    std::uint64_t accept_errors = 0;
    std::uint64_t requests = 0;
    std::uint64_t refused_requests = 0;
    std::uint64_t open = 0;
};

/// The listener and all of its connections: accepts up to the cap, finds a connection by its id,
/// runs the one timer that checks every deadline, drains. I/O thread only.
class HttpServer final : public ConnectionOwner {
public:
    /// What the server hands on.
    class Handler {
    public:
        virtual ~Handler() = default;
        virtual void handle(HttpConnection& connection, std::uint64_t slot,
                            const HttpRequest& request) = 0;
        virtual void writable(HttpConnection& connection) = 0;
        virtual void closed(std::uint64_t connection) = 0;
        /// Once a second.
        virtual void second(Clock::Steady::time_point now) = 0;
    };

    HttpServer(net::io_context& io, config::ServerSettings settings, Handler& handler);
    ~HttpServer() override;

    /// Binds `address`:`port` and starts accepting. Error: kInvalidConfig.
    core::Result<> listen(const std::string& address, std::uint16_t port);
    /// The bound address as HOST:PORT.
    std::string bound() const;
    std::uint16_t port() const;

    HttpConnection* find(std::uint64_t id);
    void set_allowed_hosts(const std::vector<std::string>& hosts);

    /// No new connections; the others close as they become idle.
    void drain();
    /// Closes what is left.
    void close_all();
    const HttpStats& stats() const noexcept { return stats_; }

    const GateSettings& gate() const override { return gate_; }
    const config::ServerSettings& limits() const override { return settings_; }
    bool draining() const override { return draining_; }
    std::string next_request_id() override;
    void on_request(HttpConnection& connection, std::uint64_t slot,
                    const HttpRequest& request) override;
    void on_refused(core::ErrorCode code) override;
    void on_writable(HttpConnection& connection) override;
    void on_closed(HttpConnection& connection) override;
    void release(HttpConnection& connection) override;

private:
    struct Place {
        std::unique_ptr<HttpConnection> connection;
        std::uint32_t generation = 1;
    };
    void accept();
    void admit(Socket socket);
    void turn_wheel();

    net::io_context& io_;
    config::ServerSettings settings_;
    Handler& handler_;
    GateSettings gate_;
    Acceptor acceptor_;
    Timer wheel_;
    Timer accept_pause_;
    std::vector<Place> places_;  ///< an id is generation and index
    std::vector<std::uint32_t> free_;
    HttpStats stats_;
    std::string request_id_prefix_;
    std::uint64_t request_count_ = 0;
    bool draining_ = false;
};

}  // namespace headway::server
