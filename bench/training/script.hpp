// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/training/client.hpp"
#include "bench/training/daemon.hpp"

namespace headway::training {

/// What the clients of one life of a daemon do, step by step. The next step begins when each
/// request of the last one is answered.
class Script {
public:
    Script(Daemon& daemon, std::size_t clients);

    /// Single reports of all clients at once: like those of ./dev bench, and those of agents at
    /// work and in loops.
    void report(std::size_t rounds);
    /// 100 events a request.
    void report_batches(std::size_t rounds);
    /// Hooks of agents, as they post them before and after each call.
    void report_by_hooks(std::size_t rounds);
    /// Reports that streams are told of.
    void stream(std::size_t rounds);
    void read_progress(std::size_t rounds);
    /// Lists, journals and single sessions.
    void read_pages(std::size_t rounds);
    void approve(std::size_t rounds);
    void open_and_end(std::size_t rounds);
    /// The database as a daemon that is killed now leaves it.
    void copy_state(std::filesystem::path to);

    /// Performs all of it.
    void run();

private:
    using Step = std::function<void()>;

    void step(Step step) { steps_.push_back(std::move(step)); }
    /// Each client sends, with its number.
    void all(const std::function<void(std::size_t client)>& send);
    void pass(std::chrono::milliseconds time);
    void post(std::size_t client, std::string_view path, std::string_view body,
              std::string_view type = "application/json");
    void decide(std::size_t client, std::string_view decision);
    void connect(std::vector<Client>& clients, std::size_t count);
    bool waits() const;
    void go_on();

    Daemon& daemon_;
    std::vector<Client> clients_;
    std::vector<Client> followers_;
    std::vector<Step> steps_;
    std::size_t next_ = 0;
    std::size_t planned_ = 0;        ///< rounds that are steps by now
    std::uint64_t connections_ = 0;  ///< made so far; the daemon accepts them by and by
    std::size_t round_ = 0;          ///< over all of them: no event is like another one by accident
};

}  // namespace headway::training
