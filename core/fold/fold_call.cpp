// SPDX-License-Identifier: Apache-2.0
#include "core/fold/fold_call.hpp"

#include <algorithm>
#include <string>

#include "core/base/assert.hpp"
#include "core/calls/answers.hpp"
#include "core/calls/tool_names.hpp"
#include "core/detection/classify.hpp"
#include "core/detection/known_answers.hpp"
#include "core/detectors/cycles/cycle.hpp"
#include "core/fold/fold_pace.hpp"
#include "core/state/person_time.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

/// A status is short. A long output that contains "running" is an answer.
constexpr std::uint64_t kStatusBytesMax = 256;
/// Tables of a scheduler are longer.
constexpr std::uint64_t kPollBytesMax = 4096;
/// A flaky test may run this many times as often.
constexpr std::uint32_t kFlakyPatience = 2;
/// So may one that ran again, as its times show, and is still green: who looks for a flake.
constexpr std::uint32_t kGreenPatience = 2;
/// Hooks of a session's start, before it has calls to compare them with.
constexpr std::uint64_t kHooksFree = 24;
constexpr std::uint64_t kUnrunFree = 12;  ///< a person may reject some calls in a row

void begin_round(SessionState& state, std::optional<std::uint64_t> number) {
    state.ledger.change().begin_round();
    state.round = {};
    state.round.number = number;
}

/// A stream is retried this often. Further finishes with the same id come from a client that reuses
/// ids.
constexpr std::ptrdiff_t kReplaysMax = 3;

static_assert(kReplaysMax < static_cast<std::ptrdiff_t>(limits::kRecentCallIdsMax),
              "as many replays are remembered as are forgiven");
static_assert(limits::kRoundEchoesMax < limits::kRoundCallsMax, "an echo is a call");
static_assert(kPatienceMax * kFlakyPatience * kGreenPatience * Cycle::kStepPatience < UINT32_MAX,
              "patience fits");

/// True for a look right behind a step that moved a machine on: it may not have come there yet.
bool stepped(const Ledger& ledger, const Entry& entry) {
    const CallMark* before = ledger.back(1);
    return entry.known_question && before != nullptr && before->steps && before->n > entry.asked_n;
}

/// True if this finish arrived before, as in a replayed stream: same id, same content.
bool replayed(SessionState& state, const ToolFinished& call, const CallFingerprint& fingerprint) {
    if (call.call_id.empty()) return false;
    const std::uint64_t id = digest_of(call.call_id).low ^ key_of(fingerprint);
    auto& ids = state.recent_call_ids;
    const std::ptrdiff_t before = std::count(ids.begin(), ids.end(), id);
    if (ids.size() == limits::kRecentCallIdsMax) ids.erase(ids.begin());
    ids.push_back(id);
    HEADWAY_ASSERT(ids.size() <= limits::kRecentCallIdsMax);
    return before > 0 && before <= kReplaysMax;
}

bool asked_in_round(RoundOfCalls& round, std::uint64_t question) {
    auto& questions = round.questions;
    if (std::find(questions.begin(), questions.end(), question) != questions.end()) {
        ++round.echoes;
        HEADWAY_ASSERT(round.echoes <= limits::kRoundEchoesMax);
        return true;
    }
    if (questions.size() < limits::kRoundQuestionsMax) questions.push_back(question);
    HEADWAY_ASSERT(questions.size() <= limits::kRoundQuestionsMax);
    return false;
}

/// A tool that waits for something by its name, and does not find it: no time has passed.
bool call_failed_to_wait(const CallFingerprint& fingerprint, const ToolFinished& call) {
    return !call.ok && fingerprint.failure == FailureKind::kNotFound;
}

/// A sleep, a poll of something that runs, or a request that a provider refused (docs/detection.md,
/// section 8).
bool is_neutral(const Ledger& ledger, const CallFingerprint& fingerprint, const ToolFinished& call,
                bool slept) {
    if (fingerprint.kind == CallKind::kSleep) return !call_failed_to_wait(fingerprint, call);
    const bool looks = fingerprint.is(Shape::kLooks) || fingerprint.kind == CallKind::kRead ||
                       looks_at_screen(call.tool);
    const bool polls = fingerprint.kind == CallKind::kPoll;
    // It was busy the last time too, and the agent let time pass.
    if (slept && fingerprint.is(Shape::kBusy)) return true;
    if (!call.ok && !fingerprint.is(Shape::kSilent)) {
        if (fingerprint.running) return true;  // "pending" by its exit status
        // Between two looks for a port that is still closed, the agent let time pass.
        const bool closed = fingerprint.failure == FailureKind::kNetwork;
        return fingerprint.failure == FailureKind::kTransient ||
               (slept && (looks || polls || closed));
    }
    const bool asks = fingerprint.kind == CallKind::kOther || fingerprint.kind == CallKind::kRead;
    if (fingerprint.running && (polls || (asks && fingerprint.result_bytes <= kStatusBytesMax)))
        return true;
    // A poll, or a look between two sleeps, that finds what it found before.
    const bool rests =
        fingerprint.is(Shape::kRests);  // then it asks again, whatever the command is
    // Once a beat, an agent that a timer wakes asks again, too.
    const bool beats =
        (asks || fingerprint.kind == CallKind::kVerify) && woken_before(ledger, fingerprint);
    const bool waits =
        fingerprint.result_bytes <= kPollBytesMax && (polls || rests || beats || (slept && looks));
    return waits && repeats_answer(ledger, fingerprint);
}

/// False for a call that shows neither progress nor the lack of it: a new question that found
/// nothing, an action that another call has to show, or a check that ends a step.
bool tells(const CallEvidence& evidence, const ToolFinished& call) {
    if (evidence.fingerprint.weak() || evidence.entry.confirms) return false;
    if (evidence.entry.hollow || evidence.entry.known_question) return true;
    if (evidence.fingerprint.is(Shape::kSilent) && evidence.fingerprint.is(Shape::kLooks))
        return false;
    return call.ok ? !evidence.fingerprint.trivial
                   : evidence.fingerprint.failure != FailureKind::kNotFound &&
                         !evidence.fingerprint.is(Shape::kAbsent);
}

void take_lane(CallFingerprint& fingerprint, std::uint64_t lane) {
    fingerprint.question.low ^= lane;
    if (fingerprint.deed != 0) fingerprint.deed ^= lane;
}

/// `origin` is the agent's word: a platform that runs more hooks than a third of all calls is none.
bool hook_is_likely(SessionState& state) {
    const std::uint64_t finished = state.tool_calls + 1;  // with this one
    if (3 * (std::uint64_t{state.hook_calls} + 1) > finished + kHooksFree) return false;
    ++state.hook_calls;
    return true;
}

/// True if the call was refused by a person or a policy, or interrupted, by its error class.
bool did_not_run(const ToolFinished& call) {
    if (call.ok || !call.error) return false;
    const std::string name = lower(call.error->error_class);
    return name == "denied" || name == "cancelled";
}

/// The class is the agent's word: where more than a third of all calls do not run, something goes
/// round, and they count like others. A row of refusals with nothing between them is seen by a
/// detector of its own, and none of it is a failure of a tool.
bool unrun_is_likely(SessionState& state, const ToolFinished& call) {
    if (is_refusal(call) && state.detectors->refusals.count > 0) return true;
    const std::uint64_t finished = state.tool_calls + state.unrun_calls + 1;  // with this one
    if (3 * (std::uint64_t{state.unrun_calls} + 1) > finished + kUnrunFree) return false;
    ++state.unrun_calls;
    return true;
}

void join_round(SessionState& state, const ToolFinished& call, bool was_open) {
    const bool numbered_anew = call.round && call.round != state.round.number;
    // No model turn has so many calls: the client does not number its turns.
    const bool full = state.round.calls >= limits::kRoundCallsMax ||
                      state.round.echoes >= limits::kRoundEchoesMax;
    if (numbered_anew || full || (!call.round && !was_open) || state.ledger->rounds == 0) {
        begin_round(state, call.round);
    }
    ++state.round.calls;
    state.round.finished = true;
    HEADWAY_ASSERT(state.round.calls >= 1 && state.round.calls <= limits::kRoundCallsMax);
    HEADWAY_ASSERT(state.round.echoes < limits::kRoundEchoesMax);
}

void count_for_phase(SessionState& state, const ToolFinished& call, const CallEvidence& evidence) {
    ++state.current_phase.change().tool_calls;
    if (!call.ok) ++state.current_phase.change().failures;
    if (evidence.entry.changed_path != 0) {
        ++state.current_phase.change().files_changed;
        ++state.phase_totals.files_changed;
    }
    if (call.ok && evidence.fingerprint.kind == CallKind::kVerify &&
        evidence.fingerprint.failing.value_or(0) == 0) {
        ++state.current_phase.change().tests_passed;
        ++state.phase_totals.tests_passed;
    }
}

/// Counts a changed path once. At kPathsSeenMax the count stays: it never counts one path twice.
void count_path(SessionState& state, std::uint64_t path) {
    auto& seen = state.paths_seen.change().digests;
    const auto digest = static_cast<std::uint32_t>(path ^ (path >> 32));
    const auto place = std::lower_bound(seen.begin(), seen.end(), digest);
    if (place != seen.end() && *place == digest) return;
    if (seen.size() == limits::kPathsSeenMax) return;
    const auto put = seen.insert(place, digest);
    HEADWAY_ASSERT(put == seen.begin() || *std::prev(put) < digest);
    HEADWAY_ASSERT(std::next(put) == seen.end() || digest < *std::next(put));
    HEADWAY_ASSERT(seen.size() <= limits::kPathsSeenMax);
    state.files_modified = seen.size();
}

/// A tool that waits for something by its name, and ends at its own limit: it has not come yet.
bool waited_in_vain(const CallFingerprint& fingerprint, const ToolFinished& call) {
    constexpr std::size_t kLooked = 256;
    if (call.ok || !waits_by_name(call.tool)) return false;
    if (fingerprint.failure == FailureKind::kTimeout) return true;
    const std::string said =
        call.error ? lower(std::string_view{call.error->message.kept}.substr(0, kLooked)) : "";
    return said.find("timed out") != said.npos || said.find("timeout") != said.npos;
}

/// True if no time has passed in the call, whatever its name says. Unknown times are no such thing.
bool returned_at_once(const ToolFinished& call, std::optional<Millis> took) {
    constexpr Millis kAtOnce{1'000};
    if (took) return *took < kAtOnce;
    return call.duration_ms && *call.duration_ms < static_cast<std::uint64_t>(kAtOnce.count());
}

}  // namespace

bool awaits_one_decision(const SessionState& state) {
    const bool asks = std::any_of(state.open_calls.begin(), state.open_calls.end(),
                                  [](const OpenCall& call) { return asks_a_person(call.tool); });
    return !asks && state.approvals.pending() == 1;
}

CallFingerprint plain_fingerprint(const ToolFinished& call) {
    CallFingerprint fingerprint;
    fingerprint.kind = kind_of_call(call.tool, {});
    fingerprint.question =
        digest_of(call.tool + "\n" + call.args.kept + call.args_digest + call.target);
    const std::string outcome = call.result.kept + call.result_digest +
                                (call.error ? call.error->message.kept : std::string{});
    fingerprint.outcome = digest_of(outcome + (call.ok ? "+" : "-"));
    fingerprint.raw_outcome = digest_of(outcome).low;
    fingerprint.trivial = is_trivial(call.result.kept) && call.result_digest.empty();
    fingerprint.result_bytes = call.result.kept.size();
    if (!call.target.empty()) fingerprint.path = digest_of(call.target).low;
    fingerprint.set(Shape::kBlind, is_blind_edit(fingerprint, call));
    if (call.ok) return fingerprint;
    fingerprint.failure =
        call.error ? failure_of_tool_class(call.error->error_class) : FailureKind::kOther;
    fingerprint.typed_failure = fingerprint.failure != FailureKind::kNone && call.error.has_value();
    fingerprint.diagnostic = digest_of(outcome).low;
    return fingerprint;
}

/// True if the call let time pass by itself: a tool that waits for other agents, for an event or
/// for a person (docs/detection.md, section 8). `took` is by our clock; only where that does not
/// know the start counts what the agent says.
bool waited_itself(const ToolFinished& call, std::optional<Millis> took) {
    constexpr Millis kWait{10'000};  // as long as a sleep that counts (command.cpp)
    if (!call.ok || !(waits_by_name(call.tool) || asks_a_person(call.tool))) return false;
    if (took) return *took >= kWait;
    return call.duration_ms.value_or(0) >= static_cast<std::uint64_t>(kWait.count());
}

void begin_call(SessionState& state, const ToolStarted& call) {
    const bool alone = state.open_calls.empty() || state.round.finished;
    const bool numbered_anew = call.round && call.round != state.round.number;
    if (call.round ? numbered_anew : alone) begin_round(state, call.round);
}

CallEvidence enter_call(SessionState& state, const ToolFinished& call, std::uint64_t n,
                        std::optional<Millis> took, bool was_open) {
    CallEvidence evidence;
    evidence.fingerprint = call.fingerprint ? *call.fingerprint : plain_fingerprint(call);
    // Equal calls of several agents, or in several folders, are no repeats.
    if (!call.lane.empty() && (state.policy->trust_origin || call.of_agent))
        take_lane(evidence.fingerprint, digest_of(call.lane).low);
    evidence.replayed = replayed(state, call, evidence.fingerprint);
    if (evidence.replayed) return evidence;  // and no turn of its own
    evidence.unrun = did_not_run(call) && unrun_is_likely(state, call);
    if (evidence.unrun) return evidence;
    join_round(state, call, was_open);
    const ToolPolicy* own = state.policy->tool(call.tool);
    const bool of_hook =
        call.origin == "hook" && state.policy->trust_origin && hook_is_likely(state);
    const bool ignored = of_hook || (own != nullptr && own->ignore);
    if (ignored) return evidence;
    if (asked_in_round(state.round, evidence.fingerprint.question.low)) return evidence;
    evidence.counts = true;
    if (own != nullptr) evidence.patience = std::clamp(own->patience, 1U, kPatienceMax);
    HEADWAY_ASSERT(evidence.patience >= 1 && evidence.patience <= kPatienceMax);
    Ledger& ledger = state.ledger.change();
    if (own != nullptr && own->polls) evidence.fingerprint.kind = CallKind::kPoll;
    evidence.rested = waited_itself(call, took);
    const bool pauses =
        evidence.fingerprint.is(Shape::kPauses) || waited_in_vain(evidence.fingerprint, call);
    const bool waited = evidence.rested || (pauses && !returned_at_once(call, took));
    evidence.slept = slept_before(ledger, evidence.fingerprint) || waited ||
                     paused_before(ledger, evidence.fingerprint, receives(call.tool));
    evidence.neutral = is_neutral(ledger, evidence.fingerprint, call, evidence.slept);
    // One that returned at once with "running" is a poll: no time has passed.
    const bool sleeps =
        evidence.fingerprint.kind == CallKind::kSleep && !evidence.fingerprint.running;
    if (waited || sleeps || evidence.fingerprint.is(Shape::kSleeps)) note_sleep(ledger, n);
    if (evidence.neutral) {
        evidence.entry.known_question =
            find_answer(ledger.answers, evidence.fingerprint.question.low) != nullptr;
        evidence.tier = wait_on(ledger, evidence.fingerprint, n);
        HEADWAY_ASSERT(evidence.tier <= Tier::kExternal);
        book(ledger, evidence.tier, n, false);
        return evidence;
    }
    evidence.entry = record(ledger, evidence.fingerprint, call, n);
    for (const std::uint64_t path : evidence.entry.fresh_paths)
        count_path(state, path);
    if (evidence.entry.flaky) evidence.patience *= kFlakyPatience;
    if (stepped(ledger, evidence.entry)) evidence.patience *= Cycle::kStepPatience;
    const bool green = evidence.fingerprint.kind == CallKind::kVerify && call.ok &&
                       evidence.fingerprint.failing.value_or(0) == 0;
    if (green && evidence.entry.jitter) evidence.patience *= kGreenPatience;
    if (call.changed_below) evidence.entry.tier = std::max(evidence.entry.tier, Tier::kState);
    evidence.tier = evidence.entry.tier;
    book(ledger, evidence.tier, n, tells(evidence, call));
    count_for_phase(state, call, evidence);
    HEADWAY_ASSERT(ledger.back(0)->n == n);
    return evidence;
}

bool overran(const SessionState& state, const ToolFinished& call, Timestamp since,
             const Event& event) {
    const Millis limit = state.policy->time_limit(call.tool);
    if (limit == Millis{0} || asks_a_person(call.tool)) return false;
    if (!call.duration_ms) return since != kNever && event.at - since > limit;
    if (*call.duration_ms <= static_cast<std::uint64_t>(limit.count())) return false;
    // The time that the agent has measured may have a person's time in it.
    const Timestamp allowed = allowed_at(state, call, since, event.n);
    return allowed == kNever || event.at - allowed > limit;
}

Tier enter_test(SessionState& state, const TestResult& result, std::uint64_t n) {
    const std::uint64_t failing = result.failed.value_or(0) + result.errors.value_or(0);
    std::string says = std::to_string(result.passed.value_or(0)) + "/" + std::to_string(failing);
    for (const std::string& name : result.failures)
        says += "\n" + name;
    Ledger& ledger = state.ledger.change();
    if (ledger.rounds == 0) begin_round(state, std::nullopt);
    const Entry entry = record(ledger, digest_of("test.result\n" + result.command).low,
                               digest_of(says).low, failing, n);
    book(ledger, entry.tier, n, true);
    if (failing == 0) {
        ++state.current_phase.change().tests_passed;
        ++state.phase_totals.tests_passed;
    }
    return entry.tier;
}

}  // namespace headway::core
