// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection/http_server.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <charconv>
#include <random>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "server/process/descriptors.hpp"

namespace headway::server {
namespace {

using namespace std::chrono_literals;

std::string hex(std::uint64_t number) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
    return {digits, static_cast<std::size_t>(end - digits)};
}

}  // namespace

HttpServer::HttpServer(net::io_context& io, config::ServerSettings settings, Handler& handler)
    : io_(io),
      settings_(std::move(settings)),
      handler_(handler),
      acceptor_(io),
      operators_(io, false),
      reporters_(io, true),
      bulk_(io),
      wheel_(io),
      accept_pause_(io),
      request_id_prefix_(hex(std::random_device{}()) + "-") {}

HttpServer::~HttpServer() = default;

core::Result<> HttpServer::listen(const std::string& address, std::uint16_t port) {
    const auto failed = [&](const error_code& ec) {
        return core::Error{core::ErrorCode::kInvalidConfig,
                           "cannot listen on " + address + ":" + std::to_string(port) + ": " +
                               ec.message() +
                               (ec == net::error::address_in_use
                                    ? "; another daemon runs there, or choose --listen 127.0.0.1:0"
                                    : ""),
                           "server.listen"};
    };
    error_code ec;
    const auto ip = net::ip::make_address(address == "localhost" ? "127.0.0.1" : address, ec);
    if (ec) return failed(ec);
    const net::ip::tcp::endpoint endpoint{ip, port};
    acceptor_.open(endpoint.protocol(), ec);
    if (!ec) acceptor_.set_option(net::socket_base::reuse_address(true), ec);
    if (!ec) acceptor_.bind(endpoint, ec);
    if (!ec) acceptor_.listen(1024, ec);
    if (!ec) acceptor_.non_blocking(true, ec);
    if (ec) return failed(ec);
    settings_.connections_max = connections_that_fit(settings_.connections_max);
    passed_.allow(passed_descriptors_that_fit(settings_.connections_max));
    set_allowed_hosts(settings_.allowed_hosts);
    accept();
    turn_wheel();
    return {};
}

std::string HttpServer::bound() const {
    error_code ec;
    const auto endpoint = acceptor_.local_endpoint(ec);
    const std::string ip = endpoint.address().to_string();
    return (endpoint.address().is_v6() ? "[" + ip + "]" : ip) + ":" +
           std::to_string(endpoint.port());
}

std::string HttpServer::url() const {
    error_code ec;
    const net::ip::address address = acceptor_.local_endpoint(ec).address();
    std::string authority = bound();
    if (address.is_unspecified())
        authority = (address.is_v6() ? "[::1]:" : "127.0.0.1:") + std::to_string(port());
    return (encrypted() ? "https://" : "http://") + authority;
}

std::uint16_t HttpServer::port() const {
    error_code ec;
    return acceptor_.local_endpoint(ec).port();
}

void HttpServer::set_allowed_hosts(const std::vector<std::string>& hosts) {
    error_code ec;
    const net::ip::address address = acceptor_.local_endpoint(ec).address();
    const bool refuse_forwarded = gate_.refuse_forwarded;
    gate_ = gate_settings(port(), hosts);
    gate_.refuse_forwarded = refuse_forwarded;
    if (!address.is_unspecified()) {
        const std::string name = bound();
        gate_.hosts.push_back(name);
        if (is_default_port(port())) gate_.hosts.push_back(name.substr(0, name.rfind(':')));
    }
    local_gate_ = gate_settings(port(), hosts);
    local_gate_.any_port_hosts.emplace_back("localhost");
    local_gate_.refuse_forwarded = true;
}

core::Result<> HttpServer::listen_local(const std::filesystem::path& file) {
    HEADWAY_CHECK(operators_.file.open(operators_.acceptor, file));
    accept_local(operators_);
    return {};
}

core::Result<> HttpServer::listen_for_reports(const std::filesystem::path& file,
                                              const std::string& group) {
    const LocalSocketRule rule{"server.report_socket", group, "server.report_group"};
    HEADWAY_CHECK(reporters_.file.open(reporters_.acceptor, file, rule));
    accept_local(reporters_);
    return {};
}

void HttpServer::accept() {
    acceptor_.async_accept(io_, from_, [this](error_code ec, TcpSocket socket) {
        if (ec == net::error::operation_aborted || !acceptor_.is_open()) return;
        if (!ec) {
            Peer peer = peer_at(from_);
            peer.encrypted = encrypted();
            admit(std::move(socket), peer);
        }
        go_on(ec, accept_pause_, [this] { accept(); });
    });
}

void HttpServer::accept_local(LocalDoor& door) {
    door.acceptor.async_accept(io_, [this, &door](error_code ec, LocalSocket socket) {
        if (ec == net::error::operation_aborted || !door.acceptor.is_open()) return;
        if (!ec) enter(door, std::move(socket));
        go_on(ec, door.pause, [this, &door] { accept_local(door); });
    });
}

void HttpServer::enter(LocalDoor& door, LocalSocket socket) {
    Peer peer;
    peer.uid = user_of(socket).value_or(Peer::kNoUser);
    peer.local = !door.reports && is_our_user(peer.uid);
    peer.reports = door.reports;
    if (peer.on_socket()) {
        admit(std::move(socket), peer);
    } else {
        ++stats_.refused_users;
    }
}

/// Pauses after an error, such as a lack of descriptors, and does not spin.
template <class Again>
void HttpServer::go_on(const error_code& ec, Timer& pause, Again again) {
    if (!ec) return again();
    ++stats_.accept_errors;
    pause.expires_after(100ms);
    pause.async_wait([this, again](error_code stopped) {
        if (!stopped && acceptor_.is_open()) again();
    });
}

/// Connections that one look for an idle one takes up: those of a flood are most of all.
constexpr std::size_t kLookedForIdle = 64;

// An agent that opens all connections and sends nothing must not keep the hooks of others out,
// whose calls would then run unchecked.
bool HttpServer::make_room() {
    bool silent = false;  // some had no request yet: those that had one stay
    for (const bool served : {false, true}) {
        for (std::size_t looked = 0; looked < kLookedForIdle && !(served && silent); ++looked) {
            hand_ = hand_ + 1 < places_.size() ? hand_ + 1 : 0;
            HttpConnection* const one = places_[hand_].connection.get();
            if (one == nullptr || one->served() != served) continue;
            silent = silent || !served;
            if (one->give_way()) return true;
        }
    }
    return handler_.make_room();
}

// The operator's agents may connect to the operator's socket as well: half of the places stay for
// hooks.
bool HttpServer::has_place(const Peer& peer) {
    constexpr std::uint64_t kOwn = core::limits::kOperatorConnections;
    if (peer.local && local_ < kOwn) return true;
    const std::uint64_t max = settings_.connections_max;
    if (peer.local && local_ >= kOwn + max / 2) return false;
    return stats_.open - std::min(local_, kOwn) < max || make_room();
}

void HttpServer::admit(Socket socket, const Peer& peer) {
    if (!has_place(peer)) {
        ++stats_.refused_connections;
        return;  // the socket closes
    }
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(places_.size()));
        places_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    Place& place = places_[index];
    place.local = peer.local;
    if (place.local) ++local_;
    const std::uint64_t id = (std::uint64_t{place.generation} << 32) | index;
    std::unique_ptr<TlsStream> tls;
    if (peer.encrypted) tls = std::make_unique<TlsStream>(*tls_, socket.native_handle());
    place.connection =
        std::make_unique<HttpConnection>(std::move(socket), peer, std::move(tls), id, *this);
    ++stats_.accepted;
    ++stats_.open;
    place.connection->start();
}

HttpConnection* HttpServer::find(std::uint64_t id) {
    const auto index = static_cast<std::uint32_t>(id);
    if (index >= places_.size() || places_[index].generation != id >> 32) return nullptr;
    return places_[index].connection.get();
}

void HttpServer::release(HttpConnection& connection) {
    const auto index = static_cast<std::uint32_t>(connection.id());
    Place& place = places_[index];
    HEADWAY_ASSERT(place.connection.get() == &connection);
    if (place.local) --local_;
    place.connection.reset();
    ++place.generation;
    free_.push_back(index);
    --stats_.open;
}

void HttpServer::turn_wheel() {
    wheel_.expires_after(1s);
    wheel_.async_wait([this](error_code ec) {
        if (ec) return;
        const auto now = Clock::steady();
        // By index, so that a closed connection does not invalidate the loop.
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (places_[i].connection) places_[i].connection->check_deadline(now);
        }
        handler_.second(now);
        turn_wheel();
    });
}

void HttpServer::drain() {
    draining_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    for (LocalDoor* const door : {&operators_, &reporters_}) {
        door->acceptor.close(ignored);
        door->file.remove();
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_[i].connection) places_[i].connection->drain();
    }
}

void HttpServer::close_all() {
    wheel_.cancel();
    accept_pause_.cancel();
    operators_.pause.cancel();
    reporters_.pause.cancel();
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_[i].connection) places_[i].connection->close();
    }
}

std::string HttpServer::next_request_id() {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, ++request_count_, 16).ptr;
    std::string id{request_id_prefix_};
    id.append(digits, end);
    return id;
}

void HttpServer::on_request(HttpConnection& connection, std::uint64_t slot,
                            const HttpRequest& request) {
    ++stats_.requests;
    handler_.handle(connection, slot, request);
}

void HttpServer::on_refused(core::ErrorCode) {
    ++stats_.requests;
    ++stats_.refused_requests;
}

bool HttpServer::on_held(std::ptrdiff_t change) {
    stats_.held_bytes += static_cast<std::size_t>(change);  // wraps for a negative change
    if (!overfull()) return true;
    if (change > 0 && !std::exchange(relief_posted_, true)) {
        // Posted, because a connection is on the stack.
        net::post(io_.get_executor(), [this] {
            relief_posted_ = false;
            relieve();
        });
    }
    return false;
}

bool HttpServer::overfull() const {
    return stats_.held_bytes + handler_.held() > core::limits::kUnreadBytesMax;
}

/// Closes the largest connections first, then smaller ones, since many of these hold as much. A
/// shared frame is freed only when the last connection with it is closed.
void HttpServer::relieve() {
    if (!overfull()) return;
    std::vector<HttpConnection*> holders;
    for (const Place& place : places_) {
        if (place.connection && place.connection->unread() > 0)
            holders.push_back(place.connection.get());
    }
    std::sort(holders.begin(), holders.end(),
              [](const auto* a, const auto* b) { return a->unread() > b->unread(); });
    for (HttpConnection* holder : holders) {
        if (!overfull()) return;
        ++stats_.cut;
        holder->close();
    }
}

void HttpServer::on_writable(HttpConnection& connection) {
    handler_.writable(connection);
}

void HttpServer::on_closed(HttpConnection& connection) {
    handler_.closed(connection.id());
}

}  // namespace headway::server
