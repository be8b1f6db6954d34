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

/// A prompt, or the beginning of one of which an agent tells no more.
struct PromptFingerprint {
    std::uint64_t digest = 0;
    std::size_t bytes = 0;
    bool whole = true;
    bool of_loop = false;  ///< a person's own command
    bool operator==(const PromptFingerprint&) const = default;
};

/// Knowledge of an agent with hooks. In memory only.
struct HookMemory {
    /// Digests of the ids of the calls that hooks have finished in this turn of their agent, for
    /// the batch that names all of them again. After a restart a call may count twice.
    std::vector<std::uint64_t> finished_calls;
    /// Calls that hooks have announced in this turn: a digest of tool and arguments, and the id.
    /// Dialogs of agents do not say which call they are about.
    std::vector<std::pair<std::uint64_t, std::string>> announced_calls;
    /// Digest of the event_id of the newest answer whose use a hook has told. The store knows all
    /// of them.
    std::uint64_t last_use = 0;
    bool fresh = false;       ///< its agent has said that it began with it: no answer is older
    std::uint32_t stops = 0;  ///< calls that were refused by a stop
    /// Prompts that come back by themselves: those of timers as the last stop named them, and a
    /// person's own command that starts a loop.
    std::vector<PromptFingerprint> wake_prompts;
    bool interrupted = false;  ///< a person ended the last turn
    /// Digests of the calls that a person has rejected in the sessions that it goes on from; absent
    /// until a call needs them.
    std::optional<std::vector<std::uint64_t>> refused_before;
};

/// A session in memory. State that few sessions have at a time is LazyOptional: most wait.
struct Resident {
    explicit Resident(storage::StoredSession stored)
        : key(stored.key),
          session(std::move(stored.session)),
          chain(stored.chain),
          new_ids(std::move(stored.new_ids)) {}

    storage::SessionKey key;
    core::Session session;
    storage::Chain chain;
    storage::EventIds new_ids;       ///< of events past its snapshot
    NewestId newest_id;              ///< known since the session was opened in this process
    storage::Cursor dirty_from = 0;  ///< cursor of its first event past its snapshot; 0 = clean
    std::list<Resident*>::iterator dirty_place;  ///< in the set's list of these, while it is dirty
    core::Timestamp touched_at = core::kNever;
    std::size_t bytes = 0;                     ///< memory, as last measured
    std::uint64_t measured_n = 0;              ///< its last event then
    bool touched = false;                      ///< by the current batch
    bool moved = false;                        ///< it got events in the current batch
    bool news = false;                         ///< its relatives do not know of them yet
    std::optional<core::BudgetLevel> counted;  ///< how ResidentSet counted it
    /// How often each directive was sent in a reply. Not part of the state, because replies are not
    /// in the journal.
    core::LazyOptional<std::vector<std::pair<std::string, std::uint32_t>>> deliveries;
    /// Since it is in memory. Not part of the state, because nothing that binds rests on it.
    core::LazyOptional<core::CallTimes> calls;
    core::LazyOptional<HookMemory> hooks;
    bool agent_runs = false;  ///< the process of its agent is followed; in memory only
    AgentWork agent_work;     ///< what that process was seen to do; in memory only
    /// Which telemetry counts; in memory only, too.
    std::optional<api::otlp::Signal> telemetry;
};

/// The sessions in memory, most recently used first. A dirty one is ahead of its snapshot and must
/// be saved before it is evicted. Engine thread only.
class ResidentSet {
public:
    /// Moves the session to the front; null when it is not in memory. Pointers are valid until
    /// evict() or clear().
    Resident* find(std::string_view id);
    Resident* find(storage::SessionKey key);

    /// Error: kStorageCorrupt if its id or key is in memory already, which means a damaged index;
    /// nothing changes then.
    core::Result<Resident*> add(storage::StoredSession stored);

    /// It got an event at `cursor`.
    void mark_dirty(Resident& resident, storage::Cursor cursor);
    /// It was saved.
    void mark_clean(Resident& resident);
    /// The one that has been dirty longest, or null.
    Resident* oldest_dirty();
    /// The least recently used one, or null.
    Resident* least_recent();
    /// The least recently used ones that are too many beside so many others, which take so much
    /// memory; at most `most` of them.
    std::vector<Resident*> beyond(std::size_t others, std::size_t bytes, std::size_t most);
    /// Makes it the least recently used one: no agent and no client has asked for it.
    void put_last(Resident& resident);

    /// Updates the memory that it takes if it got enough events since the last time.
    void measure(Resident& resident);
    /// The approximate memory of all of them.
    std::size_t bytes() const noexcept { return bytes_; }

    /// Precondition: clean.
    void evict(Resident& resident);
    void clear();
    std::size_t size() const noexcept { return by_key_.size(); }

    /// Open sessions in memory with a budget, by its level.
    using BudgetLevels =
        std::array<std::uint64_t, core::EnumNames<core::BudgetLevel>::kNames.size()>;
    const BudgetLevels& budget_levels() const noexcept { return levels_; }
    /// Its budget may have changed.
    void recount(Resident& resident);

private:
    void weigh(Resident& resident);

    using Order = std::list<Resident>;
    Order order_;                                                  ///< most recently used first
    std::unordered_map<std::string_view, Order::iterator> by_id_;  ///< keys live in the residents
    std::unordered_map<storage::SessionKey, Order::iterator> by_key_;
    std::list<Resident*> dirty_;  ///< by dirty_from, ascending since cursors only grow
    BudgetLevels levels_{};
    std::size_t bytes_ = 0;  ///< the sum of what was measured
};

}  // namespace headway::server
