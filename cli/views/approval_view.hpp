// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "cli/views/session_view.hpp"

// Output of `headway approvals`, `budget` and `compare`. Pure.

namespace headway::cli {

class Json;

/// The requests of the inbox as blocks of lines, the oldest first: id, request, agent, start and
/// deadline, and the exact arguments.
std::string approvals_text(const Json& approvals, WallTime now, bool color);

/// A decided request in one line.
std::string decision_text(const Json& approval);
/// A line about an answer that is none of the request's options, since it may be a slip; else
/// empty.
std::string answer_note(const Json& approval);

/// The budget document: the block that the model reads, and the time used on each clock.
std::string budget_text(const Json& budget);

/// Effects that the old timers would have had on a session, or on all sessions (`totals`).
std::string comparison_text(const Json& comparison);
std::string timeout_totals_text(const Json& totals);

}  // namespace headway::cli
