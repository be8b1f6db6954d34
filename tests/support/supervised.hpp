#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/supervisor.hpp"
#include "storage/sqlite_store.hpp"
#include "tests/support/failing_store.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"
#include "tests/support/temp_dir.hpp"

namespace headway::tests {

/// A supervisor on a real store that can be told to fail, driven turn by turn on this thread.
class Supervised {
public:
    explicit Supervised(server::Supervisor::Settings settings = {}) : settings_(settings) {
        start();
    }
    /// Time stands at `now`, and only clock().advance_to() moves it.
    Supervised(server::Supervisor::Settings settings, core::Timestamp now)
        : clock_(now), settings_(std::move(settings)) {
        start();
    }

    /// Forgets everything in memory and starts over on the same file, as after a power cut.
    void restart() {
        supervisor_.reset();
        failing_.reset();
        sqlite_.reset();
        start();
    }

    /// One turn; the replies are in the order of the commands.
    std::vector<server::Reply> turn(std::vector<server::Command> commands, bool listening = false) {
        std::vector<server::Request> requests;
        for (server::Command& command : commands) {
            server::Request& request = requests.emplace_back();
            request.reply_to.slot = requests.size();
            request.listening = listening;
            request.command = std::move(command);
        }
        last = server::Publication{};
        published = false;
        supervisor_->turn(requests, 0);
        return std::move(last.replies);
    }

    /// A turn of one command that must be answered.
    core::Result<server::Answer> ask(server::Command command) {
        std::vector<server::Command> commands;
        commands.push_back(std::move(command));
        auto replies = turn(std::move(commands));
        REQUIRE(replies.size() == 1);
        return std::move(replies.front().what);
    }

    api::Advice report(const std::string& session, std::vector<core::Event> events) {
        const bool batch = events.size() > 1;
        auto what = ask(server::ReportCommand{session, std::move(events), batch, {}});
        require_ok(what);
        return std::get<server::AdviceReply>(*what).advice;
    }

    /// The journal of a session as it is on disk.
    std::vector<core::Event> journal(const std::string& session) {
        const auto key = sqlite_->find(session).value();
        REQUIRE(key.has_value());
        std::vector<core::Event> events;
        for (storage::StreamEvent& one : sqlite_->read_stream(0, 100'000).value()) {
            if (one.session == session) events.push_back(std::move(one.event));
        }
        return events;
    }

    FailingStore& store() { return *failing_; }
    storage::SqliteStore& sqlite() { return *sqlite_; }
    server::CommandQueue& queue() { return queue_; }
    server::Supervisor& supervisor() { return *supervisor_; }
    server::Clock& clock() { return clock_; }

    server::Publication last;  ///< of the last turn, without its replies
    bool published = false;
    std::vector<std::string> log;
    std::vector<std::string> fatal;                ///< why the daemon should have ended
    std::vector<server::CopiedFile> copied;        ///< backups that have ended
    std::vector<server::JudgeJob> judge_jobs;      ///< that the judge was given
    std::vector<std::string> judge_cancelled;      ///< sessions
    std::vector<server::WebhookJob> webhook_jobs;  ///< that are on their way
    bool webhooks_go_out = true;

private:
    void start() {
        auto opened = storage::SqliteStore::open(dir_.file());
        require_ok(opened);
        sqlite_ = *std::move(opened);
        failing_ = std::make_unique<FailingStore>(*sqlite_);
        supervisor_ = std::make_unique<server::Supervisor>(
            *failing_, clock_, queue_, settings_,
            [this](std::unique_ptr<server::Publication> publication) {
                if (!publication->fatal.empty()) fatal.push_back(publication->fatal);
                if (publication->copied) copied.push_back(*publication->copied);
                last = std::move(*publication);
                published = true;
            },
            [this](bool, const std::string& line) { log.push_back(line); },
            server::Supervisor::JudgeLink{
                [this](server::JudgeJob job) { judge_jobs.push_back(std::move(job)); },
                [this](const std::string& session) { judge_cancelled.push_back(session); }});
        supervisor_->send_webhooks_with([this](server::WebhookJob job) {
            if (webhooks_go_out) webhook_jobs.push_back(std::move(job));
            return webhooks_go_out;
        });
        require_ok(supervisor_->recover());
    }

    TempDir dir_;
    server::Clock clock_;
    server::CommandQueue queue_;
    server::Supervisor::Settings settings_;
    std::unique_ptr<storage::SqliteStore> sqlite_;
    std::unique_ptr<FailingStore> failing_;
    std::unique_ptr<server::Supervisor> supervisor_;
};

}  // namespace headway::tests
