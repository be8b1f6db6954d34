// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/events/session_payloads.hpp"
#include "server/engine/commands/carry_over.hpp"
#include "server/engine/transaction/transaction.hpp"

// Sessions that agents resume after their end: `<id>`, `<id>~2`, `<id>~3` and so on. One that has
// ended stays ended.

namespace headway::server {

/// Whether a report begins the next generation of a session that has ended.
enum class Begins : std::uint8_t {
    kNever,   ///< it comes late
    kByCall,  ///< an agent at work: unless it was stopped
    kAnew,    ///< a person, or a new process
};

/// The newest generation: the first that is open or unknown, or the last that has ended.
core::Result<std::string> in_force(Reader& reader, const std::string& session, Begins begins);

/// The generation of `session` behind `now`, which is one; `now` itself if it is the last.
std::string next_generation(const std::string& session, const std::string& now);

/// Opens a session that reports alone have named. A prompt may say later what it is for. `about` is
/// the daemon's own choice; to it comes what was set for the generation `before`, unless that is
/// null.
core::Result<> open_implicitly(Transaction& transaction, const std::string& session,
                               core::SessionStarted about, const Resident* before,
                               Takes takes = Takes::kAll);

}  // namespace headway::server
