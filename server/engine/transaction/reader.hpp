// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/encode/encode.hpp"
#include "server/engine/transaction/engine_context.hpp"

namespace headway::server {

/// The intended duration of one slice of a long query.
inline constexpr std::chrono::microseconds kReaderSlice{400};

/// Data for queries: the sessions as of the last commit, and the tables other than the journal.
/// Within a transaction, the reader also sees the writes of that transaction. Engine thread only.
class Reader {
public:
    explicit Reader(EngineContext& parts) : parts_(parts) {}

    storage::Store& store() const { return parts_.store; }
    const EngineSettings& settings() const { return parts_.settings; }
    const EngineStats& stats() const { return parts_.stats; }
    const CommitTimes& commits() const { return parts_.commits; }
    const JudgeScheduler& judges() const { return parts_.judges; }
    WebhookScheduler& webhooks() const { return parts_.webhooks; }
    const VerdictHour& hour() const { return parts_.hour; }
    const HookChannels& channels() const { return parts_.channels; }
    /// The state of the hook channel of a session's agent; nothing if the agent sends no hooks.
    std::optional<api::Adapter> adapter(storage::SessionKey key,
                                        const core::Session& session) const {
        const core::HookChannel* channel = parts_.channels.find(key);
        if (channel == nullptr) return std::nullopt;
        return api::Adapter{*channel,
                            core::examine_channel(*channel, session.state(), now(), parts_.watch)};
    }
    /// The daemons that share the store; empty if the store is not shared.
    std::span<const storage::DaemonSeen> daemons() const {
        if (parts_.cluster == nullptr) return {};
        return parts_.cluster->daemons();
    }
    core::Timestamp now() const { return parts_.clock.now(); }
    /// The time to be used in documents.
    api::ReadingTime time() const { return {now(), parts_.watch}; }

    /// Null if no session has this id. Pointers are valid until the end of the turn.
    core::Result<const Resident*> find(std::string_view id) const {
        HEADWAY_TRY(const Resident* resident, parts_.sessions.find(id));
        return resident;
    }
    /// True if a session has this id; loads no session.
    core::Result<bool> knows(std::string_view id) const {
        if (parts_.sessions.residents().find(id) != nullptr) return true;
        HEADWAY_TRY(const auto key, parts_.store.find(id));
        return key.has_value();
    }
    /// True if the session is in memory and has not ended.
    bool is_open_in_memory(std::string_view id) const {
        const Resident* resident = parts_.sessions.residents().find(id);
        return resident != nullptr && !resident->session.state().ended() &&
               !resident->session.state().about.recorded;
    }
    /// Error: kUnknownSession.
    core::Result<const Resident*> require(std::string_view id) const {
        HEADWAY_TRY(const Resident* resident, parts_.sessions.require(id));
        return resident;
    }
    /// Calls `use` with the session, from memory or from disk. Skips a session that cannot be read.
    template <class Use>
    core::Result<> with(storage::SessionKey key, Use use) const {
        return parts_.sessions.with(key, std::move(use));
    }
    /// Calls `use` with the session, from memory or from disk. Errors: kInternal for a damaged
    /// session, kStorageTooNew for a session that a newer version wrote.
    template <class Use>
    core::Result<> with_whole(storage::SessionKey key, std::string_view id, Use use) const {
        if (const Resident* resident = parts_.sessions.residents().find(key)) {
            use(resident->session);
            return {};
        }
        HEADWAY_TRY(const storage::StoredSession stored, parts_.sessions.load(key, id));
        use(stored.session);
        return {};
    }
    /// True if other daemons also write the sessions.
    bool is_shared() const { return parts_.cluster != nullptr; }
    /// Makes the turn bring this session up to date, because a command's choice of sessions depends
    /// on this session.
    void look_at(std::string_view id) const {
        if (parts_.cluster != nullptr) parts_.cluster->look_at(id);
    }
    /// True while other daemons have committed events that this daemon has not read.
    bool is_behind() const { return parts_.cluster != nullptr && parts_.cluster->is_behind(); }
    /// Number of pending approvals of this session's descendants, at most ApprovalTable::kBelowMax.
    /// Counted in the index, because a session may have left memory while it waits for a decision.
    core::Result<std::size_t> approvals_below(const core::Session& session) const {
        HEADWAY_TRY(const std::uint64_t pending,
                    parts_.store.approvals().count_pending_below(session.id()));
        return static_cast<std::size_t>(pending);
    }
    std::size_t sessions_in_memory() const { return parts_.sessions.residents().size(); }

    /// Logs, once, that a list leaves out a damaged session.
    void say_damaged(storage::SessionKey session, const std::string& line) const {
        parts_.damage.say(session, line);
    }

private:
    EngineContext& parts_;
};

}  // namespace headway::server
