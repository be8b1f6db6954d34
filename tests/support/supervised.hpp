// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/engine/turn/engine.hpp"
#include "storage/sqlite/sqlite_store.hpp"
#include "tests/support/engine_answers.hpp"
#include "tests/support/failing_store.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::tests {

/// An engine on a real store with injected failures, driven turn by turn on this thread.
class Supervised {
public:
    explicit Supervised(server::EngineSettings settings = {});
    /// Time stands at `now`, and only clock().advance_to() moves it.
    Supervised(server::EngineSettings settings, core::Timestamp now);
    /// The same on another store, which is opened for each start.
    using OpenStore = std::function<std::unique_ptr<storage::Store>(const server::Clock&)>;
    Supervised(server::EngineSettings settings, core::Timestamp now, OpenStore open);
    ~Supervised();

    /// Forgets everything in memory and starts over on the same file, as after a power cut.
    void restart();

    /// One turn; the replies are in the order of the commands.
    std::vector<Reply> turn(std::vector<Command> commands, bool listening = false);

    /// A turn of one command that must be answered.
    core::Result<Answer> ask(Command command);

    api::Advice report(const std::string& session, std::vector<core::Event> events);

    /// The journal of a session as it is on disk.
    std::vector<core::Event> journal(const std::string& session);

    FailingStore& store() { return *failing_; }
    storage::SqliteStore& sqlite() { return dynamic_cast<storage::SqliteStore&>(*stored_); }
    storage::Store& stored() { return *stored_; }
    server::CommandQueue& queue() { return queue_; }
    server::Engine& engine() { return *engine_; }
    server::Clock& clock() { return clock_; }

    server::Publication last;  ///< of the last turn, without its replies
    bool published = false;
    int publications = 0;  ///< of the last turn
    std::vector<std::string> log;
    std::vector<std::string> fatal;                ///< why the daemon should have ended
    std::vector<server::CopiedFile> copied;        ///< backups that have ended
    std::vector<server::JudgeJob> judge_jobs;      ///< that the judge was given
    std::vector<std::string> judge_cancelled;      ///< sessions
    std::vector<server::WebhookJob> webhook_jobs;  ///< that are on their way
    bool webhooks_go_out = true;

private:
    void start();
    void take(server::Publication publication);

    TempDir dir_;
    server::Clock clock_;
    server::CommandQueue queue_;
    server::EngineSettings settings_;
    OpenStore open_;
    std::unique_ptr<storage::Store> stored_;
    std::unique_ptr<FailingStore> failing_;
    std::unique_ptr<server::Engine> engine_;
};

}  // namespace headway::tests
