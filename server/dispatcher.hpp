// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/json_tape.hpp"
#include "config/settings.hpp"
#include "server/access.hpp"
#include "server/backup_check.hpp"
#include "server/clock.hpp"
#include "server/command_queue.hpp"
#include "server/document_waits.hpp"
#include "server/http_server.hpp"
#include "server/metrics.hpp"
#include "server/streams.hpp"
#include "server/view_cache.hpp"
#include "server/waiters.hpp"

namespace headway::server {

/// What happens between a complete request and its reply: decodes it, answers it from the views
/// when they suffice, else hands it to the supervisor; and takes the supervisor's publications to
/// views, streams, waiters and replies, in that order, so that whoever is answered can already see
/// what the answer rests on. I/O thread only.
class Dispatcher final : public HttpServer::Handler {
public:
    /// A line for the log that somebody should read.
    using Warn = std::function<void(const std::string& line)>;
    using ReadJudgeStats = std::function<JudgeStats()>;

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
    void show_judges(ReadJudgeStats stats) { judge_stats_ = std::move(stats); }
    /// What /v1/system says of the database and the judges that are configured.
    void show_system(std::filesystem::path database, std::vector<config::JudgeEndpoint> judges) {
        database_ = std::move(database);
        judges_ = std::move(judges);
    }
    /// What of the reports that follow is not written down.
    void redact(const config::RedactionSettings& settings);
    /// The configuration was loaded again.
    void reload(const config::Settings& settings);
    /// Readiness goes, streams say goodbye, waiters are answered, connections close as they become
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
    struct Call;  ///< one request on its way

    // dispatcher_commands.cpp
    core::Result<> report(Call& call);
    core::Result<> heartbeat(Call& call);
    core::Result<> open(Call& call);
    core::Result<> end(Call& call);
    core::Result<> cancel(Call& call);
    core::Result<> control(Call& call, Control control);
    core::Result<> submit(Call& call, Command command, const std::string& session,
                          std::size_t bytes);

    // dispatcher_budgets.cpp
    core::Result<> budget(Call& call);
    core::Result<> change_budget(Call& call);
    core::Result<> budget_analytics(Call& call);
    // dispatcher_approvals.cpp
    core::Result<> ask_approval(Call& call);
    core::Result<> approvals(Call& call);
    core::Result<> approval(Call& call);
    core::Result<> decide(Call& call);
    core::Result<> redeem(Call& call);
    core::Result<> revoke(Call& call);
    core::Result<> route_approvals(Call& call);
    core::Result<> acknowledge(Call& call);
    core::Result<> approve_agent(Call& call);
    core::Result<> wait_for_document(Call& call, const api::Query& query, std::string id);
    bool ask_document(const ReplyTo& to, const std::string& id);
    void answer_document(const ReplyTo& to, DocumentReply& reply);
    // dispatcher_checks.cpp
    core::Result<> ask_check(Call& call);
    core::Result<> check(Call& call);
    core::Result<> estimates(Call& call);
    core::Result<> route_judge(Call& call);
    void pass_judged();

    // dispatcher_login.cpp
    core::Result<> route_page(Call& call);
    core::Result<> create_login_code(Call& call);
    core::Result<> dashboard(Call& call);
    core::Result<> login(Call& call);
    core::Result<> log_in(Call& call);
    std::string own_origin(const Call& call) const;
    core::Result<> logout(Call& call);
    core::Result<> me(Call& call);
    // dispatcher_overview.cpp
    core::Result<> sessions(Call& call);
    core::Result<> overview(Call& call);
    // dispatcher_pages.cpp
    core::Result<> page(Call& call, std::string_view name);
    core::Result<> asset(Call& call);

    // dispatcher_reads.cpp
    core::Result<> session(Call& call);
    core::Result<> comparison(Call& call);
    core::Result<> journal(Call& call);
    core::Result<> wait(Call& call);
    core::Result<> wait_several(Call& call);
    core::Result<> stream(Call& call, StreamKind kind);
    core::Result<> progress(Call& call);
    core::Result<> chat_status(Call& call);
    core::Result<> ready(Call& call);
    core::Result<> metrics(Call& call);
    // dispatcher_system.cpp
    core::Result<> version(Call& call);
    core::Result<> system_report(Call& call);
    void add_judges(api::SystemReport& report) const;
    using Encode = void (*)(std::string& out, const core::SessionView&, const api::ReadingTime&);
    void answer_from_view(Call& call, const std::string& session, Encode encode);

    // dispatcher_webhooks.cpp
    core::Result<> route_webhooks(Call& call);
    core::Result<> webhook_deliveries(Call& call);
    core::Result<> replay_webhook(Call& call);
    core::Result<> test_webhook(Call& call);
    void pass_webhooks();

    // dispatcher_backup.cpp
    core::Result<> backup(Call& call);
    void check_copy(const CopiedFile& copied);

    // dispatcher_tokens.cpp
    core::Result<> create_token(Call& call);
    core::Result<> tokens(Call& call);
    core::Result<> revoke_token(Call& call);
    core::Result<> rotate_operator(Call& call);
    void note_token_uses(Clock::Steady::time_point now);

    void refuse(const Call& call, const core::Error& error);
    core::Result<> route(Call& call);
    core::Result<> route_rest(Call& call);
    void respond(const ReplyTo& to, const Response& response);
    void put(const ReplyTo& to, const Response& response);
    std::string_view path_of(const ReplyTo& to);
    void answer(Reply& reply);
    bool ask(ReplyTo to, Command command, const std::string& session, std::size_t bytes);
    void wake_supervisor();
    void cut_streams();
    void arm_wait_timer();
    void note_deprecated(const api::Target& target);
    api::ReadingTime reading_time() const {
        const core::Timestamp now = clock_.heard_until();
        return {now, clock_.watch()};
    }

    net::io_context& io_;
    const Clock& clock_;
    CommandQueue& queue_;
    Access access_;
    ViewCache views_;
    Waiters waiters_;
    DocumentWaits document_waits_;
    Streams streams_;
    HttpServer http_;
    core::SecretFinder secrets_;  ///< what tape_ leaves out of what is kept
    api::JsonTape tape_;
    Response advice_;  ///< of the report that is being answered, reused
    Timer wait_timer_;
    core::Timestamp wait_timer_at_ = core::kNever;
    SupervisorStats supervisor_;
    RouteCounts routes_{};
    std::vector<JudgeReply> judged_;  ///< that the queue had no room for; at most as many as asked
    std::vector<WebhookResult> webhooks_done_;   ///< likewise
    Clock::Steady::time_point token_uses_at_{};  ///< when they were written last
    Warn warn_;
    ReadJudgeStats judge_stats_;
    core::Timestamp started_at_;
    std::filesystem::path database_;
    std::vector<config::JudgeEndpoint> judges_;
    std::unordered_map<const api::Deprecation*, Clock::Steady::time_point> warned_;
    bool wake_posted_ = false;
    bool draining_ = false;
    bool backing_up_ = false;
    BackupCheck backup_check_;
};

}  // namespace headway::server
