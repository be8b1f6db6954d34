// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "api/encode_checks.hpp"
#include "api/encode_overview.hpp"
#include "core/budget_history.hpp"
#include "core/budget_settings.hpp"
#include "core/policy.hpp"
#include "core/result.hpp"
#include "core/run_files.hpp"
#include "core/watch.hpp"
#include "core/webhooks.hpp"
#include "server/chronicle.hpp"
#include "server/clock.hpp"
#include "server/command_queue.hpp"
#include "server/deadlines.hpp"
#include "server/families.hpp"
#include "server/messages.hpp"
#include "server/reader.hpp"
#include "server/resident_set.hpp"
#include "server/webhook_desk.hpp"
#include "storage/disk_space.hpp"
#include "storage/store.hpp"

namespace headway::server {

/// The one owner of all sessions and of the journal. Each batch ("turn") takes the waiting
/// commands, decides and appends in one transaction, commits, and then publishes; its queries see
/// what it committed. A failed commit publishes nothing: the batch is rolled back, sessions are
/// loaded from the journal again, and commands are refused until that succeeds.
///
/// Everything but the constructor and recover() runs on the supervisor thread.
class Supervisor {
public:
    struct Settings {
        core::Policy policy;  ///< defaults of new sessions
        core::ApprovalRules approvals;
        core::Millis retention{0};  ///< how long ended sessions are kept; 0 = without limit
        std::size_t resident_max = 100'000;
        core::JudgeRules judge;                    ///< without a primary no judge is asked
        core::BudgetSettings budget{};             ///< of new sessions; no limits by default
        std::function<void()> feed_watchdog = {};  ///< called while commits succeed; must not block
        std::chrono::microseconds feed_every{0};
        core::WebhookRules webhooks = {};           ///< without an endpoint no message is sent
        std::uint64_t resident_bytes = 512U << 20;  ///< of sessions in memory; 0 = unlimited
        core::Millis clock_confirm{300'000};        ///< how long a step of the wall clock must last
        /// When the I/O thread was last in its loop (LoopPulse); without it, always now.
        std::function<Clock::Steady::time_point()> reader_seen = {};
        core::PolicyFloor floor = {};  ///< of sessions that agents open
    };
    /// Called once per turn with something to publish; must not block.
    using Publish = std::function<void(std::unique_ptr<Publication>)>;
    /// Logs a failure or a recovery.
    using Report = std::function<void(bool is_error, const std::string& line)>;

    /// The way to the judges; both must not block.
    struct JudgeLink {
        std::function<void(JudgeJob)> ask;  ///< always answered by one JudgedCommand
        std::function<void(const std::string& session)> cancel;  ///< of open questions
    };

    Supervisor(storage::Store& store, Clock& clock, CommandQueue& queue, Settings settings,
               Publish publish, Report report, JudgeLink judge = {});

    /// Reads the events of the journal after the snapshots and starts listening; returns their
    /// number.
    core::Result<std::uint64_t> recover();

    /// Refuses reports while less than `free_min` bytes are free there; without this call only when
    /// nothing can be written. Call it before the first turn; `space` must outlive this object.
    void watch_space(storage::DiskSpace& space, std::uint64_t free_min);

    /// Sets the sender of webhook messages; each accepted message comes back as a
    /// WebhookDoneCommand. Call it before the first turn.
    void send_webhooks_with(WebhookDesk::Send send) { webhooks_.send_with(std::move(send)); }

    /// Sets the writer of log lines about sessions. Call it before the first turn.
    void log_sessions_with(Chronicle::Say say) { chronicle_.say_with(std::move(say)); }

    /// Takes turns until the queue is closed and empty, then saves every session.
    void run();

    /// One turn with these requests; `left` remain in the queue. Public for tests.
    void turn(std::vector<Request>& requests, std::size_t left);

    /// Housekeeping after a turn, in bounded steps; more of it when idle. Public for tests.
    void upkeep(bool idle);

private:
    struct Turn;  ///< state of one turn

    // supervisor.cpp
    Clock::Steady::time_point next_wake() const;
    void note_gap(Clock::Steady::time_point begin);
    void write_phase(std::vector<Request>& requests, Turn& turn);
    core::Result<> write_all(std::vector<Request>& requests, Turn& turn);
    /// Loads a session, which must have `id` if one is given. Damaged rows are kInternal: that
    /// session alone is refused, while other errors of the store fail the transaction.
    core::Result<storage::StoredSession> load(storage::SessionKey key, std::string_view id = {});
    core::Result<> tick_some(Turn& turn);
    core::Result<> tick(Resident& resident, Turn& turn);
    void give_up(const core::Error& error, std::vector<Request>& requests, Turn& turn);
    bool regain();
    void publish_turn(Turn& turn);
    void refuse(const core::Error& error, std::vector<Request>& requests, Turn& turn);

    // supervisor_clock.cpp
    void follow_wall_clock();
    core::Result<> start_after_journal();

    // supervisor_families.cpp
    void note_family(const Resident& resident);
    core::Result<> look_at_parents(Turn& turn);
    bool children_work(const core::Session& session, core::Timestamp now);
    bool children_work(const std::string& id, core::Timestamp now, std::size_t& looks,
                       std::size_t depth);

    // supervisor_readers.cpp
    void place_streams(std::vector<Request>& requests);
    void take_readers(std::vector<Request>& requests, Turn& turn);
    void answer_readers();
    /// Empty when another slice is needed.
    std::optional<core::Result<Answer>> answer_some(Reader& reader);
    core::Result<Answer> answer_query(const Command& command);
    core::Result<bool> list_some(const ListQuery& query, ListScan& scan);
    core::Result<> find_some(const ListQuery& query, ListScan& scan);
    core::Result<bool> read_some(const JournalQuery& query, JournalScan& scan);

    // supervisor_queries.cpp
    core::Result<Answer> answer(const SessionQuery& query);
    core::Result<Answer> answer(const ComparisonQuery& query);
    core::Result<Answer> answer(const SystemQuery& query);
    double commit_percentile_ms(std::size_t percent) const;
    void note_commit(std::uint64_t microseconds);
    core::Result<Answer> answer(const ViewQuery& query);
    core::Result<Answer> answer(const StreamQuery& query);
    core::Result<> stream_session(const StreamQuery& query, StreamReply& reply);
    core::Result<> stream_all(const StreamQuery& query, StreamReply& reply);

    // supervisor_overview.cpp
    core::Result<> show_some(const ListQuery& query, ListScan& scan);
    core::Result<Answer> answer(const OverviewQuery& query);
    core::Result<> index_session(const Resident& resident, std::span<const core::Event> events);
    core::Result<std::vector<api::Need>> needs();
    template <class Use>
    core::Result<> with_session(storage::SessionKey key, Use use);

    // supervisor_commands.cpp
    core::Result<Answer> handle(ReportCommand& command, const core::Context& context, Turn& turn);
    core::Result<Answer> handle(EndCommand& command, const core::Context& context, Turn& turn);
    core::Result<Answer> handle(CancelCommand& command, const core::Context& context, Turn& turn);
    core::Result<Answer> handle(ControlCommand& command, const core::Context& context, Turn& turn);
    core::Result<Resident*> find_resident(std::string_view id);
    core::Result<Resident*> require_resident(std::string_view id);
    core::Result<Resident*> create_resident(const std::string& id, core::Timestamp now);
    using Echoes = std::vector<std::pair<std::size_t, std::size_t>>;
    core::Result<> drop_known(Resident* resident, ReportCommand& command, api::Advice& advice,
                              Echoes& echoes);
    core::Result<> store_events(Resident& resident, std::vector<core::Event>& events, Turn& turn);
    /// 0 = unknown.
    core::Result<std::uint64_t> number_of_id(const Resident& resident, const std::string& id);
    std::string run_of(const core::Session& session);
    void note_conflicts(Resident& resident, const core::Context& context);
    core::Result<> count_ended(const core::SessionState& state);
    void touch(Resident& resident, Turn& turn);
    core::Result<Answer> advise(Resident& resident, api::Advice advice, Turn& turn);

    // supervisor_openings.cpp
    core::Result<Answer> handle(OpenCommand& command, const core::Context& context, Turn& turn);
    core::Context with_floor(const core::Context& context, bool controls) const;
    core::Result<Answer> open_again(Resident& resident, OpenCommand& command,
                                    const core::Context& context, Turn& turn);
    core::Result<> open_if_new(Resident*& resident, const std::string& id,
                               const core::Context& context);
    BodyReply document(const core::Session& session, int status, std::string headers) const;

    // supervisor_tokens.cpp
    core::Result<Answer> handle(CreateTokenCommand& command, const core::Context& context,
                                Turn& turn);
    core::Result<Answer> handle(RevokeTokenCommand& command, const core::Context& context,
                                Turn& turn);
    core::Result<Answer> handle(UseTokensCommand& command, const core::Context& context,
                                Turn& turn);

    // supervisor_budgets.cpp
    core::Result<Answer> handle(BudgetCommand& command, const core::Context& context, Turn& turn);
    core::Result<Answer> answer(const BudgetQuery& query);
    core::Result<Answer> answer(const BudgetAnalyticsQuery& query);
    void give_budget(core::SessionStarted& about) const;
    void add_budget(core::SessionStarted& about, const core::BudgetLimits& now) const;
    core::Result<> note_use(const Resident& resident);
    core::Result<Resident*> parent_of(const Resident& child);
    core::Result<std::vector<Resident*>> ancestors(Resident& resident);
    core::Result<> roll_up(Turn& turn);
    core::Result<> heed_ancestors(Resident& resident, const core::Context& context);
    core::Result<core::BudgetPrediction> prediction_for(const core::Session& session);

    // supervisor_approvals.cpp
    core::Result<Answer> handle(AskCommand& command, const core::Context& context, Turn& turn);
    core::Result<Answer> handle(DecideCommand& command, const core::Context& context, Turn& turn);
    core::Result<Answer> handle(RedeemCommand& command, const core::Context& context, Turn& turn);
    core::Result<Answer> handle(RevokeCommand& command, const core::Context& context, Turn& turn);
    core::Result<Answer> handle(AcknowledgeCommand& command, const core::Context& context,
                                Turn& turn);
    core::Result<Answer> handle(ApproveAgentCommand& command, const core::Context& context,
                                Turn& turn);
    core::Result<std::vector<core::CallToAllow>> calls_to_allow(const Resident* resident,
                                                                const ReportCommand& command);
    core::Result<> check_request(const Resident* resident, const core::ApprovalRequested& asked,
                                 const std::string& pointer) const;
    core::Result<> check_requests(const Resident* resident, std::span<const core::Event> events,
                                  const api::Advice& advice) const;
    core::Result<std::optional<storage::StoredApproval>> find_alias(std::string_view alias);
    /// The use of an approval behind an alias; it needs the same scope as by the id.
    enum class AliasUse : std::uint8_t { kRead, kDecide, kRedeem };
    core::Result<> resolve(const ApprovalAlias& alias, AliasUse use, std::string& session,
                           std::uint64_t& n);
    core::Result<Resident*> require_approval(std::string_view session, std::uint64_t n,
                                             core::Approval& found);
    core::Result<std::vector<std::string>> decide_identical(const std::string& identity,
                                                            core::Ruling ruling,
                                                            const core::Context& context,
                                                            Turn& turn);

    // supervisor_inbox.cpp
    core::Result<Answer> answer(const ApprovalQuery& query);
    core::Result<bool> inbox_some(const InboxQuery& query, InboxScan& scan);
    void say_damaged(const storage::StoredApproval& stored, const core::Error& error);
    core::Result<> index_approvals(Resident& resident, std::span<const core::Event> events,
                                   storage::Cursor cursor, Turn& turn);
    core::Result<> add_notices(const Resident& resident, api::Advice& advice);
    core::Result<api::ApprovalDocument> approval_document(const storage::StoredApproval& stored);
    core::Result<api::ApprovalDocument> approval_document(const Resident& resident,
                                                          std::uint64_t n);

    // supervisor_checks.cpp
    core::Result<Answer> handle(CheckCommand& command, const core::Context& context, Turn& turn);
    core::Result<Answer> handle(JudgedCommand& command, const core::Context& context, Turn& turn);
    core::Result<Answer> answer(const CheckQuery& query);
    core::Result<> index_checks(const Resident& resident, std::span<const core::Event> events,
                                storage::Cursor cursor, Turn& turn);
    core::Result<api::CheckDocument> check_document(const storage::StoredCheck& stored);
    core::Result<> recover_checks();
    void ask_judge(Turn& turn);
    core::Result<> ask_judge(const std::string& session, const core::CheckRequested& asked);

    // supervisor_estimates.cpp
    core::Result<Answer> answer(const EstimatesQuery& query);
    core::Result<> index_estimates(const Resident& resident, std::span<const core::Event> events);
    void ask_estimates(Turn& turn);
    core::Result<> ask_estimate(const Resident& resident);
    core::Result<> note_estimate(Resident& resident, const std::string& judge, JudgeReply& reply,
                                 const core::Context& context, Turn& turn);

    // supervisor_upkeep.cpp
    core::Result<> save_some(bool idle);
    core::Result<> save(Resident& resident);
    core::Result<> move_snapshot_cursor();
    void dismiss_visitors();
    void evict_some();
    bool crowded() const;
    void retention_step();
    void forget(const storage::Deletion& deletion);
    void probe();
    bool try_commit();
    void feed_watchdog();
    void save_everything();
    core::Result<> save_some();
    void announce();

    // supervisor_space.cpp
    void look_at_space(bool writes);
    void look_at_files(bool writes);
    bool enough_space(std::uint64_t free, std::uint64_t wanted) const;
    std::string space_line(std::uint64_t free) const;
    void note_failure(const core::Error& error);
    void fill_up();
    std::optional<core::Error> no_room(const Command& command);
    std::optional<core::Error> closed_disk();

    // supervisor_webhooks.cpp
    core::Result<Answer> handle(WebhookDoneCommand& command, const core::Context& context,
                                Turn& turn);
    core::Result<Answer> handle(WebhookReplayCommand& command, const core::Context& context,
                                Turn& turn);
    core::Result<Answer> answer(const WebhooksQuery& query);
    core::Result<Answer> answer(const DeliveriesQuery& query);
    core::Result<> start_test(const Request& request, const WebhookTestCommand& command);
    core::Result<> recover_webhooks();
    void note_landed(const std::vector<Request>& requests);
    void send_webhooks();
    void forget_webhooks();

    // supervisor_backup.cpp
    void start_backup(const Request& request, const BackupCommand& command);
    void announce_copy(CopiedFile copied);
    void backup_step();

    api::ReadingTime reading_time() const { return {clock_.now(), watch_}; }

    storage::Store& store_;
    Clock& clock_;
    CommandQueue& queue_;
    std::deque<Reader> readers_;  ///< queries without an answer; they count in the queue
    Settings settings_;
    Publish publish_;
    Report report_;
    Chronicle chronicle_;

    ResidentSet residents_;
    /// Transient sessions: ended ones, loaded for a query and evicted with the turn.
    std::vector<storage::SessionKey> visitors_;
    Deadlines deadlines_;
    Families families_;
    core::RunFiles run_files_;
    SupervisorStats stats_;
    std::vector<std::uint32_t> commit_times_;  ///< microseconds, a ring of limits::kCommitTimesMax
    /// An open question to a judge.
    struct Question {
        std::string session;
        std::string check_id;  ///< empty: an estimate of progress
        std::string judge;
        std::vector<std::uint64_t> shown;  ///< events that an answer may rest on
    };
    JudgeLink judge_;
    WebhookDesk webhooks_;
    std::unordered_map<std::uint64_t, Question> questions_;
    std::uint64_t next_question_ = 1;
    /// Sessions with an open question for an estimate. Not stored: after a restart it is asked
    /// again when due.
    std::unordered_set<std::string> estimating_;
    /// Checks of the journal that are not asked since the start; a few are sent with each turn.
    /// Bounded by the open checks of sessions.
    std::deque<std::pair<std::string, core::CheckRequested>> unasked_;
    std::unordered_set<storage::SessionKey> damaged_;  ///< named in the log already, for the inbox
    core::Watch watch_;
    core::Timestamp retention_at_ = core::kNever;  ///< time of the next retention step
    Clock::Steady::time_point gap_at_{};           ///< last housekeeping
    Clock::Steady::time_point fed_at_{};           ///< the watchdog
    std::uint64_t commits_when_fed_ = 0;
    storage::Cursor snapshot_cursor_ = 0;
    ClockSteps clock_steps_;
    bool started_ = false;  ///< recover() has succeeded once
    bool listening_ = false;
    bool lost_ = false;  ///< sessions were dropped after a failed commit and not loaded again yet

    /// A running backup.
    struct Copying {
        ReplyTo reply_to;
        std::string file;
    };
    std::optional<Copying> copying_;
    storage::DiskSpace* space_ = nullptr;
    std::uint64_t free_min_ = 0;
    /// SQLite found no space: nothing is written until a probe succeeds
    bool full_ = false;
    bool inside_full_ = false;  ///< the same, without ballast to delete
    bool sync_failed_ = false;  ///< nothing is written any more
    bool misplaced_ = false;    ///< nothing is written until the database has its name again
    Clock::Steady::time_point files_looked_at_{};
    Clock::Steady::time_point looked_at_{};  ///< last check of the disk space
    Clock::Steady::time_point probe_at_{};   ///< when to probe a full disk again
    std::vector<core::Event> events_;        ///< of the current command, reused
    api::JsonTape tape_;                     ///< for arguments of approvals
};

}  // namespace headway::server
