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

// Summary of many sessions for a dashboard, as JSON text. Pure; the shapes are those of API.md.

namespace headway::api {

/// A session as one row of a table, about a tenth of the size of its document. `adapter`: null
/// without hooks.
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
    kWaiting,  ///< what it waits for does not move: Judgement::needs_somebody
    kFanOut,   ///< an alarm about too many sub-agents
};

/// Something that waits for a person.
struct Need {
    NeedKind kind = NeedKind::kStuck;
    std::string session;
    std::string goal;
    core::Timestamp since = core::kNever;
    std::string reason;
    bool certain = false;        ///< reported or counted, not inferred by a rule
    std::uint64_t approval = 0;  ///< its number; 0 = none
    core::Risk risk = core::Risk::kUnknown;
    core::EstimatePtr estimate;                    ///< of the session, or null
    std::optional<core::ApprovalAlarmKind> alarm;  ///< of kAlarm
    core::Cause cause = core::Cause::kNone;        ///< of kBlocked
    core::Timestamp retry_at = core::kNever;       ///< for kBlocked: as the provider reported it
};

/// "approval", "stuck" and so on.
std::string_view name_of(NeedKind kind);
/// The need of a pending approval.
Need need_of(std::string_view session, const core::Approval& approval);
/// The need of an open session with a verdict that wants attention, or with little left of its
/// budget.
Need need_of(const core::Session& session, core::Timestamp since, bool over_budget,
             const ReadingTime& time);
/// The need of a session with an alarm: a person looks, and acknowledges.
Need need_of_alarm(const core::Session& session);
void append_need(std::string& out, const Need& need);
/// The goal as people see it where there is room for a line.
std::string goal_line(const core::SessionState& state);

struct Overview {
    using Counts = std::array<std::uint64_t, core::kVerdictCount>;
    /// Counts at the end of each of the last minutes, the oldest first.
    struct Past {
        core::Timestamp until{};
        std::vector<Counts> minutes;
    };

    std::int64_t cursor = 0;  ///< of the stream of all sessions
    Counts counts{};          ///< of open sessions
    std::optional<Past> past;
    std::optional<core::ApprovalAlarmKind> alarm;  ///< the most urgent of all sessions
    std::uint64_t alarms = 0;                      ///< sessions with one, ended ones too
    std::vector<Need> needs;                       ///< the most urgent, then the oldest, first
    std::uint64_t needs_total = 0;
    std::uint64_t approvals_pending = 0;  ///< of all sessions, questions too
    /// Open sessions whose agents send hooks, by core::ChannelHealth.
    std::array<std::uint64_t, core::EnumNames<core::ChannelHealth>::kNames.size()> channels{};
};
void append_overview(std::string& out, const Overview& overview);

}  // namespace headway::api
