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

/// The engine's part in sharing a store with other daemons: it makes each turn hold the sessions
/// that the turn needs, brings the sessions in memory up to date with the commits of other daemons,
/// and publishes these commits here (docs/scale.md). Engine thread only.
class Cluster {
public:
    Cluster(storage::Store& store, Sessions& sessions, SessionTree& tree, Clock& clock);
    /// Sets the source of hints. Even without hints, the feed is read twice a second.
    void hint_by(ClusterHints& hints) { hints_ = &hints; }

    /// Resets the state after a start or a failed commit, when no session is in memory.
    void begin_anew(storage::Cursor head);

    // A turn.

    /// Inserts, before the requests of this turn, the requests of earlier turns whose sessions were
    /// held by another daemon.
    void take_deferred(std::vector<Request>& requests);
    /// Called before the turn's writes name their sessions.
    void begin_naming() { looked_at_.clear(); }
    /// Makes hold() bring this session up to date too, because a command chooses its session by
    /// looking at this one.
    void look_at(std::string_view name) { looked_at_.emplace(name); }
    /// Begins the transaction, holds the sessions that the turn needs, and brings them up to date.
    /// `names` are the sessions of the writes; `woken` are the sessions that an ancestor or
    /// descendant has woken.
    core::Result<> hold(std::span<const std::string_view> names,
                        const std::vector<storage::SessionKey>& woken, const ReportedIds& ids);
    /// True if the turn holds the session.
    bool holds(std::string_view name) const { return names_.contains(name); }
    bool holds(storage::SessionKey key) const { return keys_.contains(key); }
    /// Defers, to the next turn, a write whose sessions are not all held; fails the write if it has
    /// waited too long.
    void defer(Request& request);
    /// The time of the turn, read after its sessions were held.
    core::Timestamp now() const { return held_.now; }
    /// Held sessions whose deadline has come.
    std::span<const storage::SessionKey> due() const { return held_.due; }
    /// Held sessions with messages in their inbox.
    std::span<const storage::SessionKey> messaged() const { return held_.messaged; }
    /// True if, according to the store, a descendant of the session works.
    bool children_work(storage::SessionKey key) const { return working_.contains(key); }
    /// Called before the commit: sets the session's next deadline.
    void set_deadline(const Resident& resident, core::Timestamp due) {
        store_.set_due(resident.key, due);
    }
    /// Called after the commit: sets the positions of the turn's events, and publishes the sessions
    /// that were brought up to date. If other daemons have committed events that come before this
    /// turn's events and are not published yet, this turn's events must wait: they are removed from
    /// `publication`, and follow() publishes them later.
    void settle(Publication& publication, std::span<Resident* const> moved);

    // Between turns.

    /// Brings the named sessions up to date with all acknowledged commits.
    core::Result<> refresh(const SessionNames& names, Publication& publication);
    /// Publishes other daemons' commits; `listening` as in Request.
    core::Result<> follow(bool listening, Publication& publication);
    /// Announces that this daemon is running, and reads the attention gaps, tokens and totals of
    /// all daemons.
    core::Result<> pulse(core::Watch& watch, EngineStats& stats, Publication& publication);

    /// Time at which the engine should take its next turn without a request.
    Clock::Steady::time_point next_wake(Clock::Steady::time_point now) const;
    bool follow_due(Clock::Steady::time_point now);
    bool claim_due(Clock::Steady::time_point now) const;
    bool pulse_due(Clock::Steady::time_point now) const;
    /// True if the last pulse() is so recent that pauses of all daemons until `now` are known.
    bool pauses_known(core::Timestamp now) const;
    /// True if other daemons have committed more than the last follow() read.
    bool is_behind() const { return behind_; }
    bool waiting() const { return !deferred_.empty(); }
    bool is_unreadable(storage::SessionKey key) const { return unreadable_.contains(key); }
    /// Not empty if a newer version has written rows that this program cannot read.
    const std::string& met_newer() const { return store_.met_newer(); }
    /// Makes the next pulse() read the tokens again, because the tokens read last were not
    /// published.
    void forget_tokens() { tokens_ = -1; }
    const std::vector<storage::DaemonSeen>& daemons() const { return daemons_; }
    std::uint64_t conflicts() const { return conflicts_; }
    std::uint64_t retries() const { return retries_; }
    void note_retry() { ++retries_; }
    /// True if the connection over which the sessions in memory were read is lost; they must then
    /// be read again.
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
        looked_at_;  ///< sessions for which look_at() was called; at most one for each command
    /// Sessions that were brought up to date in this turn and are not published yet.
    std::vector<storage::SessionKey> unshown_;
    /// Sessions that are damaged or were written by a newer version; not claimed again.
    std::unordered_set<storage::SessionKey> unreadable_;
    std::deque<Deferred> deferred_;
    /// When the deferred writes of this turn began to wait.
    std::unordered_map<const WriteTask*, Clock::Steady::time_point> since_;
    storage::Cursor published_ = 0;  ///< all events up to this cursor are published here
    ClusterHints* hints_ = nullptr;
    std::vector<std::string> replaced_;  ///< as in Publication, for the next publication
    bool behind_ = false;                ///< follow() has more to read
    bool went_back_ = false;             ///< the database lacks what is published here
    std::int64_t tokens_ = -1;           ///< Pulse::tokens at the last pulse
    std::vector<storage::DaemonSeen> daemons_;
    std::uint64_t breaks_ =
        0;  ///< value of SharedStore::breaks() when the sessions in memory were read
    std::uint64_t conflicts_ = 0;  ///< writes that had to wait for another daemon
    std::uint64_t retries_ = 0;    ///< turns that were run again
    Clock::Steady::time_point followed_at_{};
    Clock::Steady::time_point pulsed_at_{};
    Clock::Steady::time_point claimed_at_{};
    core::Timestamp pulse_now_ = core::kNever;  ///< the time of the last pulse
};

}  // namespace headway::server
