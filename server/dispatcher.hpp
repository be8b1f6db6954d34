// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/json_tape.hpp"
#include "config/settings.hpp"
#include "server/access.hpp"
#include "server/backups.hpp"
#include "server/clock.hpp"
#include "server/endpoints/call.hpp"
#include "server/http_server.hpp"
#include "server/intake.hpp"
#include "server/long_polls.hpp"
#include "server/replies.hpp"
#include "server/streams.hpp"
#include "server/view_cache.hpp"

namespace headway::server {

/// The I/O thread's side: lets requests in and calls their endpoint, and takes the supervisor's
/// publications to views, streams, waits and replies, in that order, so that a client that is
/// answered can already see what the answer rests on. I/O thread only.
class Dispatcher final : public HttpServer::Handler {
public:
    /// A line for the log that a person should read.
    using Warn = std::function<void(const std::string& line)>;

    Dispatcher(net::io_context& io, const config::ServerSettings& settings, const Clock& clock,
               CommandQueue& queue, Warn warn);
    ~Dispatcher() override;

    HttpServer& http() noexcept { return http_; }
    Access& access() noexcept { return access_; }
    /// A publication of the supervisor.
    void publish(Publication& publication);
    /// What a judge has answered, on its way to the supervisor.
    void judged(JudgeReply reply);
    /// What became of a message to a webhook, on its way to the supervisor.
    void webhook_done(WebhookResult result);
    /// Where /metrics reads how the judges do; without it, it says nothing of them.
    void show_judges(std::function<JudgeStats()> stats) { state_.judge_stats = std::move(stats); }
    /// What /v1/system says of the database and the judges that are configured.
    void show_system(std::filesystem::path database, std::vector<config::JudgeEndpoint> judges) {
        state_.database = std::move(database);
        state_.judges = std::move(judges);
    }
    /// What of the reports that follow is not written down.
    void redact(const config::RedactionSettings& settings);
    /// The configuration was loaded again.
    void reload(const config::Settings& settings);
    /// Readiness goes, streams say goodbye, waits are answered, connections close as they become
    /// idle.
    void drain();
    bool drained() const;
    /// Stops the timers.
    void stop();

    void handle(HttpConnection& connection, std::uint64_t slot,
                const HttpRequest& request) override;
    void writable(HttpConnection& connection) override { streams_.on_writable(connection); }
    void closed(std::uint64_t connection) override;
    std::size_t held() const override { return streams_.held(); }
    void second(Clock::Steady::time_point now) override;

private:
    core::Result<> serve(HttpConnection& connection, std::uint64_t slot,
                         const HttpRequest& request);
    void refuse(HttpConnection& connection, std::uint64_t slot, const HttpRequest& request,
                const core::Error& error);
    void note_deprecated(const Endpoint& endpoint);
    void note_token_uses(Clock::Steady::time_point now);
    void answer(Reply& reply);
    void answer_error(const ReplyTo& to, const core::Error& error);
    void answer_advice(const ReplyTo& to, const AdviceReply& advice);
    void cut_streams();

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
    Backups backups_;
    core::SecretFinder secrets_;  ///< what tape_ leaves out of what is kept
    api::JsonTape tape_;
    Response advice_;  ///< of the report that is being answered, reused
    Services services_;
    Clock::Steady::time_point token_uses_at_{};  ///< when they were written last
    std::unordered_map<const Endpoint*, Clock::Steady::time_point> warned_;
};

}  // namespace headway::server
