// SPDX-License-Identifier: Apache-2.0
#include "server/engine/cluster/cluster.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/views/view.hpp"

namespace headway::server {
namespace {

using namespace std::chrono_literals;
using core::ErrorCode;
using core::Result;

constexpr std::size_t kDuePerTurn = 500;
constexpr std::size_t kToldPerTurn = 500;
/// A write waits no longer for a session that another daemon holds: that one is stopped in the
/// middle of a turn, which the database ends after two seconds.
constexpr auto kDeferredMax = 4s;
/// Commands that wait for other daemons, as many as a turn takes.
constexpr std::size_t kDeferredCountMax = core::limits::kCommandQueueMax;
/// Sessions that this daemon does not look at again; when there are more, it begins again.
constexpr std::size_t kUnreadableMax = 10'000;
constexpr auto kDeferredAgain = 2ms;
/// The floor under the hints: what others have committed is looked up so often.
constexpr auto kFollowEvery = 500ms;
/// Deadlines, and inboxes whose daemon died: the precision of a deadline.
constexpr auto kClaimEvery = 250ms;
constexpr auto kPulseEvery = 1s;
/// Without a pulse for so long, gaps may be missing, and no session is judged by time.
constexpr core::Millis kPulseFresh = 2'500ms;

}  // namespace

Cluster::Cluster(storage::Store& store, Sessions& sessions, SessionTree& tree, Clock& clock)
    : tables_(store), store_(*store.shared()), sessions_(sessions), tree_(tree), clock_(clock) {}

void Cluster::begin_anew(storage::Cursor head) {
    names_.clear();
    keys_.clear();
    held_ = {};
    breaks_ = store_.breaks();
    unshown_.clear();
    unreadable_.clear();
    // Streams go on where they were, unless a database took over that does not have all of it.
    if (head < published_) went_back_ = true;
    if (published_ == 0 || head < published_) published_ = head;
    store_.set_head(published_);
    pulsed_at_ = {};
}

void Cluster::take_deferred(std::vector<Request>& requests) {
    since_.clear();
    if (deferred_.empty()) return;
    std::vector<Request> all;
    all.reserve(deferred_.size() + requests.size());
    for (Deferred& one : deferred_) {
        since_[one.request.write.get()] = one.since;
        all.push_back(std::move(one.request));
    }
    deferred_.clear();
    std::move(requests.begin(), requests.end(), std::back_inserter(all));
    requests = std::move(all);
}

void Cluster::defer(Request& request) {
    ++conflicts_;
    const auto known = since_.find(request.write.get());
    const auto now = Clock::steady();
    const auto since = known == since_.end() ? now : known->second;
    if (now - since > kDeferredMax || deferred_.size() >= kDeferredCountMax) {
        request.write->fail({ErrorCode::kStorageUnavailable,
                             "another daemon works on this session; nothing was stored, send it "
                             "again",
                             {}});
        return;
    }
    Request waiting;
    waiting.reply_to = request.reply_to;
    waiting.watched = request.watched;
    waiting.bytes = request.bytes;
    waiting.write = std::move(request.write);
    deferred_.push_back({std::move(waiting), since});
}

/// Reports read the budgets of their ancestors, as far as these are known here.
std::vector<std::string_view> Cluster::ancestors_of(std::span<const std::string_view> names) const {
    std::vector<std::string_view> ancestors;
    for (const std::string_view name : names) {
        const Resident* resident = sessions_.residents().find(name);
        for (std::size_t depth = 0; resident != nullptr && depth < core::limits::kFamilyDepthMax;
             ++depth) {
            const std::string& parent = resident->session.state().about.parent;
            if (parent.empty()) break;
            ancestors.push_back(parent);
            resident = sessions_.residents().find(parent);
        }
    }
    std::sort(ancestors.begin(), ancestors.end());
    ancestors.erase(std::unique(ancestors.begin(), ancestors.end()), ancestors.end());
    return ancestors;
}

Result<> Cluster::hold(std::span<const std::string_view> names,
                       const std::vector<storage::SessionKey>& woken, const ReportedIds& ids) {
    const auto now = Clock::steady();
    names_.clear();
    keys_.clear();
    working_.clear();
    unshown_.clear();
    storage::HoldRequest wanted;
    wanted.names.assign(names.begin(), names.end());
    std::sort(wanted.names.begin(), wanted.names.end());
    wanted.names.erase(std::unique(wanted.names.begin(), wanted.names.end()), wanted.names.end());
    wanted.keys = woken;
    wanted.seen = ancestors_of(wanted.names);
    wanted.seen.insert(wanted.seen.end(), looked_at_.begin(), looked_at_.end());
    wanted.ids = ids;
    wanted.due_max = kDuePerTurn;
    wanted.unreadable.assign(unreadable_.begin(), unreadable_.end());
    if (now - claimed_at_ >= kClaimEvery) wanted.told_max = kToldPerTurn;
    claimed_at_ = now;
    HEADWAY_TRY(held_, store_.hold(wanted));
    clock_.follow_shared(held_.now);
    for (const storage::KnownSession& one : held_.sessions) {
        names_.insert(one.name);
        keys_.insert(one.key);
    }
    HEADWAY_CHECK(catch_up(held_.sessions, true, nullptr));
    HEADWAY_CHECK(catch_up(held_.seen, true, nullptr));
    drop_deleted();
    if (!pauses_known(held_.now)) held_.due.clear();
    if (held_.due.empty() && held_.messaged.empty() && woken.empty()) return {};
    std::vector<storage::SessionKey> looked_at = held_.due;
    looked_at.insert(looked_at.end(), held_.messaged.begin(), held_.messaged.end());
    looked_at.insert(looked_at.end(), woken.begin(), woken.end());
    HEADWAY_TRY(const auto working, store_.with_working_children(looked_at));
    working_.insert(working.begin(), working.end());
    return {};
}

void Cluster::settle(Publication& publication, std::span<Resident* const> moved) {
    for (Resident* resident : moved) {
        if (resident->dirty_from >= storage::kProvisionalCursor)
            resident->dirty_from = store_.settled(resident->dirty_from);
    }
    say_replaced(publication);
    for (const storage::SessionKey key : unshown_) {
        const Resident* resident = sessions_.residents().find(key);
        if (resident != nullptr && !resident->touched)
            publication.views.push_back(core::view_of(resident->session));
    }
    unshown_.clear();
    if (moved.empty()) return;
    if (hints_ != nullptr) hints_->committed();
    if (store_.settled(storage::kProvisionalCursor) != published_) {
        publication.events.clear();  // others come first
        followed_at_ = {};
        return;
    }
    for (storage::StreamEvent& event : publication.events)
        event.cursor = store_.settled(event.cursor);
    published_ = store_.committed();
    store_.set_head(published_);
}

void Cluster::drop(Resident& resident) {
    sessions_.residents().mark_clean(resident);
    sessions_.residents().evict(resident);
}

/// Folds what others have committed. Readers get the view as of its last event.
void Cluster::fold(Resident& resident, std::vector<core::Event> events, Publication* publication) {
    for (core::Event& event : events) {
        if (event.n != resident.session.state().n + 1) continue;
        resident.session.apply(event);
        if (!event.event_id.empty()) resident.new_ids.add(event.event_id, event.n);
    }
    (void)resident.session.take_changed_approvals();  // their daemon has written them
    tree_.note(resident);
    sessions_.residents().measure(resident);
    sessions_.residents().recount(resident);
    if (publication != nullptr) {
        publication->views.push_back(core::view_of(resident.session));
    } else {
        unshown_.push_back(resident.key);
    }
}

/// Behind another connection may be a server that took over, and what it lacks of the history of
/// the sessions in memory it may have in another form.
core::Error Cluster::lost_connection() {
    return {ErrorCode::kStorageUnavailable, "the connection to the database was lost", {}};
}

/// Sessions that a name rests on, and that another daemon has deleted: their names are free.
void Cluster::drop_deleted() {
    if (looked_at_.empty()) return;
    std::unordered_set<std::string_view> found;
    for (const storage::KnownSession& one : held_.seen)
        found.insert(one.name);
    for (const std::string& name : looked_at_) {
        Resident* gone = found.contains(name) ? nullptr : sessions_.residents().find(name);
        if (gone != nullptr) drop_replaced(*gone);
    }
}

/// Its streams and waits end with the next publication.
void Cluster::drop_replaced(Resident& resident) {
    replaced_.push_back(resident.session.id());
    drop(resident);
}

void Cluster::say_replaced(Publication& publication) {
    std::move(replaced_.begin(), replaced_.end(), std::back_inserter(publication.replaced));
    replaced_.clear();
}

/// Brings sessions up to the numbers that their rows say. With `loads`, those that are not in
/// memory are taken there.
Result<> Cluster::catch_up(std::span<const storage::KnownSession> known, bool loads,
                           Publication* publication) {
    if (has_lost_connection()) return lost_connection();
    std::vector<std::pair<storage::SessionKey, std::uint64_t>> behind;
    std::vector<storage::SessionKey> missing;
    for (const storage::KnownSession& one : known) {
        ResidentSet& residents = sessions_.residents();
        Resident* resident = residents.find(std::string_view{one.name});
        if (resident != nullptr && resident->key != one.key) {  // deleted and opened again
            drop_replaced(*resident);
            resident = nullptr;
        } else if (resident != nullptr && resident->session.state().n > one.n) {
            drop(*resident);  // a database took over without the newest commits
            resident = nullptr;
        }
        if (one.n == 0) continue;
        if (resident == nullptr) {
            if (loads) missing.push_back(one.key);
        } else if (resident->session.state().n < one.n) {
            behind.emplace_back(one.key, resident->session.state().n);
        }
    }
    if (!behind.empty()) {
        HEADWAY_TRY(std::vector<storage::Tail> tails, store_.read_tails(behind));
        for (storage::Tail& tail : tails) {
            if (Resident* resident = sessions_.residents().find(tail.key))
                fold(*resident, std::move(tail.events), publication);
        }
        drop_lagging(known, loads ? &missing : nullptr);
    }
    if (missing.empty()) return {};
    HEADWAY_TRY(std::vector<storage::StoredSession> loaded, store_.load_all(missing));
    for (storage::StoredSession& stored : loaded) {
        HEADWAY_TRY(Resident * resident, sessions_.admit(std::move(stored)));
        tree_.note(*resident);
    }
    for (const storage::SessionKey key : missing) {
        if (sessions_.residents().find(key) != nullptr) continue;
        if (unreadable_.size() >= kUnreadableMax) unreadable_.clear();
        unreadable_.insert(key);
    }
    return {};
}

/// Sessions whose new events cannot be read leave memory: a client that asks for one gets the
/// reason.
void Cluster::drop_lagging(std::span<const storage::KnownSession> known,
                           std::vector<storage::SessionKey>* missing) {
    for (const storage::KnownSession& one : known) {
        Resident* resident = sessions_.residents().find(std::string_view{one.name});
        if (resident == nullptr || resident->session.state().n >= one.n) continue;
        drop(*resident);
        if (missing != nullptr) missing->push_back(one.key);
    }
}

Result<> Cluster::refresh(const SessionNames& names, Publication& publication) {
    if (names.empty()) return {};
    HEADWAY_TRY(const std::vector<storage::KnownSession> known, store_.numbers(names));
    HEADWAY_CHECK(catch_up(known, false, &publication));
    say_replaced(publication);
    if (known.size() == names.size()) return {};
    std::unordered_set<std::string_view> found;
    for (const storage::KnownSession& one : known)
        found.insert(one.name);
    for (const std::string_view name : names) {
        if (found.contains(name)) continue;
        if (Resident* gone = sessions_.residents().find(name)) {
            publication.deleted.push_back(gone->session.id());
            drop(*gone);
        }
    }
    return {};
}

Result<> Cluster::pulse(core::Watch& watch, EngineStats& stats, Publication& publication) {
    pulsed_at_ = Clock::steady();
    HEADWAY_TRY(storage::Pulse pulse, store_.pulse());
    clock_.follow_shared(pulse.now);
    pulse_now_ = pulse.now;
    daemons_ = std::move(pulse.daemons);
    watch = core::Watch{};
    for (const auto& [from, to] : pulse.gaps)
        watch.note_gap(from, to);
    if (tokens_ != pulse.tokens) {
        HEADWAY_TRY(publication.tokens, tables_.token_table().tokens());
        tokens_ = pulse.tokens;
    }
    // Counted by all daemons.
    HEADWAY_TRY(stats.open, tables_.index().count_open());
    HEADWAY_TRY(stats.approvals.pending, tables_.approvals().count_pending());
    HEADWAY_TRY(stats.approvals.alarmed, tables_.index().count_alarms());
    return {};
}

Clock::Steady::time_point Cluster::next_wake(Clock::Steady::time_point now) const {
    if (behind_) return now;
    auto wake = std::min(followed_at_ + kFollowEvery, pulsed_at_ + kPulseEvery);
    wake = std::min(wake, claimed_at_ + kClaimEvery);
    if (!deferred_.empty()) wake = std::min(wake, now + kDeferredAgain);
    return wake;
}

bool Cluster::follow_due(Clock::Steady::time_point now) {
    const bool hinted = hints_ != nullptr && hints_->take();
    return hinted || behind_ || now - followed_at_ >= kFollowEvery;
}

bool Cluster::pauses_known(core::Timestamp now) const {
    return pulse_now_ != core::kNever && now - pulse_now_ <= kPulseFresh;
}

bool Cluster::pulse_due(Clock::Steady::time_point now) const {
    return now - pulsed_at_ >= kPulseEvery || clock_.now() - pulse_now_ >= kPulseEvery;
}

bool Cluster::claim_due(Clock::Steady::time_point now) const {
    return now - claimed_at_ >= kClaimEvery;
}

}  // namespace headway::server
