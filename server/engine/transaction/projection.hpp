// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/base/result.hpp"
#include "core/events/event.hpp"
#include "server/engine/base/publication.hpp"
#include "server/engine/base/stats.hpp"
#include "server/engine/residents/resident_set.hpp"
#include "storage/store/store.hpp"

namespace headway::server {

/// Events that were just appended to the journal of a session; the session has already folded them.
struct Appended {
    Resident& resident;
    std::span<const core::Event> events;
    /// Cursor of the first event; each further event has the next cursor.
    storage::Cursor cursor = 0;
    EngineStats& stats;        ///< statistics of the transaction
    Publication& publication;  ///< publication of the transaction
};

/// A table that is derived from events and written in the same transaction.
class Projection {
public:
    virtual ~Projection() = default;
    /// Every error is an error of the store and fails the transaction.
    virtual core::Result<> apply(const Appended& appended) = 0;
    /// Whether the table includes recordings; most tables are about live sessions only.
    virtual bool takes_recorded() const { return false; }
};

}  // namespace headway::server
