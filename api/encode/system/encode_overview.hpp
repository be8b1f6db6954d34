// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/encode/encode.hpp"
#include "core/approvals/approvals.hpp"
#include "core/values/verdict.hpp"

// Summary of many sessions for a dashboard, as JSON text. Functions change only arguments; shapes
// as in API.md.

namespace headway::api {

/// A session as one row of a table: about a tenth of the size of its document. `adapter` is null if
/// the session has no hooks.
void append_row(std::string& out, const core::Session& session, const ReadingTime& time,
                const Adapter* adapter = nullptr);

enum class NeedKind : std::uint8_t {
    kApproval,
    kQuestion,
    kStuck,
    kBlocked,
    kSilent,
    kOverBudget,
    kAlarm,
    kWaiting,  ///< the agent has long been waiting for something external that does not change
               ///< (Judgement::needs_somebody)
    kFanOut,   ///< an alarm about too many sub-agents
};

/// A matter that waits for a person.
struct Need {
    NeedKind kind = NeedKind::kStuck;
    std::string session;
    std::string goal;
    core::Timestamp since = core::kNever;
    std::string reason;
    bool certain = false;        ///< the matter was reported or counted, not inferred by a rule
    std::uint64_t approval = 0;  ///< number of the approval; 0 = none
    core::Risk risk = core::Risk::kUnknown;
    core::EstimatePtr estimate;                    ///< the session's newest estimate, or null
    std::optional<core::ApprovalAlarmKind> alarm;  ///< with kAlarm: the alarm's kind
    /// With kAlarm: whether the alarm contradicts a person's decision.
    bool against_person = false;
    std::uint64_t up_to = 0;                  ///< with kAlarm: event of the session's newest alarm
    core::Cause cause = core::Cause::kNone;   ///< with kBlocked: the cause of the block
    core::Timestamp retry_at = core::kNever;  ///< with kBlocked: when the provider accepts requests
                                              ///< again, according to the provider
};

/// "approval", "stuck" and so on.
std::string_view name_of(NeedKind kind);
/// The need of a pending approval.
Need need_of(std::string_view session, const core::Approval& approval);
/// The need of an open session whose verdict requires attention or, with `over_budget`, whose
/// budget is at the level `critical` or beyond.
Need need_of(const core::Session& session, core::Timestamp since, bool over_budget,
             const ReadingTime& time);
/// The need of a session whose alarm a person should check and acknowledge.
Need need_of_alarm(const core::Session& session);
void append_need(std::string& out, const Need& need);
/// The session's goal on one line, for people.
std::string goal_line(const core::SessionState& state);

struct Overview {
    using Counts = std::array<std::uint64_t, core::kVerdictCount>;
    /// The counts at the end of each of the last minutes, oldest first.
    struct Past {
        core::Timestamp until{};
        std::vector<Counts> minutes;
    };

    std::int64_t cursor = 0;  ///< cursor of the stream of all sessions
    Counts counts{};          ///< open sessions by verdict
    std::optional<Past> past;
    std::optional<core::ApprovalAlarmKind> alarm;  ///< the most urgent alarm of all sessions
    std::uint64_t alarms = 0;                      ///< sessions with an alarm, including ended ones
    std::vector<Need> needs;  ///< most urgent first; equally urgent ones oldest first
    std::uint64_t needs_total = 0;
    std::uint64_t approvals_pending = 0;  ///< pending approvals and questions of all sessions
    /// Number of open sessions whose agents send hooks, by core::ChannelHealth.
    std::array<std::uint64_t, core::EnumNames<core::ChannelHealth>::kNames.size()> channels{};
};
void append_overview(std::string& out, const Overview& overview);

}  // namespace headway::api
