// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/values/watch.hpp"
#include "server/engine/base/publication.hpp"
#include "server/engine/base/task.hpp"
#include "server/engine/cluster/cluster_hints.hpp"
#include "server/engine/residents/session_tree.hpp"
#include "server/engine/residents/sessions.hpp"
#include "storage/store/shared_store.hpp"

namespace headway::server {

/// The engine's side of a store that other daemons also write: a turn holds its sessions, sessions
/// in memory catch up with other daemons' commits, and these commits are published here
/// (docs/scale.md). Engine thread only.
class Cluster {
public:
    Cluster(storage::Store& store, Sessions& sessions, SessionTree& tree, Clock& clock);
    /// Sets the source of hints. The feed is read twice a second even without hints.
    void hint_by(ClusterHints& hints) { hints_ = &hints; }

    /// Resets the state after a start or a failed commit, when memory is empty.
    void begin_anew(storage::Cursor head);

    // A turn.

    /// Inserts requests of earlier turns, whose sessions another daemon held, before this turn's.
    void take_deferred(std::vector<Request>& requests);
    /// Called before the turn's writes name their sessions.
    void begin_naming() { looked_at_.clear(); }
    /// Makes hold() also update this session, on which the choice of a name depends.
    void look_at(std::string_view name) { looked_at_.emplace(name); }
    /// Begins the transaction, holds the sessions that the turn needs, and brings them up to date.
    /// `names` are the sessions of the writes, `woken` those that a relative has woken.
    core::Result<> hold(std::span<const std::string_view> names,
                        const std::vector<storage::SessionKey>& woken, const ReportedIds& ids);
    /// True if the turn holds the session.
    bool holds(std::string_view name) const { return names_.contains(name); }
    bool holds(storage::SessionKey key) const { return keys_.contains(key); }
    /// Defers to the next turn a write whose sessions are not all held, or fails it after too long
    /// a wait.
    void defer(Request& request);
    /// The time of the turn, read after its sessions were held.
    core::Timestamp now() const { return held_.now; }
    /// Held sessions whose deadline has come.
    std::span<const storage::SessionKey> due() const { return held_.due; }
    /// Held sessions with messages in their inbox.
    std::span<const storage::SessionKey> messaged() const { return held_.messaged; }
    /// True if the store has a working descendant of the session.
    bool children_work(storage::SessionKey key) const { return working_.contains(key); }
    /// Before the commit: sets the session's next deadline.
    void set_deadline(const Resident& resident, core::Timestamp due) {
        store_.set_due(resident.key, due);
    }
    /// After the commit: sets the positions of the turn's events and publishes the sessions that
    /// caught up. If other daemons committed events before this turn's, those are published first:
    /// this turn's events are removed from `publication`, and follow() adds them later.
    void settle(Publication& publication, std::span<Resident* const> moved);

    // Between turns.

    /// Brings the named sessions up to date with all acknowledged commits.
    core::Result<> refresh(const SessionNames& names, Publication& publication);
    /// Publishes other daemons' commits; `listening` as in Request.
    core::Result<> follow(bool listening, Publication& publication);
    /// Announces that this daemon serves; reads all daemons' attention gaps, tokens and totals.
    core::Result<> pulse(core::Watch& watch, EngineStats& stats, Publication& publication);

    /// Time at which the engine should take its next turn without a request.
    Clock::Steady::time_point next_wake(Clock::Steady::time_point now) const;
    bool follow_due(Clock::Steady::time_point now);
    bool claim_due(Clock::Steady::time_point now) const;
    bool pulse_due(Clock::Steady::time_point now) const;
    /// True if other daemons have committed more than the last follow() has read.
    bool is_behind() const { return behind_; }
    bool waiting() const { return !deferred_.empty(); }
    bool is_unreadable(storage::SessionKey key) const { return unreadable_.contains(key); }
    /// Not empty if a newer version has written rows that this program cannot read.
    const std::string& met_newer() const { return store_.met_newer(); }
    /// Makes the next pulse read the tokens again, since the last ones were not published.
    void forget_tokens() { tokens_ = -1; }
    const std::vector<storage::DaemonSeen>& daemons() const { return daemons_; }
    std::uint64_t conflicts() const { return conflicts_; }
    std::uint64_t retries() const { return retries_; }
    void note_retry() { ++retries_; }
    /// True if the connection from which memory was read is lost: sessions must then be read again.
    bool has_lost_connection() const { return store_.breaks() != breaks_; }
    std::uint64_t round_trips() const { return store_.round_trips(); }

private:
    struct Deferred {
        Request request;
        Clock::Steady::time_point since{};
    };
    core::Result<> catch_up(std::span<const storage::KnownSession> known, bool loads,
                            Publication* publication);
    void fold(Resident& resident, std::vector<core::Event> events, Publication* publication);
    void drop(Resident& resident);
    void drop_lagging(std::span<const storage::KnownSession> known,
                      std::vector<storage::SessionKey>* missing);
    core::Result<> read_events(storage::Cursor last, Publication& publication);
    static core::Error lost_connection();
    void drop_deleted();
    void drop_replaced(Resident& resident);
    void say_replaced(Publication& publication);
    std::vector<std::string_view> ancestors_of(std::span<const std::string_view> names) const;

    storage::Store& tables_;
    storage::SharedStore& store_;  ///< the same object as tables_
    Sessions& sessions_;
    SessionTree& tree_;
    Clock& clock_;
    storage::Held held_;
    std::unordered_set<std::string_view> names_;  ///< names of the sessions in held_
    std::unordered_set<storage::SessionKey> keys_;
    std::unordered_set<storage::SessionKey> working_;
    std::set<std::string, std::less<>>
        looked_at_;  ///< for the choice of names; at most one per command
    /// Sessions that caught up in this turn and are not published yet.
    std::vector<storage::SessionKey> unshown_;
    /// Sessions that are damaged or were written by a newer version; not claimed again.
    std::unordered_set<storage::SessionKey> unreadable_;
    std::deque<Deferred> deferred_;
    /// Start of the wait of this turn's deferred writes.
    std::unordered_map<const WriteTask*, Clock::Steady::time_point> since_;
    storage::Cursor published_ = 0;  ///< all events up to this cursor are published here
    ClusterHints* hints_ = nullptr;
    std::vector<std::string> replaced_;  ///< as in Publication, for the next publication
    bool behind_ = false;                ///< follow() has more than one page to read
    std::int64_t tokens_ = -1;           ///< as of the last pulse
    std::vector<storage::DaemonSeen> daemons_;
    std::uint64_t breaks_ = 0;     ///< lost connections when memory was last read
    std::uint64_t conflicts_ = 0;  ///< writes that had to wait for another daemon
    std::uint64_t retries_ = 0;    ///< turns that were run again
    Clock::Steady::time_point followed_at_{};
    Clock::Steady::time_point pulsed_at_{};
    Clock::Steady::time_point claimed_at_{};
    core::Timestamp pulse_now_ = core::kNever;  ///< the time of the last pulse
};

}  // namespace headway::server
