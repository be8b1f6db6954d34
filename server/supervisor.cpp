// SPDX-License-Identifier: Apache-2.0
#include "server/supervisor.hpp"

#include <algorithm>
#include <utility>

#include "core/limits.hpp"
#include "server/supervisor_turn.hpp"

namespace headway::server {
namespace {

using namespace std::chrono_literals;

/// The shortest attention gap that is recorded; core::Watch interprets them. With the wait before
/// it, a shorter gap is below two heartbeat intervals of the busiest agents.
constexpr auto kGapNoticed = 300ms;
constexpr auto kUpkeepEvery = 250ms;
constexpr auto kGapEvery = 1s;
constexpr std::size_t kTicksPerTurn = 500;

std::uint32_t load_factor(std::size_t backlog) {
    if (backlog >= core::limits::kCommandQueueMax * 3 / 4) return 4;
    return backlog >= core::limits::kCommandQueueMax / 2 ? 2 : 1;
}

}  // namespace

Supervisor::Supervisor(storage::Store& store, Clock& clock, CommandQueue& queue, Settings settings,
                       Publish publish, Report report, JudgeLink judge)
    : store_(store),
      clock_(clock),
      queue_(queue),
      settings_(settings),
      publish_(std::move(publish)),
      report_(std::move(report)),
      judge_(std::move(judge)),
      webhooks_(store, settings_.webhooks),
      clock_steps_(settings_.clock_confirm) {}

core::Result<std::uint64_t> Supervisor::recover() {
    HEADWAY_TRY(storage::Recovery recovery, store_.recover());
    HEADWAY_TRY(const std::vector<storage::SessionKey> open, store_.open_sessions());
    HEADWAY_CHECK(start_after_journal());
    const core::Timestamp start = clock_.now();
    watch_.begin_anew(start);
    snapshot_cursor_ = recovery.snapshots;
    // The others are loaded when due; their heartbeat interval is known only then.
    const core::Timestamp first_look = start + 2 * settings_.policy.heartbeat_interval;
    for (const storage::SessionKey key : open)
        deadlines_.schedule(key, first_look);
    // Approvals may have expired meanwhile.
    HEADWAY_TRY(const std::vector<storage::SessionKey> asking, store_.asking_sessions());
    for (const storage::SessionKey key : asking)
        deadlines_.schedule(key, start);
    HEADWAY_TRY(stats_.approvals.pending, store_.count_pending());
    HEADWAY_TRY(stats_.open, store_.count_open());
    HEADWAY_TRY(stats_.approvals.alarmed, store_.count_alarms());
    HEADWAY_CHECK(recover_checks());
    HEADWAY_CHECK(recover_webhooks());
    for (storage::StoredSession& stored : recovery.sessions) {
        HEADWAY_TRY(Resident * resident, residents_.add(std::move(stored)));
        residents_.mark_dirty(*resident, recovery.snapshots + 1);
        note_family(*resident);
        resident->touched_at = start;
        deadlines_.schedule(resident->key, resident->session.next_deadline(watch_));
    }
    return recovery.events;
}

void Supervisor::run() {
    std::vector<Request> requests;
    while (!queue_.closed_and_empty() || !readers_.empty()) {
        const auto planned = next_wake();
        const std::size_t left = queue_.take(requests, planned);
        follow_wall_clock();
        note_gap(planned);
        const auto began = Clock::steady();
        clock_.begin_turn();
        turn(requests, left);
        // Housekeeping runs in idle gaps, because its commits would delay reports. Under steady
        // traffic there are no gaps, so its bounded work also runs when overdue.
        const bool overdue = left == 0 && Clock::steady() - gap_at_ >= kGapEvery;
        const bool gap = (requests.empty() && readers_.empty()) || overdue;
        if (gap) gap_at_ = Clock::steady();
        upkeep(gap);
        feed_watchdog();
        note_gap(began);
        clock_.end_turn(watch_);
    }
    save_everything();
    if (!copying_) return;
    store_.abandon_backup();
    announce_copy({copying_->reply_to, copying_->file,
                   core::Error{core::ErrorCode::kDraining, "the daemon is going down", {}}});
}

Clock::Steady::time_point Supervisor::next_wake() const {
    const auto now = Clock::steady();
    if (!readers_.empty()) return now;
    if (!unasked_.empty() && judge_.ask && !lost_) return now;
    if (copying_) return now;
    auto wake = now + kUpkeepEvery;
    if (settings_.feed_watchdog) wake = std::min(wake, now + settings_.feed_every);
    if (full_ || sync_failed_ || misplaced_) return wake;  // due work has to wait
    const core::Timestamp told = webhooks_.any() && !lost_ ? webhooks_.next_wake() : core::kNever;
    if (told != core::kNever)
        wake = std::min(wake, now + std::max(told - clock_.now(), core::Millis{0}));
    if (const auto due = deadlines_.next()) {
        wake = std::min(wake, now + std::max(*due - clock_.now(), core::Millis{0}));
    }
    return wake;
}

/// Records a gap in our own attention if it is longer than kGapNoticed.
void Supervisor::note_gap(Clock::Steady::time_point begin) {
    const auto gap = std::chrono::duration_cast<core::Millis>(Clock::steady() - begin);
    if (gap <= kGapNoticed) return;
    const core::Timestamp now = clock_.now();
    watch_.note_gap(now - gap, now);
}

void Supervisor::turn(std::vector<Request>& requests, std::size_t left) {
    const auto started = Clock::steady();
    if (settings_.reader_seen) note_gap(settings_.reader_seen());
    Turn turn;
    turn.now = clock_.now();
    turn.load = load_factor(requests.size() + left);
    for (const Request& request : requests)
        listening_ = request.listening;

    if (webhooks_.any()) note_landed(requests);
    place_streams(requests);
    write_phase(requests, turn);
    note_gap(started);
    take_readers(requests, turn);
    publish_turn(turn);  // before the reads, so that reports do not wait for them
    answer_readers();
    if (webhooks_.any()) send_webhooks();
    ask_judge(turn);
    ask_estimates(turn);
    note_gap(started);
}

void Supervisor::write_phase(std::vector<Request>& requests, Turn& turn) {
    const auto due = deadlines_.next();
    const bool ticks = due && *due <= turn.now;
    const bool writes = std::any_of(requests.begin(), requests.end(),
                                    [](const Request& r) { return !is_query(r.command); });
    look_at_space(writes);
    look_at_files(writes || ticks);
    if (const auto closed = closed_disk()) {
        refuse(*closed, requests, turn);
        return;
    }
    if (lost_ && !regain()) {
        if (writes)
            give_up({core::ErrorCode::kStorageUnavailable, "the journal cannot be written", {}},
                    requests, turn);
        return;
    }
    if (!writes && !ticks) return;
    const auto started = Clock::steady();
    const SupervisorStats before = stats_;
    if (auto written = write_all(requests, turn); !written) {
        store_.rollback();
        stats_ = before;  // the batch was rolled back
        give_up(written.error(), requests, turn);
        return;
    }
    note_commit(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::steady() - started).count()));
    stats_.writable = true;
    chronicle_.commit(Clock::steady());
    turn.publication->views.reserve(turn.touched.size());
    for (Resident* resident : turn.touched) {
        resident->touched = false;
        resident->moved = false;
        residents_.measure(*resident);
        resident->touched_at = turn.now;
        residents_.recount(*resident);
        deadlines_.schedule(resident->key, resident->session.next_deadline(watch_));
        turn.publication->views.push_back(core::view_of(resident->session));
    }
}

core::Result<> Supervisor::write_all(std::vector<Request>& requests, Turn& turn) {
    HEADWAY_CHECK(store_.begin());
    turn.publication->replies.reserve(requests.size());
    for (Request& request : requests) {
        if (auto* reload = std::get_if<ReloadCommand>(&request.command)) {
            settings_.policy = reload->policy;
            settings_.retention = reload->retention;
            settings_.budget = reload->budget;
            settings_.approvals = reload->approvals;
            settings_.floor = reload->floor;
            continue;
        }
        if (is_query(request.command)) continue;
        if (auto refused = no_room(request.command)) {
            turn.publication->replies.push_back({request.reply_to, *std::move(refused)});
            continue;
        }
        core::Context context;
        context.now = turn.now;
        context.watch = watch_;
        context.watched = request.watched;
        context.load = turn.load;
        context.approvals = &settings_.approvals;
        context.bounds = &settings_.budget.bounds;
        context.judge = &settings_.judge;
        // A command without a handler does not compile.
        auto what = std::visit(
            [&]<class C>(C& command) -> core::Result<Answer> {
                if constexpr (kReads<C> || kScans<C> || kStarts<C> ||
                              std::is_same_v<C, ReloadCommand>) {
                    return core::Error{core::ErrorCode::kInternal, "it writes nothing", {}};
                } else {
                    return handle(command, context, turn);
                }
            },
            request.command);
        if (!what && is_storage_error(what.error().code)) return what.error();
        turn.publication->replies.push_back({request.reply_to, std::move(what)});
    }
    HEADWAY_CHECK(tick_some(turn));
    HEADWAY_CHECK(look_at_parents(turn));
    HEADWAY_CHECK(roll_up(turn));
    if (turn.tokens_changed) {
        HEADWAY_TRY(turn.publication->tokens, store_.tokens());
    }
    return store_.commit();
}

core::Result<storage::StoredSession> Supervisor::load(storage::SessionKey key,
                                                      std::string_view id) {
    auto stored = store_.load(key);
    if (stored && (id.empty() || stored->session.id() == id)) return stored;
    if (!stored && stored.error().code != core::ErrorCode::kStorageCorrupt) return stored;
    const std::string what = stored ? "it is stored as '" + stored->session.id() + "'"
                                    : std::move(stored).error().detail;
    return core::Error{core::ErrorCode::kInternal,
                       (id.empty() ? "a session" : "session '" + std::string{id} + "'") +
                           " is damaged on the disk (" + what +
                           "); stop headway and run `headway doctor --repair`",
                       {}};
}

core::Result<> Supervisor::tick_some(Turn& turn) {
    for (std::size_t i = 0; i < kTicksPerTurn; ++i) {
        const auto key = deadlines_.pop_due(turn.now);
        if (!key) return {};
        Resident* resident = residents_.find(*key);
        if (resident == nullptr) {
            auto stored = load(*key);
            if (!stored && stored.error().code == core::ErrorCode::kUnknownSession) continue;
            if (!stored && stored.error().code == core::ErrorCode::kInternal) {
                report_(true, stored.error().detail);
                continue;
            }
            if (!stored) return std::move(stored).error();
            if (stored->session.state().ended()) continue;  // since the deadline was set
            HEADWAY_TRY(resident, residents_.add(*std::move(stored)));
            resident->touched_at = turn.now;
            note_family(*resident);
        }
        const core::Timestamp due = resident->session.next_deadline(watch_);
        if (due == core::kNever || due > turn.now) {
            deadlines_.schedule(*key, due);
            continue;
        }
        HEADWAY_CHECK(tick(*resident, turn));
        if (!resident->touched) {  // nothing changed; schedules the next deadline
            deadlines_.schedule(*key, resident->session.next_deadline(watch_, turn.now));
        }
    }
    return {};
}

core::Result<> Supervisor::tick(Resident& resident, Turn& turn) {
    events_.clear();
    core::Context context;
    context.now = turn.now;
    context.watch = watch_;
    context.children_work = children_work(resident.session, turn.now);
    context.approvals = &settings_.approvals;
    context.bounds = &settings_.budget.bounds;
    resident.session.tick(context, events_);
    if (events_.empty()) {  // nothing was due; the next deadline remains
        deadlines_.schedule(resident.key, resident.session.next_deadline(watch_, turn.now));
        return {};
    }
    return store_events(resident, events_, turn);
}

/// Rolls the turn back. Each of its commands gets the error; sessions are loaded again before the
/// next turn.
void Supervisor::give_up(const core::Error& error, std::vector<Request>& requests, Turn& turn) {
    if (stats_.writable) report_(true, "commit failed: " + error.detail);
    note_failure(error);
    look_at_files(true);
    ++stats_.commit_failures;
    stats_.writable = false;
    lost_ = true;
    chronicle_.drop();
    residents_.clear();
    families_.clear();
    run_files_.clear();
    turn.touched.clear();
    turn.moved.clear();
    turn.publication->views.clear();
    turn.publication->events.clear();
    turn.publication->replies.clear();
    turn.publication->tokens.reset();
    turn.publication->decided.clear();
    turn.publication->checked.clear();
    turn.questions.clear();
    turn.unasked.clear();
    core::Error shown = error;
    if (shown.code == core::ErrorCode::kStorageCorrupt) {
        shown.code = core::ErrorCode::kStorageUnavailable;
    }
    const bool unknown = shown.code == core::ErrorCode::kStorageSyncFailed || misplaced_;
    shown.detail =
        (unknown ? "it is not known whether this was stored; send it again with the same event_id ("
                 : "nothing was stored; send it again (") +
        shown.detail + ")";
    refuse(shown, requests, turn);
}

/// Refuses all commands that write.
void Supervisor::refuse(const core::Error& error, std::vector<Request>& requests, Turn& turn) {
    for (const Request& request : requests) {
        if (is_query(request.command) || std::holds_alternative<ReloadCommand>(request.command)) {
            continue;
        }
        turn.publication->replies.push_back({request.reply_to, error});
    }
}

bool Supervisor::regain() {
    residents_.clear();
    deadlines_.clear();
    auto recovered = recover();
    if (!recovered) return false;
    lost_ = false;
    report_(false, "sessions were read again from the journal after a failed commit");
    return true;
}

void Supervisor::publish_turn(Turn& turn) {
    Publication& publication = *turn.publication;
    stats_.resident = residents_.size();
    stats_.budget_levels = residents_.budget_levels();
    stats_.wal_pages = static_cast<std::uint64_t>(store_.wal_pages());
    stats_.webhooks = webhooks_.stats();
    const bool recovered = stats_.writable && !stats_.short_of_space;
    if (publication.replies.empty() && publication.views.empty() && publication.events.empty() &&
        recovered) {
        return;
    }
    publication.stats = stats_;
    publish_(std::move(turn.publication));
}

}  // namespace headway::server
