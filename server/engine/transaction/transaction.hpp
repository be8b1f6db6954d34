// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "server/engine/base/answers.hpp"
#include "server/engine/base/task.hpp"
#include "server/engine/durability/session_log.hpp"
#include "server/engine/transaction/projection.hpp"
#include "server/engine/transaction/reader.hpp"

namespace headway::server {

/// The writes of one turn: commands decide events, append() stores them and everything derived from
/// them, and nothing is published before the commit. If a transaction is not committed, the
/// sessions in memory are ahead of the journal, so the engine must drop them too.
///
/// A command changes only the sessions that it has named (WriteTask::name). Engine thread only.
class Transaction {
public:
    struct Turn {
        core::Timestamp now;
        std::uint32_t load = 1;  ///< factor for heartbeat intervals
        bool listening = false;  ///< publish events, not only views
    };

    Transaction(EngineContext& parts, std::span<Projection* const> projections,
                SessionLog& session_log, const Turn& turn, Publication& publication);

    /// Begins a command that changes these sessions.
    void begin(std::span<const std::string_view> sessions, bool watched);
    /// Begins the engine's own work, which may change any session.
    void begin_own();

    /// The context of the current command.
    const core::Context& context() const { return context_; }
    core::Timestamp now() const { return context_.now; }
    /// The context for an opening. It has the policy floor, unless the caller may control sessions.
    core::Context opening_context(bool controls) const;
    const EngineSettings& settings() const { return parts_.settings; }
    storage::Store& store() { return parts_.store; }
    Reader& reader() { return reader_; }
    Sessions& sessions() { return parts_.sessions; }
    SessionTree& tree() { return parts_.tree; }
    JudgeScheduler& judges() { return parts_.judges; }
    WebhookScheduler& webhooks() { return parts_.webhooks; }
    DaysHeld& days() { return parts_.days; }
    HookChannels& channels() { return parts_.channels; }
    KnownAnswers& answers() { return parts_.answers; }
    api::JsonDocument& document() { return parts_.document; }
    EngineStats& stats() { return stats_; }

    /// Null if no session has this id.
    core::Result<Resident*> find(std::string_view id) { return parts_.sessions.find(id); }
    /// Error: kUnknownSession.
    core::Result<Resident*> require(std::string_view id) { return parts_.sessions.require(id); }
    /// Sets the time of the turn. Called when the turn holds its sessions, because the time is not
    /// known earlier.
    void set_now(core::Timestamp now) {
        turn_.now = now;
        begin_own();
    }
    /// True if the turn may change this session; false if another daemon may hold it.
    bool holds(storage::SessionKey key) const {
        return parts_.cluster == nullptr || parts_.cluster->holds(key);
    }
    /// True if a descendant of the session works (docs/detection.md, section 11).
    bool children_work(const Resident& resident);
    /// True if a descendant has not ended, even if it has not reported for a while or is no longer
    /// in memory.
    core::Result<bool> has_open_child(const Resident& resident);
    /// True if the current command may change this session.
    bool may_change(std::string_view session) const;
    /// True if this daemon cannot read the session. The session's inbox must then wait for a daemon
    /// that can read the session.
    bool keeps_inbox(storage::SessionKey key) const {
        return parts_.cluster != nullptr && parts_.cluster->is_unreadable(key);
    }
    /// Calls `decide(session, arguments..., context, events)`, which is often a member function of
    /// the session, and appends the decided events. If `decide` returns an error, it has left the
    /// session unchanged, and the error is returned.
    template <typename Decide, typename... Arguments>
    core::Result<> change(Resident& resident, Decide&& decide, Arguments&&... arguments) {
        std::vector<core::Event> events = std::exchange(events_, {});  // events_ is free for a
                                                                       // nested change
        events.clear();
        const auto run = [&] {
            return std::invoke(std::forward<Decide>(decide), resident.session,
                               std::forward<Arguments>(arguments)..., context_, events);
        };
        if constexpr (std::is_void_v<decltype(run())>) {
            run();
        } else {
            HEADWAY_CHECK(run());
        }
        core::Result<> appended = append(resident, events);
        events_ = std::move(events);
        return appended;
    }
    /// An empty list for decided events, to be passed to append(); valid until the next call of
    /// events().
    std::vector<core::Event>& events() {
        events_.clear();
        return events_;
    }
    /// Appends events that the session has decided and folded, with everything derived from them.
    /// Does nothing if `events` is empty; otherwise moves from it.
    core::Result<> append(Resident& resident, std::vector<core::Event>& events);
    /// Publishes the session's view with this turn.
    void touch(Resident& resident);
    /// Puts a message into the inbox of another session, which handles it in the next turn.
    core::Result<> tell(storage::SessionKey other, core::Payload payload);
    /// Makes the next turn look at the session even if it is not due.
    void wake(storage::SessionKey session) { woken_.push_back(session); }
    /// The sessions that received a message or were woken since the last call, each once.
    std::vector<storage::SessionKey> take_woken();
    /// The sessions that received events since the last call.
    std::vector<Resident*> take_news();
    /// Makes the engine delete forgotten sessions soon, before retention is due.
    void hurry_deletion() { deletes_ = true; }
    bool deletes() const { return deletes_; }
    /// Publishes the changed tokens with this turn.
    void publish_tokens() { tokens_changed_ = true; }

    /// Commits. After an error, the transaction is not committed and needs a rollback.
    core::Result<> commit();
    /// The sessions to publish.
    std::span<Resident* const> touched() const { return touched_; }
    /// The sessions in touched() that have new events.
    std::span<Resident* const> moved() const { return moved_; }

private:
    EngineContext& parts_;
    std::span<Projection* const> projections_;
    SessionLog& session_log_;
    Reader reader_;
    Turn turn_;
    Publication& publication_;
    EngineStats stats_;  ///< after the commit, these replace the engine's statistics
    core::Context context_;
    std::span<const std::string_view> names_;  ///< the current command's sessions
    bool own_ = true;                          ///< any session may change
    std::vector<core::Event> events_;
    std::vector<Resident*> touched_;
    std::vector<Resident*> moved_;
    std::vector<Resident*> news_;
    std::vector<storage::SessionKey> woken_;
    bool tokens_changed_ = false;
    bool deletes_ = false;
};

}  // namespace headway::server
