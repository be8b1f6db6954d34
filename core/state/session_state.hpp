// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/approvals/approvals.hpp"
#include "core/base/cow_box.hpp"
#include "core/base/lazy_optional.hpp"
#include "core/detection/ledger.hpp"
#include "core/detectors/detectors.hpp"
#include "core/events/event.hpp"
#include "core/events/session_payloads.hpp"
#include "core/meters/budget_meter.hpp"
#include "core/state/checks.hpp"
#include "core/state/estimates.hpp"
#include "core/state/last_action.hpp"
#include "core/values/phase.hpp"
#include "core/values/policy.hpp"
#include "core/values/verdict.hpp"

namespace headway::core {

/// A call that was started and has not finished.
struct OpenCall {
    std::string call_id;
    std::string tool;
    /// Time from which the call may run. Set again when a person decides about the call or resumes
    /// the session.
    Timestamp since = kNever;
    bool operator==(const OpenCall&) const = default;
    static constexpr auto fields() {
        return field_list(field("call_id", &OpenCall::call_id), field("tool", &OpenCall::tool),
                          field("since", &OpenCall::since));
    }
};

/// True for a stop and for a pause: replies carry these until the agent obeys.
inline bool stays_until_obeyed(DirectiveKind kind) {
    return kind == DirectiveKind::kStop || kind == DirectiveKind::kPause;
}

/// A directive to the agent, sent until it is acknowledged. A stop stays in force after that,
/// because the agent's word must not lift it.
struct Directive {
    std::string id;
    DirectiveKind kind = DirectiveKind::kContinue;
    std::string reason;
    bool delivered = false;  ///< the reply to a hook has shown the directive to the model
    bool personal = false;   ///< a person issued the directive
    /// The agent has acknowledged this stop. Other directives are removed when they are
    /// acknowledged.
    bool acknowledged = false;
    /// True if replies still carry the directive.
    bool to_tell() const { return !acknowledged && (!delivered || stays_until_obeyed(kind)); }
    bool operator==(const Directive&) const = default;
    static constexpr auto fields() {
        return field_list(field("id", &Directive::id), field("kind", &Directive::kind),
                          field("reason", &Directive::reason),
                          field("delivered", &Directive::delivered),
                          field("personal", &Directive::personal),
                          field("acknowledged", &Directive::acknowledged));
    }
};

/// A loop about which the agent got advice, and its recovery step.
struct Nudge {
    std::string loop;           ///< Judgement::loop
    std::string directive;      ///< id of the last directive for the loop
    std::uint64_t step = 0;     ///< 1 = advice, 2 = second advice, 3 = a person was asked, 4 = stop
    std::uint32_t round = 0;    ///< Ledger::rounds when `step` was last set
    bool acknowledged = false;  ///< the agent took the advice
    bool operator==(const Nudge&) const = default;
    static constexpr auto fields() {
        return field_list(field("loop", &Nudge::loop), field("directive", &Nudge::directive),
                          field("step", &Nudge::step), field("round", &Nudge::round),
                          field("acknowledged", &Nudge::acknowledged));
    }
};

/// The agent claims that its task is complete, and nothing since contradicts it.
struct Claim {
    std::uint64_t n = 0;      ///< event of the reflection that made the claim; 0 = no claim
    std::uint64_t calls = 0;  ///< SessionState::tool_calls at that event
    std::uint64_t iteration = 0;
    Timestamp at = kNever;  ///< time of the claim, or of the agent's last report after it
    bool operator==(const Claim&) const = default;
    static constexpr auto fields() {
        return field_list(field("n", &Claim::n), field("calls", &Claim::calls),
                          field("iteration", &Claim::iteration), field("at", &Claim::at));
    }
};

/// The calls of one round: identical calls count once (docs/detection.md, section 3).
struct RoundOfCalls {
    std::optional<std::uint64_t> number;  ///< the client's number
    bool finished = false;  ///< a call of the round has finished: the next start opens a new round
    std::vector<std::uint64_t> questions;  ///< digests of the different calls, at most
                                           ///< limits::kRoundQuestionsMax
    std::uint32_t calls = 0;   ///< number of finished calls, at most limits::kRoundCallsMax
    std::uint32_t echoes = 0;  ///< number of duplicates among these calls, at most
                               ///< limits::kRoundEchoesMax
    bool operator==(const RoundOfCalls&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("number", &RoundOfCalls::number), field("finished", &RoundOfCalls::finished),
            field("questions", &RoundOfCalls::questions), field("calls", &RoundOfCalls::calls),
            field("echoes", &RoundOfCalls::echoes));
    }
};

/// Work that goes on after a turn, as named at the end of that turn.
struct Background {
    std::vector<std::string> tasks;  ///< names, at most limits::kBackgroundTasksMax
    std::uint64_t more = 0;          ///< number of tasks beyond these
    bool operator==(const Background&) const = default;
    static constexpr auto fields() {
        return field_list(field("tasks", &Background::tasks), field("more", &Background::more));
    }
};

/// Digests of changed paths, ascending, so that each path is counted once.
struct SeenPaths {
    std::vector<std::uint32_t> digests;
    bool operator==(const SeenPaths&) const = default;
    static constexpr auto fields() { return field_list(field("digests", &SeenPaths::digests)); }
};

/// The opening in force: SessionStarted with the changes of an amendment.
struct Opening {
    Text goal;
    AgentInfo agent;
    std::string parent;
    std::vector<Label> labels;
    bool implicit = false;
    BudgetSource budget_source = BudgetSource::kNone;
    std::optional<Complexity> complexity;
    BudgetLimits budget;
    CowBox<BudgetRules> budget_rules;  ///< shared by sessions with equal rules
    std::vector<std::string> raised;
    std::optional<std::uint64_t> suggested_from;
    bool recorded = false;
    /// Adapters whose hooks have reported into the session or an earlier generation of it, at most
    /// limits::kAdaptersMax. No client can write this, unlike the label `adapter`.
    std::vector<std::string> adapters;
    bool by_operator = false;  ///< a caller with the scope `control` gave the agent's type
    bool operator==(const Opening&) const = default;
    static constexpr auto fields() {
        using O = Opening;
        return field_list(
            field("goal", &O::goal), field("agent", &O::agent), field("parent", &O::parent),
            field("labels", &O::labels), field("implicit", &O::implicit),
            field("budget", &O::budget), field("budget_rules", &O::budget_rules),
            field("raised", &O::raised), field("budget_source", &O::budget_source),
            field("complexity", &O::complexity), field("suggested_from", &O::suggested_from),
            field("recorded", &O::recorded), field("adapters", &O::adapters),
            field("by_operator", &O::by_operator));
    }
};

/// Usage of a session when it became suspect or stuck; the usage since then is charged to the loop.
struct LoopStart {
    Timestamp at = kNever;
    std::uint64_t n = 0;
    std::uint64_t calls = 0;
    std::uint64_t tokens = 0;
    std::uint64_t cost_micros = 0;
    bool operator==(const LoopStart&) const = default;
    static constexpr auto fields() {
        using L = LoopStart;
        return field_list(field("at", &L::at), field("n", &L::n), field("calls", &L::calls),
                          field("tokens", &L::tokens), field("cost_micros", &L::cost_micros));
    }
};

/// Everything known about a session. It is made only by folding the session's events. Its size is
/// bounded, however long the session is. A snapshot is this struct, written field by field. Raise
/// kSnapshotVersion if the meaning of any field changes.
struct SessionState {
    std::uint64_t n = 0;  ///< number of the last event; 0 = none yet
    Timestamp opened_at = kNever;
    Timestamp ended_at = kNever;
    /// Time of the agent's last event; each of its events counts as a beat.
    Timestamp last_beat_at = kNever;
    Timestamp last_change_at = kNever;
    std::uint64_t last_change_n = 0;
    std::uint64_t heartbeats = 0;
    std::uint64_t state_changes = 0;
    std::uint64_t work_moves = 0;  ///< heartbeats whose in-flight counter changed
    std::uint64_t tool_calls = 0;
    std::uint64_t tool_failures = 0;
    std::uint32_t other_words = 0;  ///< counted messages, except those of the agent and of the
                                    ///< operator
    std::uint32_t hook_calls = 0;   ///< calls that were ignored because an agent's hooks made them
    Millis asked_interval{0};       ///< the last heartbeat interval requested from the agent
    std::string phase;
    std::optional<std::uint64_t> iteration;
    std::optional<InFlightBeat> in_flight_beat;  ///< work in flight, from the last heartbeat
    std::optional<Resources> resources;
    std::vector<OpenCall> open_calls;  ///< calls in flight, at most limits::kInFlightMax
    std::vector<Directive> directives;
    std::string end_reason;  ///< reported reason, cut to limits::kStringBytesMax
    LazyOptional<Json> result;
    CowBox<Judgement> judgement;  ///< shared with views
    /// For each verdict, the event that last reached it; 0 = never. A wait for a past verdict can
    /// thus be answered in constant space.
    std::vector<std::uint64_t> reached = std::vector<std::uint64_t>(kVerdictCount, 0);
    Tier last_tier = Tier::kNone;  ///< tier of the last event
    bool cancel_requested = false;
    /// A person rejected a call and stopped the agent. No report from the agent clears this, only a
    /// person's resume.
    bool stopped = false;
    std::optional<AgentState> agent_state;
    std::optional<EventType> last_change;  ///< always a type for which change_name() is not empty
    std::optional<Outcome> outcome;
    FailureKind last_failure_kind = FailureKind::kNone;
    bool paused_for_day = false;  ///< a daily cap has paused the session
    /// Number of calls that finished while a person was asked, since the question or the person's
    /// last answer.
    std::uint32_t calls_while_asked = 0;
    std::uint32_t informed_before = 0;  ///< Ledger::informed_rounds at the last bad verdict
    std::uint32_t unrun_calls = 0;      ///< calls ignored because they were refused or interrupted
    std::uint64_t agent_calls = 0;  ///< calls through Channel::kAgent; telemetry may repeat these
    LazyOptional<Detectors> detectors;  ///< absent until an event concerns a detector
    LazyOptional<Ledger> ledger;        ///< absent until there is something to record
    RoundOfCalls round;
    std::vector<std::uint64_t> recent_call_ids;  ///< ids of finished calls, to recognise replays
    std::vector<Nudge> nudges;                   ///< loops with advice, at most limits::kNudgesMax
    /// The current phase; outside of a phase its name is empty.
    LazyOptional<PhaseRecord> current_phase;
    /// Ended phases, at most limits::kPhasesMax, the newest last.
    std::vector<PhaseRecord> past_phases;
    PhaseTotals phase_totals;
    RecentPhases recent_phases;
    /// Number of changed paths, each counted once: exact up to limits::kPathsSeenMax, which is also
    /// its maximum.
    std::uint64_t files_modified = 0;
    LazyOptional<SeenPaths> paths_seen;  ///< the changed paths that the ledger does not track
    std::uint32_t recent_successes = 0;  ///< successful calls since the last progress.stats
    std::uint32_t recent_failures = 0;
    std::uint32_t attempt = 0;         ///< fencing token: highest attempt seen
    std::uint32_t low_confidence = 0;  ///< consecutive reflections below Policy::min_confidence
    /// The agent's last failure, sanitized for a model: tool, line feed, message. Empty after a
    /// successful call.
    std::string last_failure;
    Claim claim;
    std::vector<LegacyKill> legacy_kills;  ///< kills by the old timers, at most one for each timer
    std::string end_code;                  ///< SessionEnded::code
    LazyOptional<Checks> checks;
    LazyOptional<Estimates> estimates;
    LazyOptional<LastAction> last_action;
    Timestamp paused_at = kNever;  ///< start of a pause by an operator or a daily cap
    Opening about;
    CowBox<Policy> policy;  ///< shared by sessions with an equal policy
    BudgetMeter budget;
    Approvals approvals;
    LazyOptional<Background> background;
    LazyOptional<LoopStart> loop_start;  ///< usage at the start of the loop, while suspect or stuck

    bool ended() const noexcept { return outcome.has_value(); }
    bool paused() const noexcept { return paused_at != kNever; }
    bool call_in_flight() const noexcept {
        return !open_calls.empty() || in_flight_beat.has_value();
    }
    /// True if a person was asked and has not answered: the agent's waiting is not charged.
    bool waits_for_human() const noexcept { return approvals.oldest_pending() != nullptr; }
    /// When the agent last sent a beat or last had to wait: silence is counted from this time.
    Timestamp heard_at() const noexcept {
        return last_beat_at > approvals.waited_until ? last_beat_at : approvals.waited_until;
    }
    bool operator==(const SessionState&) const = default;
    static constexpr auto fields();
};

/// Version of the layout and meaning of SessionState. A snapshot with another version is ignored,
/// and the journal is replayed. The version is a sum of two numbers. Raise the first at any change
/// except a new detector. The second is the number of detectors beyond the first 26: it grows with
/// each new detector, because older snapshots lack the counts of that detector.
inline constexpr std::uint32_t kSnapshotVersion = 14 + (std::uint32_t{kDetectorCount} - 26);

constexpr auto SessionState::fields() {
    using S = SessionState;
    return field_list(
        field("n", &S::n), field("attempt", &S::attempt), field("opened_at", &S::opened_at),
        field("ended_at", &S::ended_at), field("last_beat_at", &S::last_beat_at),
        field("last_change_at", &S::last_change_at), field("last_change", &S::last_change),
        field("last_change_n", &S::last_change_n), field("heartbeats", &S::heartbeats),
        field("state_changes", &S::state_changes), field("work_moves", &S::work_moves),
        field("tool_calls", &S::tool_calls), field("tool_failures", &S::tool_failures),
        field("asked_interval", &S::asked_interval), field("phase", &S::phase),
        field("iteration", &S::iteration), field("agent_state", &S::agent_state),
        field("in_flight_beat", &S::in_flight_beat), field("resources", &S::resources),
        field("open_calls", &S::open_calls), field("directives", &S::directives),
        field("outcome", &S::outcome), field("end_reason", &S::end_reason),
        field("result", &S::result), field("cancel_requested", &S::cancel_requested),
        field("stopped", &S::stopped), field("judgement", &S::judgement),
        field("detectors", &S::detectors), field("about", &S::about), field("policy", &S::policy),
        field("reached", &S::reached), field("informed_before", &S::informed_before),
        field("last_tier", &S::last_tier), field("ledger", &S::ledger), field("round", &S::round),
        field("recent_call_ids", &S::recent_call_ids), field("nudges", &S::nudges),
        field("current_phase", &S::current_phase), field("past_phases", &S::past_phases),
        field("phase_totals", &S::phase_totals), field("files_modified", &S::files_modified),
        field("recent_successes", &S::recent_successes),
        field("recent_failures", &S::recent_failures), field("low_confidence", &S::low_confidence),
        field("paused_at", &S::paused_at), field("paused_for_day", &S::paused_for_day),
        field("last_failure", &S::last_failure), field("legacy_kills", &S::legacy_kills),
        field("end_code", &S::end_code), field("budget", &S::budget),
        field("approvals", &S::approvals), field("checks", &S::checks),
        field("estimates", &S::estimates), field("last_action", &S::last_action),
        field("last_failure_kind", &S::last_failure_kind), field("claim", &S::claim),
        field("recent_phases", &S::recent_phases), field("paths_seen", &S::paths_seen),
        field("calls_while_asked", &S::calls_while_asked), field("hook_calls", &S::hook_calls),
        field("other_words", &S::other_words), field("unrun_calls", &S::unrun_calls),
        field("background", &S::background), field("loop_start", &S::loop_start),
        field("agent_calls", &S::agent_calls));
}

}  // namespace headway::core
