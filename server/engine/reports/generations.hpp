// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/events/session_payloads.hpp"
#include "server/engine/commands/carry_over.hpp"
#include "server/engine/transaction/transaction.hpp"

// Generations: if an agent resumes an ended session `<id>`, a new session `<id>~2` is opened, then
// `<id>~3` and so on. An ended session stays ended.

namespace headway::server {

/// Opens a session that only reports have named; a prompt may give its goal later. The daemon
/// chooses `about`. `before` is the previous generation, or null; with Takes::kAll, its rules are
/// added to `about` (take_rules()).
core::Result<> open_implicitly(Transaction& transaction, const std::string& session,
                               core::SessionStarted about, const Resident* before,
                               Takes takes = Takes::kAll);

}  // namespace headway::server
