// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/engine/turn/engine.hpp"
#include "storage/sql/sql.hpp"
#include "storage/store/store.hpp"
#include "tests/support/engine_answers.hpp"

namespace headway::tests {

/// A daemon and its clients do all that a daemon does, in the same order each time, over a database
/// that may fail. Clients send again what was not acknowledged, and note what was. For programs
/// with the clock of the tests.
class DaemonStory {
public:
    /// The database.
    struct Place {
        std::function<core::Result<std::unique_ptr<storage::Store>>(
            const std::string& id, std::function<core::Timestamp()> now)>
            open;
        std::function<void()> between = [] {};  ///< with no daemon, in the middle
        std::function<void()> mend = [] {};     ///< nothing fails any more
    };
    explicit DaemonStory(Place place) : place_(std::move(place)) {}

    /// The rows that the rest needs to find in the database.
    static void prepare(storage::Sql& sql);
    void play();
    /// The faults of the database at the end; empty: none.
    std::string faults();

    std::uint64_t refused = 0;   ///< requests that were answered with an error of the store
    std::uint64_t restarts = 0;  ///< starts that failed

private:
    struct Daemon {
        std::unique_ptr<storage::Store> store;
        server::Clock clock;
        server::CommandQueue queue;
        std::unique_ptr<server::Engine> engine;
    };

    void pass(core::Millis time);
    std::unique_ptr<Daemon> start(const std::string& id);
    bool try_start(Daemon& daemon, const std::string& id);
    void take(server::Publication published);
    std::optional<core::Result<Answer>> ask(const Command& command);
    /// Until the store takes it.
    core::Result<Answer> settle_each(const std::function<Command()>& make);
    core::Result<Answer> settle(Command command);
    void report(const std::string& session, std::vector<core::Event> events);
    void end(const std::string& session, core::Outcome outcome);
    void read(Command query);
    void rest(int turns, core::Millis each);
    void revive();
    void answer_judges();

    void check_journal(storage::Store& store, const std::string& session,
                       const storage::StoredSession& stored,
                       const std::map<std::string, std::uint64_t>& ids);

    void open();
    void work();
    void approve();
    void judge();
    void manage_tokens();
    void learn();
    void send_webhooks();
    void follow_another();
    void look();
    void tidy();
    void forget();
    void stop();

    Place place_;
    core::Millis time_{0};
    std::unique_ptr<Daemon> daemon_;
    std::vector<Reply> replies_;
    std::vector<server::JudgeJob> judge_jobs_;
    std::vector<server::WebhookJob> webhook_jobs_;
    /// Numbers of acknowledged events, by session and id.
    std::map<std::string, std::map<std::string, std::uint64_t>> acknowledged_;
    std::vector<std::string> tokens_;   ///< acknowledged ones
    std::vector<std::string> endings_;  ///< sessions whose end was acknowledged
    std::uint64_t asked_ = 0;
    std::uint64_t made_ = 0;  ///< tokens
    bool fatal_ = false;      ///< the daemon has to end
    std::string broken_;
};

}  // namespace headway::tests
