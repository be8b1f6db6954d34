// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/result.hpp"
#include "core/events/event.hpp"
#include "storage/base/keys.hpp"

namespace headway::storage {

/// Messages that a change of one session leaves for other sessions. A part of the Store, with the
/// same thread, transactions and errors. A message is an event that the receiving session handles
/// in a later turn.
class Inbox {
public:
    virtual ~Inbox() = default;

    /// Leaves `event` for the session `to`.
    virtual core::Result<> post(SessionKey to, const core::Event& event) = 0;
    /// Returns and removes the messages of a session, oldest first; skips damaged ones.
    virtual core::Result<std::vector<core::Event>> take(SessionKey to) = 0;
    /// Sessions with messages.
    virtual core::Result<std::vector<SessionKey>> receivers() = 0;
};

}  // namespace headway::storage
