// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "api/encode/encode_checks.hpp"
#include "core/approvals/access.hpp"
#include "core/judgement/estimate_scores.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/outbound/judge/judge_messages.hpp"

// Status checks and estimates of progress.

namespace headway::server {

/// The result of a command that no client waits for.
struct Unanswered {};

struct CheckShown {
    api::CheckDocument document;
    bool created = false;  ///< this command created the check
};

/// A check, for a client that may wait for its end.
struct CheckPolled {
    api::CheckDocument document;
};

/// Asks a judge for the status of a session.
struct CheckCommand {
    std::string session;
    std::string check_id;  ///< id of the check; empty: Headway chooses one
    std::string by;

    static constexpr bool kFillsDisk = true;
    core::Result<> name(Reader&, SessionNames& names) const { return name_one(names, session); }
    core::Result<CheckShown> operator()(Transaction& transaction);
};

/// Stores a judge's answer; gets no reply.
struct JudgedCommand {
    JudgeReply reply;
    std::string session = {};  ///< session of the question, set by name()

    static bool delivered() { return true; }
    core::Result<> name(Reader& reader, SessionNames& names);
    core::Result<Unanswered> operator()(Transaction& transaction);
};

struct CheckQuery {
    std::string id;
    std::string session;  ///< id of the session; empty: finds the newest check with this id
    core::Grants grants;  ///< grants of the caller, checked once the check's session is known

    core::Result<CheckPolled> operator()(Reader& reader) const;
};

/// The accuracy of progress estimates.
struct EstimateAnalytics {
    std::vector<core::EstimateSummary> summaries;
};
struct EstimatesQuery {
    core::Result<EstimateAnalytics> operator()(Reader& reader) const;
};

}  // namespace headway::server
