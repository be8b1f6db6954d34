// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/wait/below.hpp"

// Result of a wait, as the JUnit XML that CI services show.

namespace headway::cli {

class Json;

/// One session that was waited for.
struct JunitCase {
    std::string session;
    bool skipped = false;  ///< the wait ended because of another session
    /// Why the case failed: a verdict, `needs_person` (a sub-agent does), `never_opened`,
    /// `timeout`, `no_answer`, `no_verdict`; empty: success. This and the following are escaped
    /// by clean_line(), which has to be done once.
    std::string failure;
    std::string message;             ///< the reason for the session's verdict
    std::vector<std::string> lines;  ///< the session's last events, one per line
};

/// One case for each of `sessions`, in the same order. The results follow from the last reply of
/// /wait (null: no reply came), the exit code of the wait, and the lines about sub-agents that
/// need a person. Pure.
std::vector<JunitCase> junit_cases(const Json& reply, const std::vector<std::string>& sessions,
                                   int exit_code, const NeedsBelow& needs = {});

/// One suite `headway wait`, with one case per session, without characters that XML 1.0 forbids.
/// Pure.
std::string junit_report(std::span<const JunitCase> cases, std::chrono::milliseconds waited);

}  // namespace headway::cli
