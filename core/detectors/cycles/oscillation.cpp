// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/cycles/oscillation.hpp"

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {
namespace {

constexpr std::size_t kEditsCompared = 2;  ///< and red results: A-B-A-B needs the last two

}  // namespace

void Oscillation::observe(const Observation& seen) {
    if (seen.user_message || seen.nudge_taken) *this = {};
    if (const auto* result = std::get_if<TestResult>(&seen.event.payload)) test(*result, seen);
    // Two files that are edited by turns and test better each time are work on both.
    if (seen.tier == Tier::kVerification) {
        alternations = 0;
        last_edits.clear();
    }
    if (seen.call == nullptr || seen.call->neutral) return;
    const CallSeen& call = *seen.call;
    if (call.fingerprint.kind == CallKind::kVerify)
        test(call.fingerprint.question.low, call.fingerprint.diagnostic, seen);
    if (!call.call.ok) return;
    // The other side of an experiment that is measured is no way back.
    if (call.fingerprint.measured && call.entry.tier == Tier::kAnswerChanged &&
        experiments < kExperimentsMax) {
        ++experiments;
        alternations = clean = 0;
        last_edits.clear();
    }
    if (call.fingerprint.is(Shape::kRestores)) {  // what follows is no way back
        *this = {};
        return;
    }
    const bool edits = call.fingerprint.kind == CallKind::kEdit || !call.call.mutated.empty();
    if (!edits) return;
    alternate(call);
    if (call.entry.reversals > 0) {
        clean = seen.ledger.hard_n == hard_n ? clean + 1 : 1;
        hard_n = seen.ledger.hard_n;
        HEADWAY_ASSERT(hard_n <= seen.event.n);
        reversals = call.entry.reversals;
        path = call.fingerprint.path;
        note(seen.event.n);
    } else if (call.entry.changed_path != 0 && call.fingerprint.path == path) {
        reversals = clean = 0;
        path = hard_n = 0;
        evidence.clear();
    }
    if (call.entry.reversals == 0 && alternations > 0) note(seen.event.n);
}

Severity Oscillation::severity(Thresholds limits, const Ledger&) const {
    // Two edits that both recurred are A-B-A-B of one path or of two. Edits of which only the path
    // is known may differ: just the strict rule, which tells the first one, counts each of them.
    const std::uint32_t turns =
        blind && limits.suspect > 1 ? alternations / kBlindPatience : alternations;
    const std::uint32_t proven = std::max(clean, turns);
    if (limits.stuck != 0 && proven >= limits.stuck) return Severity::kStuck;
    const std::uint32_t count = std::max(reversals, turns);
    const bool flips = red_flips >= kRedFlips;
    return limits.suspect != 0 && (count >= limits.suspect || flips) ? Severity::kSuspect
                                                                     : Severity::kNone;
}

Finding Oscillation::finding(const Ledger&) const {
    Finding finding;
    finding.count = std::max(reversals, alternations);
    HEADWAY_ASSERT(finding.count > 0 || red_flips > 0);
    finding.identity = path;
    finding.evidence = evidence;
    if (red_flips > finding.count) {
        finding.count = red_flips;
        finding.identity = red_question;
        finding.reason = "two failures of one test come by turns, whatever is edited";
        return finding;
    }
    finding.reason = reversals >= alternations ? "an edit was taken back to an earlier content " +
                                                     times(reversals) + " in one file"
                                               : "two edits alternate, each made again";
    return finding;
}

bool Oscillation::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::fits(evidence, limits::kEvidenceMax) && sound::fits(last_edits, kEditsCompared) &&
           sound::fits(last_reds, kEditsCompared) && hard_n <= newest &&
           (clean == 0 || reversals > 0);
}

void Oscillation::note(std::uint64_t n) {
    if (evidence.size() == limits::kEvidenceMax) evidence.erase(evidence.begin());
    HEADWAY_ASSERT(evidence.empty() || evidence.back() <= n);
    evidence.push_back(n);
    HEADWAY_ASSERT(evidence.size() <= limits::kEvidenceMax);
}

void Oscillation::alternate(const CallSeen& call) {
    const std::uint64_t edit =
        call.call.mutated.empty()
            ? call.fingerprint.question.low
            : digest_of(call.call.mutated.front().path + call.call.mutated.front().digest).low;
    const std::size_t known = last_edits.size();
    const bool again = known >= 2 && last_edits[known - 2] == edit && last_edits[known - 1] != edit;
    alternations = again ? alternations + 1 : 0;
    blind = call.fingerprint.is(Shape::kBlind);
    if (known == kEditsCompared) last_edits.erase(last_edits.begin());
    last_edits.push_back(edit);
    HEADWAY_ASSERT(last_edits.size() <= kEditsCompared);
}

void Oscillation::test(std::uint64_t question, std::uint64_t failure, const Observation& seen) {
    if (failure == 0 || question != red_question) {
        last_reds.clear();
        red_flips = 0;
    }
    if (failure == 0) return;
    const bool again = last_reds.size() == 2 && last_reds[0] == failure &&
                       last_reds[1] != failure && seen.ledger.changes != red_changes;
    red_flips = again ? red_flips + 1 : 0;
    red_question = question;
    red_changes = seen.ledger.changes;
    if (last_reds.size() == kEditsCompared) last_reds.erase(last_reds.begin());
    last_reds.push_back(failure);
    HEADWAY_ASSERT(last_reds.size() <= kEditsCompared && last_reds.back() != 0);
    if (again) note(seen.event.n);
}

void Oscillation::test(const TestResult& result, const Observation& seen) {
    std::string failures;
    if (result.failed.value_or(0) + result.errors.value_or(0) > 0) {
        failures = std::to_string(result.failed.value_or(0));
        for (const std::string& name : result.failures)
            failures += "\n" + name;
    }
    test(digest_of(result.command).low, failures.empty() ? 0 : digest_of(failures).low, seen);
}

}  // namespace headway::core
