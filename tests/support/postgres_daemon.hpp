// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "server/engine/commands/session_commands.hpp"
#include "server/engine/turn/engine.hpp"
#include "tests/support/engine_answers.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/postgres_here.hpp"

namespace headway::tests {

/// One of several daemons on a database, driven turn by turn on this thread.
class PostgresDaemon {
public:
    PostgresDaemon(const PostgresHere& here, const std::string& id,
                   server::EngineSettings settings = {})
        : store_(here.daemon(id)) {
        engine_ = std::make_unique<server::Engine>(
            *store_, clock_, queue_, std::move(settings),
            [this](std::unique_ptr<server::Publication> published) { take(std::move(*published)); },
            [this](bool, const std::string& line) { lines.push_back(line); },
            server::JudgeLink{
                [this](server::JudgeJob job) { asked.push_back(std::move(job.session)); },
                [](const std::string&) {}});
        require_ok(engine_->recover());
    }

    /// Its turns until it is answered.
    core::Result<Answer> try_ask(const Command& command) {
        replies_.clear();
        turn({&command});
        turn_until_answered();
        return std::move(replies_.front().what);
    }
    Answer ask(const Command& command) {
        auto answer = try_ask(command);
        require_ok(answer);
        return *std::move(answer);
    }
    void turn(const std::vector<const Command*>& commands = {}) {
        std::vector<server::Request> requests;
        for (const Command* command : commands) {
            requests.push_back(command->request({0, ++asked_}));
            queue_.set_listening(true);
        }
        engine_->turn(requests, 0);
    }
    /// An answer may wait for what other transactions have not committed yet.
    void turn_until_answered() {
        for (int turns = 0; turns < 1'000 && replies_.empty(); ++turns)
            turn();
        REQUIRE(replies_.size() == 1);
    }
    void run(std::vector<server::Request> requests) { engine_->turn(requests, 0); }
    void upkeep() { engine_->upkeep(true); }
    /// The numbers that its events got.
    std::vector<std::uint64_t> report(const std::string& session,
                                      std::vector<core::Event> reported) {
        const auto reply = ask(server::ReportCommand{session, std::move(reported), true, {}});
        std::vector<std::uint64_t> numbers;
        for (const auto& [n, duplicate] : std::get<AdviceReply>(reply).advice.results)
            numbers.push_back(n);
        return numbers;
    }
    StreamReply stream(std::optional<std::int64_t> after) {
        return std::get<StreamReply>(ask(server::StreamQuery{{}, after}));
    }
    /// Answers since the last ask().
    std::vector<Reply>& replies() { return replies_; }
    storage::PostgresStore& store() { return *store_; }
    server::Engine& engine() { return *engine_; }

    std::vector<storage::StreamEvent> events;  ///< as they were published
    std::vector<std::string> lines;            ///< of its log
    /// As they were published last.
    std::optional<std::vector<core::TokenRecord>> tokens;
    std::vector<core::SessionView> views;  ///< as they were published
    std::vector<std::string> deleted;      ///< sessions, as they were published
    std::vector<std::string> replaced;
    std::string streams_end;         ///< why its streams ended
    bool followed = false;           ///< others may have decided approvals, as was published
    std::vector<std::string> asked;  ///< sessions that a judge was asked about
    server::EngineStats stats;

private:
    void take(server::Publication published) {
        for (const server::Answered& answered : published.replies)
            replies_.push_back(reply_of(answered));
        std::move(published.events.begin(), published.events.end(), std::back_inserter(events));
        std::move(published.views.begin(), published.views.end(), std::back_inserter(views));
        std::move(published.deleted.begin(), published.deleted.end(), std::back_inserter(deleted));
        std::move(published.replaced.begin(), published.replaced.end(),
                  std::back_inserter(replaced));
        if (published.tokens) tokens = std::move(published.tokens);
        followed = followed || published.followed;
        if (!published.streams_end.empty()) streams_end = std::move(published.streams_end);
        stats = published.stats;
    }

    server::Clock clock_;
    server::CommandQueue queue_;
    std::unique_ptr<storage::PostgresStore> store_;
    std::unique_ptr<server::Engine> engine_;
    std::vector<Reply> replies_;
    std::uint64_t asked_ = 0;
};

/// A heartbeat with an event id.
inline core::Event beat_with_id(const std::string& id) {
    core::Event event = beat();
    event.event_id = id;
    return event;
}

}  // namespace headway::tests
