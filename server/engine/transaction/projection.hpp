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

/// Events that were just appended to the journal of a session, which has folded them.
struct Appended {
    Resident& resident;
    std::span<const core::Event> events;
    storage::Cursor cursor = 0;  ///< cursor of the first event; the others follow
    EngineStats& stats;          ///< the transaction's
    Publication& publication;    ///< the transaction's
};

/// A table that is derived from events, and written in their transaction.
class Projection {
public:
    virtual ~Projection() = default;
    /// Errors are those of the store and fail the transaction.
    virtual core::Result<> apply(const Appended& appended) = 0;
    /// Whether it also holds sessions that were taken from a recording: most tables are about what
    /// happens now.
    virtual bool takes_recorded() const { return false; }
};

}  // namespace headway::server
