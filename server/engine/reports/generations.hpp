// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/events/session_payloads.hpp"
#include "server/engine/commands/carry_over.hpp"
#include "server/engine/transaction/transaction.hpp"

// Sessions that agents resume after their end: `<id>`, `<id>~2`, `<id>~3` and so on. An ended
// session stays ended.

namespace headway::server {

/// Whether a report begins the next generation of an ended session.
enum class Begins : std::uint8_t {
    kNever,   ///< the report comes late
    kByCall,  ///< an agent at work, unless the session was stopped
    kAnew,    ///< a person, or a new process
};

/// The newest generation: the first that is open or unknown, or the last that has ended.
core::Result<std::string> in_force(Reader& reader, const std::string& session, Begins begins);

/// The generation of `session` after generation `now`; `now` itself if it is the last allowed.
std::string next_generation(const std::string& session, const std::string& now);

/// Opens a session that only reports have named; a prompt may give its goal later. `about` is the
/// daemon's own choice, to which the settings of the generation `before` are added, unless it is
/// null.
core::Result<> open_implicitly(Transaction& transaction, const std::string& session,
                               core::SessionStarted about, const Resident* before,
                               Takes takes = Takes::kAll);

}  // namespace headway::server
