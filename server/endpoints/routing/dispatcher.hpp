// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/json/json_document.hpp"
#include "config/settings/settings.hpp"
#include "server/access/access.hpp"
#include "server/backups/backups.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/engine/base/publication.hpp"
#include "server/http/connection/http_server.hpp"
#include "server/http/connection/replies.hpp"
#include "server/hub/streams/intake.hpp"
#include "server/hub/streams/streams.hpp"
#include "server/hub/streams/view_cache.hpp"
#include "server/hub/waits/hook_holds.hpp"
#include "server/hub/waits/long_polls.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// Authorizes requests and calls their endpoints. Applies the engine's publications to views,
/// streams, waits and replies, in this order: a client that has received a reply can thus already
/// read the state that the reply reports. I/O thread only.
class Dispatcher final : public HttpServer::Handler, private Answers {
public:
    /// Logs a warning.
    using Warn = std::function<void(const std::string& line)>;

    Dispatcher(net::io_context& io, const config::ServerSettings& settings, const Clock& clock,
               CommandQueue& queue, Warn warn);
    ~Dispatcher() override;

    HttpServer& http() noexcept { return http_; }
    Access& access() noexcept { return access_; }
    /// Applies a publication of the engine.
    void publish(Publication& publication);
    /// Passes the answer of a judge to the engine.
    void judged(JudgeReply reply);
    /// Passes the result of a webhook delivery to the engine.
    void webhook_done(WebhookResult result);
    /// Sets the source of the judges' metrics; without a source, /metrics does not include them.
    void show_judges(std::function<JudgeStats()> stats) { state_.judge_stats = std::move(stats); }
    /// Sets the database and the configured judges that /v1/system reports.
    void show_system(std::filesystem::path database, std::vector<config::JudgeEndpoint> judges) {
        state_.database = std::move(database);
        state_.judges = std::move(judges);
    }
    /// Sets the bytes that a backup must leave free on the database's disk, see Backups::copy_of().
    void keep_free(std::uint64_t bytes) { backups_.copy_of(state_.database, bytes); }
    /// Called if several daemons share the store.
    void share() { views_.share(); }
    /// Sets how secrets are redacted from later reports.
    void redact(const config::RedactionSettings& settings);
    /// Applies a reloaded configuration.
    void reload(const config::Settings& settings);
    /// Begins the drain: the daemon is no longer ready, streams end with a goodbye, waits get their
    /// reply, and connections close when they are idle.
    void drain();
    bool drained() const;
    /// Stops the timers.
    void stop();

    core::Result<> admit(const Target& target, const RequestHead& head, const Peer& peer) override;
    void handle(HttpConnection& connection, std::uint64_t slot,
                const HttpRequest& request) override;
    void writable(HttpConnection& connection) override { streams_.on_writable(connection); }
    void closed(std::uint64_t connection) override;
    bool make_room() override;
    std::size_t held() const override { return streams_.held(); }
    void second(Clock::Steady::time_point now) override;

private:
    core::Result<> serve(HttpConnection& connection, std::uint64_t slot,
                         const HttpRequest& request);
    void refuse_request(HttpConnection& connection, std::uint64_t slot, const HttpRequest& request,
                        const core::Error& error);
    void note_deprecated(const Endpoint& endpoint);
    void note_token_uses(Clock::Steady::time_point now);

    void respond(const ReplyTo& to, const Response& response) override;
    void refuse(const ReplyTo& to, const core::Error& error, api::ProblemMember more) override;
    void advise(const ReplyTo& to, const Advised& advised) override;
    void show(const ReplyTo& to, DocumentReply document) override;
    void stream(const ReplyTo& to, StreamReply page) override;
    void view(const std::string& session, core::Result<const core::SessionView*> found) override;
    void hook(const ReplyTo& to, HookAnswered answered) override;

    void cut_streams();
    void forget(const std::string& session);
    void changed_elsewhere(const std::string& session);

    const Clock& clock_;
    Warn warn_;
    DaemonState state_;
    Access access_;
    ViewCache views_;
    Streams streams_;
    HttpServer http_;
    Intake intake_;
    Replies replies_;
    LongPolls polls_;
    HookHolds holds_;
    AgentProcesses processes_;
    Backups backups_;
    std::shared_ptr<const core::SecretFinder> secrets_ =
        std::make_shared<core::SecretFinder>();  ///< finds the secrets to redact
    api::JsonDocument document_;
    LongBodies bodies_;
    ProgressReplies progress_;
    Response advice_;  ///< the reply to a report; the object is reused
    Services services_;
    Clock::Steady::time_point token_uses_at_{};  ///< when token uses were last written
    std::unordered_map<const Endpoint*, Clock::Steady::time_point> warned_;
};

}  // namespace headway::server
