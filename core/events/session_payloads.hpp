// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.hpp"
#include "core/events/budget_payloads.hpp"
#include "core/events/event_type.hpp"
#include "core/text/text.hpp"
#include "core/values/policy.hpp"
#include "core/values/tier.hpp"
#include "core/values/verdict.hpp"

// Events about the session itself (api/API.md, "Events"). A std::string has at most
// limits::kStringBytesMax bytes, and empty means absent; Text and Json have bounds of their own.
// fields() is append-only: the position of a field is its number on disk.

namespace headway::core {

struct AgentInfo {
    std::string type;
    std::string name;
    std::string model;
    bool operator==(const AgentInfo&) const = default;
    static constexpr auto fields() {
        return field_list(field("type", &AgentInfo::type), field("name", &AgentInfo::name),
                          field("model", &AgentInfo::model));
    }
};

struct Label {
    std::string key;
    std::string value;
    bool operator==(const Label&) const = default;
    static constexpr auto fields() {
        return field_list(field("key", &Label::key), field("value", &Label::value));
    }
};

/// Policy fields that an opening may override; absent = the daemon's default.
struct PolicyOverride {
    std::optional<Profile> profile;
    std::optional<std::uint64_t> heartbeat_interval_ms;
    std::optional<std::uint64_t> heartbeat_limit;
    std::optional<bool> loop_detection;
    std::optional<bool> judge;
    std::optional<OnStuck> on_stuck;
    std::optional<std::uint64_t> max_iterations;
    std::optional<std::uint64_t> max_tool_failures;
    std::optional<double> min_confidence;
    std::optional<std::uint64_t> max_parse_failures;
    std::optional<std::uint64_t> tool_time_limit_ms;
    std::vector<ToolPolicy> tools;
    std::vector<DetectorPolicy> detectors;
    std::optional<LegacyTimeouts> legacy;  ///< set by the daemon
    std::optional<bool> trust_origin;
    std::optional<std::uint64_t> low_confidence_attempts;
    std::optional<std::uint64_t> stats_every;
    std::optional<ConfirmStop> confirm_stop;
    std::optional<std::uint32_t> wait_polls;
    std::optional<std::uint32_t> wait_patience_ms;  ///< at most a week
    std::optional<bool> risk;                       ///< removed; keeps the place in stored events
    std::optional<bool> trust_user;
    bool operator==(const PolicyOverride&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("profile", &PolicyOverride::profile),
            field("heartbeat_interval_ms", &PolicyOverride::heartbeat_interval_ms),
            field("heartbeat_limit", &PolicyOverride::heartbeat_limit),
            field("loop_detection", &PolicyOverride::loop_detection),
            field("on_stuck", &PolicyOverride::on_stuck),
            field("max_iterations", &PolicyOverride::max_iterations),
            field("max_tool_failures", &PolicyOverride::max_tool_failures),
            field("min_confidence", &PolicyOverride::min_confidence),
            field("tools", &PolicyOverride::tools), field("detectors", &PolicyOverride::detectors),
            field("max_parse_failures", &PolicyOverride::max_parse_failures),
            field("tool_time_limit_ms", &PolicyOverride::tool_time_limit_ms),
            internal("legacy", &PolicyOverride::legacy), field("judge", &PolicyOverride::judge),
            field("trust_origin", &PolicyOverride::trust_origin),
            field("low_confidence_attempts", &PolicyOverride::low_confidence_attempts),
            field("stats_every", &PolicyOverride::stats_every),
            field("confirm_stop", &PolicyOverride::confirm_stop),
            field("wait_polls", &PolicyOverride::wait_polls),
            field("wait_patience_ms", &PolicyOverride::wait_patience_ms),
            internal("risk", &PolicyOverride::risk),
            field("trust_user", &PolicyOverride::trust_user));
    }
};

/// Difficulty of the task, as given by the opening. Values are stored: append only.
enum class Complexity : std::uint8_t { kLow, kMedium, kHigh };
template <>
struct EnumNames<Complexity> {
    static constexpr std::array<std::string_view, 3> kNames{"low", "medium", "high"};
};

/// The opening of a session. `policy` has the effective values, so that a replay does not depend on
/// today's configuration.
struct SessionStarted {
    static constexpr EventType kType = EventType::kSessionStarted;
    Text goal;
    AgentInfo agent;
    std::string parent;
    std::vector<Label> labels;
    PolicyOverride policy;
    bool implicit = false;  ///< a report with an unknown session id opened the session
    BudgetLimits budget;
    BudgetRules budget_rules;
    /// Policy fields that were below the operator's floor and were raised to it.
    std::vector<std::string> raised;
    BudgetSource budget_source = BudgetSource::kNone;
    std::optional<Complexity> complexity;
    /// Number of ended sessions from which limits of `budget` were suggested; absent without a
    /// suggestion.
    std::optional<std::uint64_t> suggested_from;
    /// True if the session is a recording: its events keep their own times, and no deadline
    /// applies.
    bool recorded = false;
    /// Set by Headway: the adapter whose hook opened the session, and those of the generation
    /// before.
    std::vector<std::string> adapters;
    bool by_operator = false;  ///< set by Headway: the caller had the scope `control`
    bool operator==(const SessionStarted&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("goal", &SessionStarted::goal), field("agent", &SessionStarted::agent),
            field("parent", &SessionStarted::parent), field("labels", &SessionStarted::labels),
            field("policy", &SessionStarted::policy), field("implicit", &SessionStarted::implicit),
            field("budget", &SessionStarted::budget),
            internal("budget_rules", &SessionStarted::budget_rules),
            field("raised", &SessionStarted::raised),
            field("budget_source", &SessionStarted::budget_source),
            field("complexity", &SessionStarted::complexity),
            field("suggested_from", &SessionStarted::suggested_from),
            field("recorded", &SessionStarted::recorded),
            internal("adapters", &SessionStarted::adapters),
            internal("by_operator", &SessionStarted::by_operator));
    }
};

/// A session that a report had opened implicitly has received its opening. The event has the
/// complete opening, in force from here on.
struct SessionAmended {
    static constexpr EventType kType = EventType::kSessionAmended;
    Text goal;
    AgentInfo agent;
    std::string parent;
    std::vector<Label> labels;
    PolicyOverride policy;
    BudgetLimits budget;
    std::vector<std::string> raised;
    std::optional<Complexity> complexity;
    std::optional<std::uint64_t> suggested_from;  ///< as in SessionStarted
    bool by_operator = false;                     ///< as in SessionStarted
    bool operator==(const SessionAmended&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("goal", &SessionAmended::goal), field("agent", &SessionAmended::agent),
            field("parent", &SessionAmended::parent), field("labels", &SessionAmended::labels),
            field("policy", &SessionAmended::policy), field("budget", &SessionAmended::budget),
            field("raised", &SessionAmended::raised),
            field("complexity", &SessionAmended::complexity),
            field("suggested_from", &SessionAmended::suggested_from),
            internal("by_operator", &SessionAmended::by_operator));
    }
};

struct VerdictChanged {
    static constexpr EventType kType = EventType::kVerdictChanged;
    Verdict from = Verdict::kStarting;
    Verdict to = Verdict::kStarting;
    std::string reason;
    std::string detector;
    std::vector<std::uint64_t> evidence;
    std::vector<std::string> detectors;  ///< all detectors that claimed something, `detector` first
    double confidence = 0;               ///< confidence in `suspect` or a worse verdict, 0 to 1
    std::string loop;                    ///< 16 hexadecimal digits, or empty
    Tier tier = Tier::kNone;             ///< tier of the event that caused the change
    bool needs_somebody = false;         ///< as Judgement::needs_somebody
    Cause cause = Cause::kNone;          ///< as Judgement::cause
    Timestamp retry_at = kNever;         ///< as Judgement::retry_at
    bool operator==(const VerdictChanged&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("from", &VerdictChanged::from), field("to", &VerdictChanged::to),
            field("reason", &VerdictChanged::reason), field("detector", &VerdictChanged::detector),
            field("evidence", &VerdictChanged::evidence),
            field("detectors", &VerdictChanged::detectors),
            field("confidence", &VerdictChanged::confidence), field("loop", &VerdictChanged::loop),
            field("tier", &VerdictChanged::tier),
            field("needs_somebody", &VerdictChanged::needs_somebody),
            field("cause", &VerdictChanged::cause), field("retry_at", &VerdictChanged::retry_at));
    }
};

struct DirectiveIssued {
    static constexpr EventType kType = EventType::kDirectiveIssued;
    std::string id;
    DirectiveKind kind = DirectiveKind::kContinue;
    std::string reason;
    std::vector<std::uint64_t> evidence;
    std::string loop;        ///< the loop that the directive is about, or empty
    std::uint64_t step = 0;  ///< recovery step, from 1; 0 = none
    std::string by;          ///< the person who issued the directive; empty = Headway
    /// The budget level that the directive reports. Nominal only with `from`, if the budget of that
    /// session has room again.
    std::optional<BudgetLevel> budget;
    bool unasked = false;  ///< the directive is about a budget, and no reply has carried it yet;
                           ///< the next reply will
    std::string from;      ///< session that owns the budget, if that is another session
    bool rejects = false;  ///< a person's rejection caused the directive
    // The call that a person rejected in a descendant session; empty = none.
    std::string tool;
    std::string args_digest;
    bool operator==(const DirectiveIssued&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("id", &DirectiveIssued::id), field("kind", &DirectiveIssued::kind),
            field("reason", &DirectiveIssued::reason),
            field("evidence", &DirectiveIssued::evidence), field("loop", &DirectiveIssued::loop),
            field("step", &DirectiveIssued::step), field("by", &DirectiveIssued::by),
            field("budget", &DirectiveIssued::budget),
            internal("unasked", &DirectiveIssued::unasked), field("from", &DirectiveIssued::from),
            field("rejects", &DirectiveIssued::rejects), field("tool", &DirectiveIssued::tool),
            field("args_digest", &DirectiveIssued::args_digest));
    }
};

/// The reply to a hook has shown a directive to the model. Whether the agent agrees is not known:
/// the directive is not repeated, and no count is reset.
struct DirectiveDelivered {
    static constexpr EventType kType = EventType::kDirectiveDelivered;
    std::string id;
    bool operator==(const DirectiveDelivered&) const = default;
    static constexpr auto fields() { return field_list(required("id", &DirectiveDelivered::id)); }
};

struct DirectiveAcknowledged {
    static constexpr EventType kType = EventType::kDirectiveAcknowledged;
    std::string id;
    /// Set by Headway: the reply to the hook of the approved call let the call run.
    bool let_go = false;
    /// Set by Headway: `id` is that of an approval of another session.
    bool of_other = false;
    bool operator==(const DirectiveAcknowledged&) const = default;
    static constexpr auto fields() {
        return field_list(required("id", &DirectiveAcknowledged::id),
                          internal("let_go", &DirectiveAcknowledged::let_go),
                          internal("of_other", &DirectiveAcknowledged::of_other));
    }
};

/// Statistics since the last such event, written after every Policy::stats_every tool calls.
struct ProgressStats {
    static constexpr EventType kType = EventType::kProgressStats;
    std::uint64_t tool_calls = 0;  ///< number of calls in the session so far
    std::uint64_t successes = 0;   ///< successful calls since the last such event
    std::uint64_t failures = 0;
    std::uint64_t files_modified = 0;  ///< number of changed files in the session so far
    bool operator==(const ProgressStats&) const = default;
    static constexpr auto fields() {
        return field_list(required("tool_calls", &ProgressStats::tool_calls),
                          required("successes", &ProgressStats::successes),
                          required("failures", &ProgressStats::failures),
                          required("files_modified", &ProgressStats::files_modified));
    }
};

struct CancelRequested {
    static constexpr EventType kType = EventType::kCancelRequested;
    std::string reason;
    bool operator==(const CancelRequested&) const = default;
    static constexpr auto fields() { return field_list(field("reason", &CancelRequested::reason)); }
};

struct SessionEnded {
    static constexpr EventType kType = EventType::kSessionEnded;
    Outcome outcome = Outcome::kCompleted;
    Text reason;
    Json result;
    bool automatic = false;  ///< ended by Headway, because of a failure condition or a policy
    std::string code;        ///< reason code if Headway ended it
    bool operator==(const SessionEnded&) const = default;
    static constexpr auto fields() {
        return field_list(
            required("outcome", &SessionEnded::outcome), field("reason", &SessionEnded::reason),
            field("result", &SessionEnded::result), field("automatic", &SessionEnded::automatic),
            field("code", &SessionEnded::code));
    }
};

}  // namespace headway::core
