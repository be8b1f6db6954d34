// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/catalogue/sequence.hpp"

// Expectations of the catalogue's rows, checked at every point of a session's history.

namespace headway::tests::catalogue {

/// Each way of reporting in turn: the rest of the test runs once per way.
Hook each_hook();

/// Never suspected; progressing or exploring at the end.
void expect_progress(const Agent& agent);
/// A suspicion is allowed, `stuck` is not.
void expect_never_stuck(const Agent& agent);
/// Waiting or slow now, and never suspected.
void expect_waiting(const Agent& agent);
/// Slow now, and never suspected.
void expect_slow(const Agent& agent);
/// Blocked now, and never stuck.
void expect_blocked(const Agent& agent);
/// Never suspected, and has not failed.
void expect_idle(const Agent& agent);
/// Stuck from some point until the end.
void expect_stuck(const Agent& agent);
void expect_stuck_or_blocked(const Agent& agent);
/// Sequences that rules cannot tell from work for sure: suspect at the end, never more.
void expect_suspect(const Agent& agent);

}  // namespace headway::tests::catalogue
