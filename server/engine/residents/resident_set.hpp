// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/otlp/export.hpp"
#include "core/base/lazy_optional.hpp"
#include "core/meters/call_times.hpp"
#include "core/session/session.hpp"
#include "server/engine/residents/agent_work.hpp"
#include "server/engine/residents/newest_id.hpp"
#include "storage/store/store.hpp"

namespace headway::server {

/// The fingerprint of a prompt, or of its beginning if the agent reports only the beginning.
struct PromptFingerprint {
    std::uint64_t digest = 0;
    std::size_t bytes = 0;
    bool whole = true;
    bool of_loop = false;  ///< the prompt is a person's command that starts a loop
    bool operator==(const PromptFingerprint&) const = default;
};

/// Facts about an agent that are remembered from one of its hooks to the next. Kept in memory only.
struct HookMemory {
    /// Digests of the ids of the calls that hooks have reported as finished in this round. The
    /// batch at the end of the round names these calls again, and the digests keep the calls from
    /// being counted twice. After a restart, a call may still be counted twice.
    std::vector<std::uint64_t> finished_calls;
    /// Digests of id, tool and arguments of the calls that have finished since the last prompt: a
    /// hook that announces one of them is late.
    std::vector<std::uint64_t> finished_inputs;
    /// Calls that hooks have announced in this round: a digest of tool and arguments, and the id.
    /// This is necessary because an agent's dialog does not give the id of its call.
    std::vector<std::pair<std::uint64_t, std::string>> announced_calls;
    /// Digest of the event_id of the newest model answer whose usage a hook has reported. The store
    /// has the event_ids of all answers whose usage was reported.
    std::uint64_t last_use = 0;
    bool fresh = false;  ///< the agent reported that it started with this session, so no answer is
                         ///< older than the session
    std::uint32_t stops = 0;  ///< number of calls refused because of a stop
    /// Prompts that recur without a person: the prompts of the timers in the last stop hook, and a
    /// person's command that starts a loop.
    std::vector<PromptFingerprint> wake_prompts;
    /// Sessions of the sub-agents that the last stop hook named as still at work.
    std::vector<std::string> agents_left;
    core::Timestamp prompted_at = core::kNever;  ///< time of the last prompt
    bool interrupted = false;                    ///< a person ended the last turn
    bool turned = false;  ///< the agent has called its model, or ended a turn
    /// The error of the model's last answer in this turn, which was cut off or refused.
    std::optional<core::ErrorReported> answer_error;
    /// Digests of the calls that a person has refused in earlier generations of the session; read
    /// from the store when a call first needs them.
    std::optional<std::vector<std::uint64_t>> refused_before;
    /// Digests of the ids of the calls whose hooks are held, or were held when the hook's
    /// connection closed: these calls did not run.
    std::vector<std::uint64_t> held_calls;
    /// The held calls whose connection has closed.
    std::vector<std::uint64_t> left_calls;
};

/// Changes by this session's descendants, and by this session as its parent's descendant. Kept in
/// memory only. Calls are digests of their ids.
struct FamilyMemory {
    /// The parent's calls in flight when this session was opened; one of them opened it.
    std::vector<std::uint64_t> opened_by;
    /// Calls in flight of this session whose descendants have made a change.
    std::vector<std::uint64_t> changed_below;
    bool changed_beside = false;  ///< a descendant that no call in flight opened has made a change
};

/// A session in memory. State that only a few sessions have at the same time is LazyOptional.
struct Resident {
    explicit Resident(storage::StoredSession stored)
        : key(stored.key),
          session(std::move(stored.session)),
          chain(stored.chain),
          new_ids(std::move(stored.new_ids)) {}

    storage::SessionKey key;
    core::Session session;
    storage::Chain chain;
    storage::EventIds new_ids;       ///< ids of the events after its snapshot
    NewestId newest_id;              ///< known only if the session was opened in this process
    storage::Cursor dirty_from = 0;  ///< cursor of its first event after its snapshot; 0 = none:
                                     ///< the session is clean
    std::list<Resident*>::iterator
        dirty_place;  ///< place in ResidentSet::dirty_; valid while dirty
    core::Timestamp touched_at = core::kNever;
    std::size_t bytes = 0;         ///< memory that it takes, as last measured
    std::uint64_t measured_n = 0;  ///< number of its last event at the last measurement
    bool touched = false;          ///< this engine turn has touched it
    bool moved = false;            ///< it has new events in this engine turn
    bool news = false;             ///< its ancestors and descendants do not know of its new events
                                   ///< yet
    std::optional<core::BudgetLevel> counted;  ///< the level under which ResidentSet counts it
    /// The number of replies that have carried each directive. Not part of the state, because
    /// replies are not in the journal.
    core::LazyOptional<std::vector<std::pair<std::string, std::uint32_t>>> deliveries;
    /// Durations of calls since the session was loaded into memory. Not part of the state, because
    /// no binding decision uses them.
    core::LazyOptional<core::CallTimes> calls;
    core::LazyOptional<HookMemory> hooks;
    core::LazyOptional<FamilyMemory> family;
    bool agent_runs = false;  ///< the process of its agent is followed; in memory only
    AgentWork agent_work;     ///< CPU use of the agent's process; in memory only
    /// The kind of telemetry that is used; in memory only.
    std::optional<api::otlp::Signal> telemetry;
    std::uint64_t telemetry_calls = 0;  ///< telemetry calls that the agent had already reported
    /// Digests of the event ids of the last such calls, to recognise an export that is sent again.
    core::LazyOptional<std::vector<std::uint64_t>> telemetry_left_out;
};

/// The sessions in memory, most recently used first. A dirty session is ahead of its snapshot and
/// must be saved before it is evicted. Engine thread only.
class ResidentSet {
public:
    /// Finds a session and moves it to the front; null if it is not in memory. Pointers are valid
    /// until evict() or clear().
    Resident* find(std::string_view id);
    Resident* find(storage::SessionKey key);

    /// Error: kStorageCorrupt if the id or the key is already in memory, which shows that an index
    /// is damaged; the set is then unchanged.
    core::Result<Resident*> add(storage::StoredSession stored);

    /// Records that `resident` has a new event, with the cursor `cursor`.
    void mark_dirty(Resident& resident, storage::Cursor cursor);
    /// Records that `resident` was saved.
    void mark_clean(Resident& resident);
    /// The session that has been dirty longest, or null.
    Resident* oldest_dirty();
    /// The least recently used session, or null.
    Resident* least_recent();
    /// The least recently used sessions, to be evicted so that at most `others` sessions, with at
    /// most `bytes` of memory, remain. At most `most` are returned.
    std::vector<Resident*> beyond(std::size_t others, std::size_t bytes, std::size_t most);
    /// Makes the session the least recently used one. Called for a session that no agent or client
    /// has asked for.
    void put_last(Resident& resident);
    /// Makes the session the most recently used one.
    void put_first(Resident& resident);

    /// Updates the session's `bytes` if enough events have come since the last measurement.
    void measure(Resident& resident);
    /// The approximate memory of all sessions in the set.
    std::size_t bytes() const noexcept { return bytes_; }

    /// Precondition: the session is clean.
    void evict(Resident& resident);
    void clear();
    std::size_t size() const noexcept { return by_key_.size(); }

    /// Numbers of open sessions in memory that have a budget, by the budget's level.
    using BudgetLevels =
        std::array<std::uint64_t, core::EnumNames<core::BudgetLevel>::kNames.size()>;
    const BudgetLevels& budget_levels() const noexcept { return levels_; }
    /// Updates budget_levels(). Called when the budget of the session may have changed.
    void recount(Resident& resident);

private:
    void weigh(Resident& resident);

    using Order = std::list<Resident>;
    Order order_;  ///< most recently used first
    /// The keys are views of the residents' ids.
    std::unordered_map<std::string_view, Order::iterator> by_id_;
    std::unordered_map<storage::SessionKey, Order::iterator> by_key_;
    std::list<Resident*> dirty_;  ///< sorted by dirty_from, since cursors only grow
    BudgetLevels levels_{};
    std::size_t bytes_ = 0;  ///< the sum of Resident::bytes
};

/// True if the call waits for the reply to its hook, or if its agent never received that reply.
/// False for calls from before a restart, for which this is unknown. Pure.
bool is_held(const Resident& resident, const std::string& call_id);
/// True if the call did not run, because it waits for a decision, or because its agent never
/// received the decision. Pure.
bool was_held(const Resident& resident, const core::OpenCall& call);
/// True if the call's hook waits at this daemon or, if `shared`, may wait at another one.
/// Pure.
bool may_be_held(const Resident& resident, const core::OpenCall& call, bool shared);
/// True if this daemon holds a hook of an open call. Such a session must stay in memory, because no
/// stored data shows that the hook waits. Pure.
bool holds_hook(const Resident& resident);
/// Notes that the call's hook connection has closed. Does nothing if the call is not held.
void note_left(Resident& resident, const std::string& call_id);

}  // namespace headway::server
