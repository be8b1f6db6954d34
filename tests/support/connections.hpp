// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/http/connection/http_connection.hpp"
#include "tests/support/wire.hpp"

namespace headway::tests {

/// Connections without a listener: each uses one end of a Wire, and all calls to their owner are
/// recorded. The test decides the answers.
class Connections final : public server::ConnectionOwner {
public:
    using Answer = std::function<void(server::HttpConnection& connection, std::uint64_t slot,
                                      const server::HttpRequest& request)>;

    explicit Connections(server::net::io_context& io) : io_(io), bulk_(io) {}
    Connections(const Connections&) = delete;
    Connections& operator=(const Connections&) = delete;
    ~Connections() override {
        for (auto& [id, connection] : open_)
            connection->close();
        run_ready(io_);
    }

    struct Client {
        std::uint64_t id = 0;
        Wire far;
    };
    Client connect(int send_bytes = 0, int receive_bytes = 0) {
        WirePair pair = tests::connect(io_, send_bytes, receive_bytes);
        const std::uint64_t id = adopt(std::move(pair.near), server::Peer{});
        return {id, std::move(pair.far)};
    }
    /// A connection on this socket; returns its id.
    std::uint64_t adopt(server::Socket near, const server::Peer& peer) {
        const std::uint64_t id = next_id_++;
        auto opened =
            std::make_unique<server::HttpConnection>(std::move(near), peer, nullptr, id, *this);
        auto& connection = *open_.emplace(id, std::move(opened)).first->second;
        connection.start();
        return id;
    }
    server::HttpConnection* find(std::uint64_t id) {
        const auto found = open_.find(id);
        return found == open_.end() ? nullptr : found->second.get();
    }
    std::size_t size() const noexcept { return open_.size(); }

    Answer answer;            ///< default: 200 with the body that was sent
    core::Result<> admits{};  ///< the answer to admit()
    std::function<void(server::HttpConnection&)> writable;
    std::function<void(std::uint64_t)> closed;
    config::ServerSettings settings;
    std::vector<std::string> bodies;        ///< of the requests that came whole
    std::vector<core::ErrorCode> refused;   ///< before they did
    std::vector<std::uint64_t> closed_ids;  ///< in the order in which they were reported
    std::ptrdiff_t held = 0;                ///< bytes
    std::ptrdiff_t held_max = PTRDIFF_MAX;  ///< above it: too much
    bool goes_down = false;

    const server::GateSettings& gate(const server::Peer&) const override { return gate_; }
    const config::ServerSettings& limits() const override { return settings; }
    bool draining() const override { return goes_down; }
    std::string next_request_id() override { return "r"; }
    core::Result<> admit(const server::Target&, const server::RequestHead&,
                         const server::Peer&) override {
        return admits;
    }
    void on_request(server::HttpConnection& connection, std::uint64_t slot,
                    const server::HttpRequest& request) override {
        bodies.emplace_back(request.body);
        if (answer) return answer(connection, slot, request);
        server::Response response;
        response.body = std::string{request.body};
        connection.respond(slot, response);
    }
    void on_refused(core::ErrorCode code) override { refused.push_back(code); }
    bool on_held(std::ptrdiff_t change) override {
        held += change;
        return held <= held_max;
    }
    server::BulkTurns& bulk() override { return bulk_; }
    server::PassedDescriptors& passed() override { return passed_; }
    void on_writable(server::HttpConnection& connection) override {
        if (writable) writable(connection);
    }
    void on_closed(server::HttpConnection& connection) override {
        closed_ids.push_back(connection.id());
        if (closed) closed(connection.id());
    }
    void release(server::HttpConnection& connection) override { open_.erase(connection.id()); }

private:
    server::net::io_context& io_;
    server::BulkTurns bulk_;
    server::PassedDescriptors passed_;
    server::GateSettings gate_ = server::gate_settings(7717, {});
    std::unordered_map<std::uint64_t, std::unique_ptr<server::HttpConnection>> open_;
    std::uint64_t next_id_ = 1;
};

}  // namespace headway::tests
