// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "cli/views/session_view.hpp"

// Output of `headway approvals`, `budget` and `compare`. Pure.

namespace headway::cli {

class Json;

/// The requests of the inbox as blocks of lines, the oldest first: id, what is asked, by whom,
/// since when and until when, and the exact arguments.
std::string approvals_text(const Json& approvals, WallTime now, bool color);

/// A decided request in one line.
std::string decision_text(const Json& approval);
/// A line about an answer that is none of the request's options, or nothing: it may be a slip.
std::string answer_note(const Json& approval);

/// The budget document: the block that the model reads, and what has run on which clock.
std::string budget_text(const Json& budget);

/// Effects that the old timers would have had on a session, or on all (`totals`), in sentences.
std::string comparison_text(const Json& comparison);
std::string timeout_totals_text(const Json& totals);

}  // namespace headway::cli
