// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/budgets/day_budget.hpp"
#include "core/meters/budget_settings.hpp"
#include "core/meters/prices.hpp"
#include "core/outbound/webhooks.hpp"
#include "core/policies/policy_floor.hpp"
#include "core/redaction/capture.hpp"
#include "core/session/session.hpp"
#include "core/values/policy.hpp"
#include "server/outbound/judge/judge_messages.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// The part of the configuration that a reload replaces.
struct ReloadableSettings {
    core::Policy policy;  ///< defaults of new sessions
    core::ApprovalRules approvals;
    core::Millis retention{0};      ///< how long ended sessions are kept; 0 = without limit
    core::BudgetSettings budget{};  ///< budgets of new sessions; no limits by default
    core::PolicyFloor floor{};      ///< floor for sessions that agents open
    core::CaptureRules capture{};   ///< agents whose texts are not stored
    core::FanOutRules fan_out{};    ///< limits of sub-agents, for every session
    core::Prices prices{};          ///< prices for costs that agents do not report
    core::DayBudget day{};          ///< caps for all sessions of a day together; none by default
};

struct EngineSettings : ReloadableSettings {
    std::size_t resident_max = 100'000;
    core::JudgeRules judge = {};               ///< without a `primary`, no judge is asked
    std::function<void()> feed_watchdog = {};  ///< called while commits succeed; must not block
    std::chrono::microseconds feed_every{0};
    core::WebhookRules webhooks = {};  ///< without an endpoint no message is sent
    std::uint64_t resident_bytes =
        512U << 20;  ///< approximate maximum for the sessions in memory; 0 = unlimited
    std::optional<core::Millis> digest_at =
        {};  ///< when the digest is sent, in local time after midnight; empty: never
    core::Millis digest_span = std::chrono::hours{12};
    core::Millis clock_confirm{300'000};  ///< a step of the wall clock is adopted after this time
    /// When the I/O thread was last in its event loop (LoopPulse); if not set, the current time is
    /// used.
    std::function<Clock::Steady::time_point()> reader_seen = {};
};

/// Logs a failure or a recovery.
using EngineReport = std::function<void(bool is_error, const std::string& line)>;

/// Functions to reach the judges; they must not block.
struct JudgeLink {
    std::function<void(JudgeJob)> ask;  ///< each call is followed by one JudgedCommand
    std::function<void(const std::string& session)> cancel;  ///< cancels open questions
};

}  // namespace headway::server
