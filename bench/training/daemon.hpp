// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "config/settings.hpp"
#include "server/clock.hpp"
#include "server/dispatcher.hpp"
#include "server/engine/command_queue.hpp"
#include "server/engine/engine.hpp"

namespace headway::training {

/// The parts of the daemon as server/app.cpp wires them, without its threads: the engine runs, and
/// where it would wait the caller of run() lets the I/O loop go on. So everything has one order.
class Daemon {
public:
    /// Opens or recovers the database in `state`. Gives up if it cannot.
    explicit Daemon(std::filesystem::path state);
    ~Daemon();

    /// Runs the engine until close(); `go_on` is called whenever it has nothing to do.
    void run(std::function<void()> go_on);
    void close() { queue_.close(); }
    /// Waits for and runs one handler of the I/O loop.
    void serve_one();
    /// Lets time pass, and the timers that are then due run: until passing() is false.
    void let_pass(std::chrono::milliseconds time);
    bool passing() const noexcept { return passing_; }

    std::uint16_t port() { return dispatcher_->http().port(); }
    const server::HttpStats& stats() { return dispatcher_->http().stats(); }
    const std::filesystem::path& state() const noexcept { return state_; }
    /// The operator's token.
    const std::string& token() const noexcept { return token_; }

private:
    std::filesystem::path state_;
    config::Settings settings_;
    server::Clock clock_;
    std::unique_ptr<storage::Store> store_;
    server::net::io_context io_{1};
    server::Timer timer_{io_};
    server::CommandQueue queue_;
    std::unique_ptr<server::Engine> engine_;
    std::unique_ptr<server::Dispatcher> dispatcher_;
    std::string token_;
    bool passing_ = false;
};

}  // namespace headway::training
