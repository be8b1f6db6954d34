// SPDX-License-Identifier: Apache-2.0
#include "server/engine/residents/sessions.hpp"

#include <utility>

namespace headway::server {

using core::Error;
using core::ErrorCode;
using core::Result;

Result<Resident*> Sessions::find(std::string_view id) {
    if (Resident* resident = residents_.find(id)) return resident;
    HEADWAY_TRY(const auto key, store_.find(id));
    if (!key) return static_cast<Resident*>(nullptr);
    HEADWAY_TRY(storage::StoredSession stored, load(*key, id));
    HEADWAY_TRY(Resident * resident, adopt(std::move(stored)));
    if (resident->session.state().ended()) visitors_.push_back(*key);
    return resident;
}

Result<Resident*> Sessions::find_key(storage::SessionKey key) {
    if (Resident* resident = residents_.find(key)) return resident;
    auto stored = load(key);
    const bool gone = !stored && (stored.error().code == ErrorCode::kUnknownSession ||
                                  is_unreadable(stored.error().code));
    if (gone) return static_cast<Resident*>(nullptr);
    if (!stored) return std::move(stored).error();
    const bool ended = stored->session.state().ended();
    HEADWAY_TRY(Resident * resident, adopt(*std::move(stored)));
    if (ended) visitors_.push_back(key);
    return resident;
}

Result<Resident*> Sessions::require(std::string_view id) {
    HEADWAY_TRY(Resident * resident, find(id));
    if (resident != nullptr) return resident;
    return Error{ErrorCode::kUnknownSession,
                 "no session '" + std::string{id} + "'; open it with PUT /v1/sessions/" +
                     std::string{id} + " or by reporting to it",
                 "id"};
}

Result<Resident*> Sessions::create(const std::string& id, core::Timestamp now) {
    HEADWAY_TRY(const storage::SessionKey key, store_.create(id, now));
    HEADWAY_TRY(Resident * resident, residents_.add({key, core::Session{id}, {}, {}}));
    // Other daemons add events, too.
    if (store_.shared() == nullptr) resident->newest_id.start();
    return resident;
}

Result<Resident*> Sessions::adopt(storage::StoredSession stored) {
    HEADWAY_TRY(Resident * resident, residents_.add(std::move(stored)));
    resident->touched_at = clock_.now();
    return resident;
}

Result<Resident*> Sessions::admit(storage::StoredSession stored) {
    if (stored.session.state().ended()) visitors_.push_back(stored.key);
    return adopt(std::move(stored));
}

Result<storage::StoredSession> Sessions::load(storage::SessionKey key, std::string_view id) {
    auto stored = store_.load(key);
    if (stored) note_damage(*stored);
    if (stored && (id.empty() || stored->session.id() == id)) return stored;
    if (!stored && stored.error().code != ErrorCode::kStorageCorrupt) return stored;
    const std::string what = stored ? "it is stored as '" + stored->session.id() + "'"
                                    : std::move(stored).error().detail;
    return Error{ErrorCode::kInternal,
                 (id.empty() ? "a session" : "session '" + std::string{id} + "'") +
                     " is damaged on the disk (" + what + "); " + way_out_of_damage(store_),
                 {}};
}

void Sessions::note_damage(const storage::StoredSession& stored) const {
    if (!stored.snapshot_damaged || !damage_) return;
    damage_(stored.key, "the snapshot of session '" + stored.session.id() +
                            "' is damaged on the disk. Nothing is lost, since its journal was read "
                            "instead, but the disk may fail");
}

std::string way_out_of_damage(storage::Store& store) {
    return store.shared() != nullptr ? "restore the database from its backup"
                                     : "stop headway and run `headway doctor --repair`";
}

void Sessions::dismiss_visitors() {
    for (const storage::SessionKey key : visitors_) {
        Resident* visitor = residents_.find(key);
        if (visitor != nullptr && visitor->dirty_from == 0) residents_.evict(*visitor);
    }
    visitors_.clear();
}

}  // namespace headway::server
