// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "storage/base/keys.hpp"

namespace headway::storage {

/// A status check of any session, from the index.
struct StoredCheck {
    std::string id;
    SessionKey session = 0;
    std::string session_id;
    Cursor asked = 0;  ///< cursor of its check.requested event
    Cursor done = 0;   ///< cursor of its check.completed event, or of the session's end; 0 = in
                       ///< flight
    /// The check was found by its id alone, and other sessions have also used this id.
    bool shared = false;
};

/// The status checks of all sessions: a part of the Store, with the same thread, transactions and
/// errors.
class CheckTable {
public:
    virtual ~CheckTable() = default;

    /// Adds a check, which becomes the newest one with this id in all sessions. The caller ensures
    /// that the id is unique within its session.
    virtual core::Result<> add_check(std::string_view id, SessionKey key, Cursor asked) = 0;
    /// Ends the session's check in flight with this id. `done` is the cursor of the ending event.
    virtual core::Result<> finish_check(std::string_view id, SessionKey key, Cursor done) = 0;
    /// Called when a session ends: finishes all its checks in flight.
    virtual core::Result<> finish_checks(SessionKey key, Cursor done) = 0;
    /// The newest check with this id, of any session.
    virtual core::Result<std::optional<StoredCheck>> find_check(std::string_view id) = 0;
    virtual core::Result<std::optional<StoredCheck>> find_check(std::string_view id,
                                                                SessionKey key) = 0;
    /// Checks in flight, oldest first.
    virtual core::Result<std::vector<StoredCheck>> pending_checks(std::size_t limit) = 0;
};

}  // namespace headway::storage
