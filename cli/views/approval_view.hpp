// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "cli/views/session_view.hpp"

// Output of `headway approvals`, `budget` and `compare`. Pure.

namespace headway::cli {

class Json;

/// The requests of the inbox, the oldest first, each as a block of lines: id, request, agent, start
/// and deadline, and the exact arguments.
std::string approvals_text(const Json& approvals, WallTime now, bool color);

/// A decided request in one line.
std::string decision_text(const Json& approval);
/// How many identical requests were decided too, and how many still wait, in one line.
std::string identical_text(const Json& decided);
/// A warning line if the answer is not one of the request's options, since the person may have
/// mistyped it; else empty.
std::string answer_note(const Json& approval);

/// The budget document: the block that the model reads, and the time used on each clock.
std::string budget_text(const Json& budget);

/// The effects that fixed timers (core::LegacyTimeouts) would have had on one session, and on all
/// sessions (`totals`).
std::string comparison_text(const Json& comparison);
std::string timeout_totals_text(const Json& totals);

}  // namespace headway::cli
