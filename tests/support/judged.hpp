// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/outbound/judge/judge_client.hpp"

namespace headway::tests {

inline config::JudgeEndpoint judge_endpoint(std::string name, std::string base_url,
                                            std::string model) {
    config::JudgeEndpoint endpoint;
    endpoint.name = std::move(name);
    endpoint.base_url = std::move(base_url);
    endpoint.model = std::move(model);
    return endpoint;
}

/// Without retries unless a test wants some, and as patient as a busy machine asks for.
inline config::JudgeSettings judge_settings(std::vector<config::JudgeEndpoint> endpoints) {
    config::JudgeSettings settings;
    settings.endpoints = std::move(endpoints);
    settings.retries = 0;
    settings.silence_timeout = std::chrono::seconds{20};
    settings.connect_timeout = std::chrono::seconds{20};
    return settings;
}

/// A judge client whose replies are kept in the order in which they come.
class Judged {
public:
    explicit Judged(config::JudgeSettings settings)
        : client_(
              loop_, std::move(settings),
              [this](server::JudgeReply reply) { keep(std::move(reply)); },
              [this](bool, const std::string& line) {
                  const std::lock_guard lock{mutex_};
                  lines_.push_back(line);
              }) {}

    server::JudgeClient& client() { return client_; }

    bool submit(std::uint64_t id, const std::string& session = "s",
                const std::string& endpoint = "judge") {
        server::JudgeJob job;
        job.id = id;
        job.session = session;
        job.endpoint = endpoint;
        job.system = "You judge.";
        job.user = "What now?";
        return client_.submit(std::move(job));
    }

    /// The first `count` replies, or fewer when they do not come within half a minute.
    std::vector<server::JudgeReply> wait(std::size_t count) {
        std::unique_lock lock{mutex_};
        arrived_.wait_for(lock, std::chrono::seconds{30}, [&] { return replies_.size() >= count; });
        const auto first = std::min(count, replies_.size());
        return {replies_.begin(), replies_.begin() + static_cast<std::ptrdiff_t>(first)};
    }
    server::JudgeReply ask() {
        submit(1);
        const auto replies = wait(1);
        return replies.empty() ? server::JudgeReply{} : replies.front();
    }
    /// All lines that were reported for the log.
    std::string log() {
        const std::lock_guard lock{mutex_};
        std::string text;
        for (const std::string& line : lines_)
            text += line + "\n";
        return text;
    }

private:
    void keep(server::JudgeReply reply) {
        {
            const std::lock_guard lock{mutex_};
            replies_.push_back(std::move(reply));
        }
        arrived_.notify_all();
    }

    std::mutex mutex_;  ///< guards the two below
    std::vector<server::JudgeReply> replies_;
    std::vector<std::string> lines_;
    std::condition_variable arrived_;
    server::CurlLoop loop_;
    server::JudgeClient client_;  ///< last: its thread uses the rest
};

}  // namespace headway::tests
