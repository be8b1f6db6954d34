// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "server/engine/residents/resident_set.hpp"
#include "server/time/clock.hpp"
#include "storage/store/store.hpp"

namespace headway::server {

/// True for errors that concern a single session: it is damaged, or was written by a newer version.
inline bool is_unreadable(core::ErrorCode code) noexcept {
    return code == core::ErrorCode::kInternal || code == core::ErrorCode::kStorageTooNew;
}

/// Advice for people about a damaged session.
std::string way_out_of_damage(storage::Store& store);

/// The sessions in memory, and those on disk that a command or a query needs. Two errors concern
/// only one session: kInternal if the session is damaged, kStorageTooNew if a newer version wrote
/// it. For errors that fail the whole transaction, see is_storage_error(). Engine thread only.
class Sessions {
public:
    Sessions(storage::Store& store, const Clock& clock) : store_(store), clock_(clock) {}

    /// Null if no session has this id. Pointers are valid until the end of the turn.
    core::Result<Resident*> find(std::string_view id);
    /// Finds a session by key. Null also for a session that cannot be read; a client that requests
    /// this session gets the error.
    core::Result<Resident*> find_key(storage::SessionKey key);
    /// Like find(), but an unknown id is the error kUnknownSession.
    core::Result<Resident*> require(std::string_view id);
    /// Precondition: no session has this id.
    core::Result<Resident*> create(const std::string& id, core::Timestamp now);
    /// Adds a session that was read from disk to the sessions in memory. It stays in memory beyond
    /// the end of the turn.
    core::Result<Resident*> adopt(storage::StoredSession stored);
    /// Like adopt(), but an ended session is kept for this turn only.
    core::Result<Resident*> admit(storage::StoredSession stored);
    /// Loads a session without keeping it in memory. The session must have the id `id`, unless `id`
    /// is empty.
    core::Result<storage::StoredSession> load(storage::SessionKey key, std::string_view id = {});

    /// Calls `use` with the session, from memory or from disk. Skips a session that cannot be read.
    template <class Use>
    core::Result<> with(storage::SessionKey key, Use use) {
        if (const Resident* resident = residents_.find(key)) {
            use(resident->session);
            return {};
        }
        const auto stored = load(key);
        if (!stored && is_unreadable(stored.error().code)) return {};
        if (!stored) return stored.error();
        use(stored->session);
        return {};
    }

    /// Called for a session with harmless damage, such as a damaged snapshot, which only makes
    /// loading slower.
    using Damage = std::function<void(storage::SessionKey, const std::string&)>;
    void on_damage(Damage tell) { damage_ = std::move(tell); }
    /// Reports damage of this session's snapshot, if there was any.
    void note_damage(const storage::StoredSession& stored) const;

    /// Evicts the ended sessions that were loaded for this turn only and have not changed.
    void dismiss_visitors();
    ResidentSet& residents() noexcept { return residents_; }
    const ResidentSet& residents() const noexcept { return residents_; }

private:
    storage::Store& store_;
    const Clock& clock_;
    Damage damage_;
    ResidentSet residents_;
    /// Ended sessions that were loaded for a command or a query.
    std::vector<storage::SessionKey> visitors_;
};

}  // namespace headway::server
