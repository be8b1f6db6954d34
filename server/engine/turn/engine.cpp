// SPDX-License-Identifier: Apache-2.0
#include "server/engine/turn/engine.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "server/engine/turn/cluster_policy.hpp"
#include "server/engine/turn/local_policy.hpp"

namespace headway::server {
namespace {

using namespace std::chrono_literals;

/// The shortest attention gap that is recorded; core::Watch interprets them. With the wait before
/// it, a shorter gap is below two heartbeat intervals of the busiest agents.
constexpr auto kGapNoticed = 300ms;
constexpr auto kUpkeepEvery = 250ms;
constexpr auto kMissedLookEvery = 1s;
constexpr auto kGapEvery = 1s;
/// The I/O thread encodes the replies of one part at once, and receives and sends between parts.
constexpr std::size_t kRepliesPerPart = 256;

std::unique_ptr<StorePolicy> policy_for(TurnState turn, Cluster* cluster, Upkeep& upkeep) {
    if (cluster == nullptr) return std::make_unique<LocalPolicy>(std::move(turn), upkeep);
    return std::make_unique<ClusterPolicy>(std::move(turn), *cluster, upkeep);
}

}  // namespace

Engine::Engine(storage::Store& store, Clock& clock, CommandQueue& queue, EngineSettings settings,
               Publish publish, EngineReport report, JudgeLink judge)
    : store_(store),
      clock_(clock),
      queue_(queue),
      settings_(std::move(settings)),
      publish_(std::move(publish)),
      report_(std::move(report)),
      sessions_(store, clock),
      disk_(store, {report_, [this] { watch_.begin_anew(clock_.now()); },
                    [this](std::string fatal) {
                        auto publication = std::make_unique<Publication>();
                        publication->fatal = std::move(fatal);
                        announce(std::move(publication));
                    }}),
      upkeep_(store, settings_),
      backup_(store,
              [this](CopiedFile copied) {
                  auto publication = std::make_unique<Publication>();
                  publication->copied = std::move(copied);
                  announce(std::move(publication));
              }),
      judges_(store, settings_.judge, std::move(judge), report_),
      webhooks_(store.outbox(), settings_.webhooks),
      morning_(settings_.digest_at, settings_.digest_span),
      session_rows_(store),
      approval_rows_(store),
      estimate_rows_(store),
      use_rows_(store),
      expectation_rows_(store),
      projections_{&use_rows_,      &session_rows_, &approval_rows_,   &judges_,
                   &estimate_rows_, &webhooks_,     &expectation_rows_},
      damage_(report_),
      cluster_(store.shared() == nullptr
                   ? nullptr
                   : std::make_unique<Cluster>(store, sessions_, tree_, clock)),
      parts_{store_,  clock_,         watch_,    settings_, sessions_, tree_,
             judges_, webhooks_,      channels_, backup_,   commits_,  damage_,
             days_,   cluster_.get(), document_, totals_,   hour_},
      policy_(policy_for({parts_, clock, watch_, receivers_, report_}, cluster_.get(), upkeep_)) {
    sessions_.on_damage([this](storage::SessionKey session, const std::string& line) {
        damage_.say_harmless(session, line);
    });
}

core::Result<std::uint64_t> Engine::recover() {
    HEADWAY_TRY(storage::Recovery recovery, store_.recover());
    HEADWAY_TRY(const std::uint64_t events, policy_->recover(std::move(recovery)));
    HEADWAY_CHECK(recover_webhooks());
    missed_.begin(clock_.now());
    return events;
}

void Engine::run() {
    std::vector<Request> requests;
    while (!queue_.closed_and_empty() || !reads_.empty() || policy_->waiting()) {
        const auto planned = next_wake();
        const std::size_t left = queue_.take(requests, planned);
        policy_->follow_clock();
        note_gap(planned);
        const auto began = Clock::steady();
        clock_.begin_turn();
        turn(requests, left);
        // Housekeeping runs in idle gaps, because its commits would delay reports. Under steady
        // traffic there are no gaps, so its bounded work also runs when overdue.
        const bool overdue = left == 0 && Clock::steady() - gap_at_ >= kGapEvery;
        const bool gap = (requests.empty() && reads_.empty()) || overdue;
        if (gap) gap_at_ = Clock::steady();
        upkeep(gap);
        feed_watchdog();
        note_gap(began);
        clock_.end_turn(watch_);
    }
    save_everything();
    backup_.abandon();
}

Clock::Steady::time_point Engine::next_wake() const {
    const auto now = Clock::steady();
    if (!reads_.empty() || backup_.running()) return now;
    if (judges_.waiting() && !lost_) return now;
    if (morning_.busy() && sends()) return std::max(now, morning_at_);
    auto wake = now + kUpkeepEvery;
    if (settings_.feed_watchdog) wake = std::min(wake, now + settings_.feed_every);
    if (disk_.is_closed()) return wake;  // due work has to wait
    if (!receivers_.empty() && !lost_) return policy_->next_look(now);
    if (!lost_) wake = std::min(wake, policy_->next_wake(now));
    if (!retry_queue_.empty() && !lost_ && disk_.writable())
        wake = std::min(wake, std::max(now, retry_queue_.next_try()));
    const core::Timestamp at = sends() ? webhooks_.next_wake() : core::kNever;
    if (at != core::kNever)
        wake = std::min(wake, now + std::max(at - clock_.now(), core::Millis{0}));
    return wake;
}

/// Records a gap in our own attention if it is longer than kGapNoticed.
void Engine::note_gap(Clock::Steady::time_point begin) const {
    const auto gap = std::chrono::duration_cast<core::Millis>(Clock::unattended_since(begin));
    if (gap > kGapNoticed) policy_->note_gap(gap);
}

void Engine::turn(std::vector<Request>& requests, std::size_t left) {
    if (halted()) {
        hour_.forget();
    } else {
        hour_.note(clock_.now(), totals_.open);
    }
    deliver_again(requests);
    look_for_missed(requests);
    take_turn(requests, left);
}

/// Adds what says that jobs have not started.
void Engine::look_for_missed(std::vector<Request>& requests) {
    const auto now = Clock::steady();
    if (now < missed_at_ || halted() || !disk_.writable() || !policy_->pauses_known()) return;
    missed_at_ = now + kMissedLookEvery;
    Reader reader{parts_};
    auto jobs = missed_.look(reader);
    if (!jobs) return;  // again at the next look
    for (auto& job : *jobs) {
        Request& request = requests.emplace_back();
        request.write = std::move(job);
    }
}

/// Before the requests of the turn, which may be about the same session.
void Engine::deliver_again(const std::vector<Request>& requests) {
    if (!retry_queue_.due(Clock::steady())) return;
    const bool writes = std::any_of(requests.begin(), requests.end(), is_write);
    disk_.look_at_files(writes);
    // Without a client that tries it, a probe says first whether the store takes writes.
    if (disk_.is_closed() || (!writes && !disk_.writable())) return;
    if (lost_ && (!writes || !regain())) return;
    std::vector<Request> again = retry_queue_.take();
    take_turn(again, 0);
    retry_queue_.tried(Clock::steady());
}

void Engine::take_turn(std::vector<Request>& requests, std::size_t left) {
    const auto started = Clock::steady();
    if (settings_.reader_seen) note_gap(settings_.reader_seen());
    listening_ = queue_.listening();

    auto publication = std::make_unique<Publication>();
    moved_.clear();
    arrive(requests);
    start(requests, true, *publication);
    policy_->take_deferred(requests);
    write_phase(requests, left, *publication);
    start(requests, false, *publication);
    note_gap(started);
    const std::size_t reads_before = reads_.size();
    take_reads(requests);
    refresh_reads(reads_before, *publication);
    publish_turn(std::move(publication));  // before the reads, so that reports do not wait for them
    answer_reads();
    after_commit();
    follow_others();
    note_gap(started);
}

/// A read sees at least the commits that were acknowledged when it arrived; without them it fails.
void Engine::refresh_reads(std::size_t from, Publication& publication) {
    if (lost_) return;
    const auto fresh = policy_->refresh(reads_, from, listening_, publication);
    if (fresh) return;
    for (; from < reads_.size(); reads_.pop_back()) {
        reads_.back().read->fail(fresh.error());
        publication.replies.push_back({reads_.back().reply_to, std::move(reads_.back().read)});
    }
    queue_.hold(reads_.size());
}

/// Reads the commits of other daemons; records that this one serves.
void Engine::follow_others() {
    if (lost_) return;
    auto [publication, done] = policy_->follow(listening_);
    if (!done) {
        store_.rollback();
        if (policy_->may_try_again()) {  // in the next turn
            publication->events.clear();
            publication->changed.clear();
        } else {
            std::vector<Request> none;
            give_up(done.error(), none, *publication);
        }
        if (publication->empty()) return;
    }
    if (publication != nullptr) announce(std::move(publication));
}

/// Lets the tasks see the state before this turn's writes.
void Engine::arrive(std::vector<Request>& requests) {
    Reader reader{parts_};
    for (Request& request : requests) {
        if (request.write != nullptr) request.write->arrive(parts_);
        if (request.read != nullptr && !lost_) request.read->arrive(reader);
    }
}

/// Starts the operations that belong before or after the writes of the turn.
void Engine::start(std::vector<Request>& requests, bool first, Publication& publication) {
    parts_.unavailable = lost_ || disk_.sync_failed();
    for (Request& request : requests) {
        if (request.start == nullptr || request.start->first() != first) continue;
        auto started = request.start->start(parts_, request.reply_to);
        if (started) continue;  // answered at its end
        request.start->fail(std::move(started).error());
        publication.replies.push_back({request.reply_to, std::move(request.start)});
    }
}

/// Work that may only rest on committed state.
void Engine::after_commit() {
    if (sends()) {
        if (auto sent = webhooks_.send_due(clock_.now()); !sent)
            report_(true, "webhooks cannot be read from the database: " + sent.error().detail);
    }
    if (lost_) return;
    const Reader reader{parts_};
    judges_.ask_checks(reader);
    if (!judges_.estimates()) return;
    std::vector<Resident*> moved;  // except rows that other daemons have deleted since the commit
    for (const storage::SessionKey key : moved_) {
        if (Resident* resident = sessions_.residents().find(key)) moved.push_back(resident);
    }
    judges_.ask_estimates(reader, moved);
}

EngineStats Engine::stats() const {
    EngineStats stats = totals_;
    stats.commits = commits_.commits();
    stats.commit_failures = commits_.failures();
    stats.commit_microseconds = commits_.microseconds();
    stats.snapshots = upkeep_.figures().snapshots;
    stats.evictions = upkeep_.figures().evictions;
    stats.checkpoints = upkeep_.figures().checkpoints;
    stats.deleted_steps = upkeep_.figures().deleted_steps;
    stats.resident = sessions_.residents().size();
    stats.budget_levels = sessions_.residents().budget_levels();
    stats.hook_channels = channels_.tally();
    stats.wal_pages = static_cast<std::uint64_t>(store_.wal_pages());
    stats.refused_full = disk_.refused();
    stats.free_bytes = disk_.free_bytes();
    stats.writable = disk_.writable();
    policy_->add_stats(stats);
    stats.short_of_space = disk_.short_of_space();
    return stats;
}

/// Publishes what a turn did, if anything.
void Engine::publish_turn(std::unique_ptr<Publication> publication) {
    const bool recovered = disk_.writable() && !disk_.short_of_space();
    if (publication->empty() && recovered) return;
    std::vector<Answered> replies = std::exchange(publication->replies, {});
    for (std::size_t done = 0; done < replies.size() || publication != nullptr;) {
        if (publication == nullptr) publication = std::make_unique<Publication>();
        const std::size_t part = std::min(replies.size() - done, kRepliesPerPart);
        const auto from = replies.begin() + static_cast<std::ptrdiff_t>(done);
        publication->replies.assign(
            std::make_move_iterator(from),
            std::make_move_iterator(from + static_cast<std::ptrdiff_t>(part)));
        done += part;
        publication->more = done < replies.size();
        announce(std::exchange(publication, nullptr));
    }
}

void Engine::announce(std::unique_ptr<Publication> publication) {
    publication->stats = stats();
    publication->stats.webhooks = webhooks_.stats();
    publish_(std::move(publication));
}

}  // namespace headway::server
