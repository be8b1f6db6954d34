// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/engine/base/command_queue.hpp"
#include "server/engine/cluster/cluster.hpp"
#include "server/engine/durability/backup_copy.hpp"
#include "server/engine/durability/disk_guard.hpp"
#include "server/engine/durability/retry_queue.hpp"
#include "server/engine/durability/session_log.hpp"
#include "server/engine/durability/upkeep.hpp"
#include "server/engine/projections/expectations.hpp"
#include "server/engine/projections/judge_scheduler.hpp"
#include "server/engine/projections/projections.hpp"
#include "server/engine/projections/webhook_scheduler.hpp"
#include "server/engine/queries/morning_digest.hpp"
#include "server/engine/queries/verdict_hour.hpp"
#include "server/engine/reports/ping_schedules.hpp"
#include "server/engine/transaction/reader.hpp"
#include "server/engine/transaction/transaction.hpp"
#include "server/engine/turn/store_policy.hpp"

namespace headway::server {

/// The one owner of all sessions and of the journal. Each turn takes the tasks that wait, runs the
/// writes in one transaction, commits, publishes, and then runs the reads on the committed state.
/// If the commit fails, nothing is published: the turn is rolled back, the sessions are loaded from
/// the journal again, and writes are refused until this succeeds (docs/architecture.md).
///
/// Everything runs on the engine's thread, except the constructor, recover() and the functions to
/// be called before the first turn.
class Engine {
public:
    /// Called once in each turn that has something to publish; must not block.
    using Publish = std::function<void(std::unique_ptr<Publication>)>;

    Engine(storage::Store& store, Clock& clock, CommandQueue& queue, EngineSettings settings,
           Publish publish, EngineReport report, JudgeLink judge = {});

    /// Reads the journal's events after the snapshots and starts listening; returns the number of
    /// events read.
    core::Result<std::uint64_t> recover();

    /// See DiskGuard::watch(). To be called before the first turn.
    void watch_space(storage::DiskSpace& space, std::uint64_t free_min) {
        disk_.watch(space, free_min);
    }
    /// Sets the sender of webhook messages; each accepted message leads to one WebhookDoneCommand.
    /// To be called before the first turn.
    void send_webhooks_with(WebhookScheduler::Send send) { webhooks_.send_with(std::move(send)); }
    /// Sets the hints for a shared store; they must outlive the engine. To be called before the
    /// first turn.
    void hint_by(ClusterHints& hints) { policy_->hint_by(hints); }
    /// Sets the writer of log lines about sessions. To be called before the first turn.
    void log_sessions_with(SessionLog::Say say, std::function<bool()> debugs) {
        session_log_.say_with(std::move(say), std::move(debugs));
    }

    /// Takes turns until the queue is closed and empty, then saves every session.
    void run();

    /// Takes one turn with the requests to be retried, then one with `requests`; `left` requests
    /// remain in the queue. Public for tests.
    void turn(std::vector<Request>& requests, std::size_t left);
    /// Housekeeping after a turn, in bounded steps; more steps when idle. Public for tests.
    void upkeep(bool idle);

private:
    Clock::Steady::time_point next_wake() const;
    void note_gap(Clock::Steady::time_point begin) const;
    void deliver_again(const std::vector<Request>& requests);
    void take_turn(std::vector<Request>& requests, std::size_t left);
    void arrive(std::vector<Request>& requests);
    void start(std::vector<Request>& requests, bool first, Publication& publication);

    // Writes:
    void write_phase(std::vector<Request>& requests, std::size_t left, Publication& publication);
    void commit_writes(std::vector<Request>& requests, std::size_t left, Publication& publication);
    core::Result<> name_all(std::vector<Request>& requests, Reader& reader, SessionNames& names,
                            std::vector<std::size_t>& ends);
    core::Result<> write_all(std::vector<Request>& requests, Transaction& transaction);
    void publish_views(const Transaction& transaction, Publication& publication);
    void drop_turn(Publication& publication);
    bool try_again(const std::vector<Request>& requests, Publication& publication);
    void write_singly(const core::Error& error, std::vector<Request>& requests, std::size_t left,
                      Publication& publication);
    void give_up(const core::Error& error, std::vector<Request>& requests,
                 Publication& publication);
    void refuse(const core::Error& error, std::vector<Request>& requests, Publication& publication);
    void answer(Request& request, Publication& publication);
    bool regain();
    void after_commit();

    // Reads:
    void take_reads(std::vector<Request>& requests);
    void answer_reads();
    /// Reads one slice; true if the read is then complete.
    bool read_some(Request& request);

    // Commits of other daemons:
    void refresh_reads(std::size_t from, Publication& publication);
    void follow_others();

    // Publications:
    EngineStats stats() const;
    void publish_turn(std::unique_ptr<Publication> publication);
    void announce(std::unique_ptr<Publication> publication);

    // Upkeep:
    void probe();
    bool try_commit();
    void count_channels();
    void turn_day();
    void retention_step();
    void forget(const storage::Deletion& deletion);
    core::Result<> recover_webhooks();
    void forget_webhooks();
    void digest_step();
    void look_for_missed(std::vector<Request>& requests);
    void feed_watchdog();
    void save_everything();
    /// True while the sessions or the disk cannot be used.
    bool halted() const { return lost_ || disk_.is_closed(); }
    /// True if webhook messages may be sent: there are webhooks, and the results can probably be
    /// stored.
    bool sends() const { return webhooks_.any() && !lost_ && disk_.writable(); }

    storage::Store& store_;
    Clock& clock_;
    CommandQueue& queue_;
    EngineSettings settings_;
    Publish publish_;
    EngineReport report_;

    Sessions sessions_;
    SessionTree tree_;
    core::Watch watch_;
    DiskGuard disk_;
    Upkeep upkeep_;
    BackupCopy backup_;
    JudgeScheduler judges_;
    WebhookScheduler webhooks_;
    MissedPings missed_;
    Clock::Steady::time_point missed_at_{};  ///< time of the next search for missed pings
    MorningDigest morning_;
    Clock::Steady::time_point morning_at_{};  ///< when the morning digest may next take a step
    HookChannels channels_;
    Clock::Steady::time_point channels_counted_{};
    SessionProjection session_rows_;
    ApprovalProjection approval_rows_;
    EstimateProjection estimate_rows_;
    UseProjection use_rows_;
    ExpectationProjection expectation_rows_;
    std::array<Projection*, 7> projections_;
    SessionLog session_log_;
    CommitTimes commits_;
    DamageLog damage_;
    DaysHeld days_;
    api::JsonDocument document_;
    std::unique_ptr<Cluster> cluster_;  ///< null while no other daemon writes to the store
    EngineStats totals_;                ///< figures that transactions add up
    VerdictHour hour_;
    EngineContext parts_;
    std::unique_ptr<StorePolicy> policy_;

    RetryQueue retry_queue_;
    std::deque<Request> reads_;               ///< reads that are not answered yet; the queue's size
                                              ///< includes them
    Clock::Steady::duration front_read_{};    ///< time that the first of them has had in a row
    std::vector<storage::SessionKey> moved_;  ///< sessions with new events in this turn
    /// Sessions that the next turn looks at, because they have messages in their inbox, or an
    /// ancestor or descendant has woken them.
    std::vector<storage::SessionKey> receivers_;
    /// The last receiver handled in a turn that had too many receivers.
    storage::SessionKey last_receiver_ = 0;
    bool listening_ = false;
    bool lost_ = false;  ///< the sessions were dropped after a failed commit and are not loaded
                         ///< again yet
    Clock::Steady::time_point regain_tried_at_{};
    Clock::Steady::time_point gap_at_{};  ///< time of the last housekeeping
    Clock::Steady::time_point fed_at_{};  ///< when the watchdog was last fed
    std::uint64_t commits_when_fed_ = 0;
};

}  // namespace headway::server
