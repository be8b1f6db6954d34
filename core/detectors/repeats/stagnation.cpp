// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/repeats/stagnation.hpp"

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"
#include "core/calls/tool_names.hpp"

namespace headway::core {
namespace {

constexpr std::uint64_t kAnswerBytesMin = 24;  // shorter ones are acknowledgements
constexpr std::uint32_t kOthersMax = 8;
constexpr std::uint64_t kWholeBytesMin = 32;  // shorter ones are "no" to a search, and weigh half

}  // namespace

void Stagnation::observe(const Observation& seen) {
    if (seen.user_message || seen.nudge_taken || is_hard(seen.tier)) *this = {};
    if (seen.call == nullptr || seen.call->neutral) return;
    const CallFingerprint& fingerprint = seen.call->fingerprint;
    // Things that were done with one receipt, and a check behind each.
    if (seen.call->entry.confirms) *this = {};
    // Equal results of passing tests and of edits are no failed search.
    if (fingerprint.kind == CallKind::kVerify || fingerprint.kind == CallKind::kEdit) return;
    if (fingerprint.is(Shape::kAbsent)) return;  // a sweep over targets
    // The receipt of a thought answers nothing.
    if (fingerprint.kind == CallKind::kPlan || thinks_by_name(seen.call->call.tool)) return;
    const std::uint64_t called = digest_of(seen.call->call.tool).low;
    // Another tool between two questions; after some of its calls the first is over.
    if (called != tool && halves > 2 && ++others < kOthersMax) return;
    others = 0;
    const std::uint64_t newest = fingerprint.outcome.low;
    const auto words = static_cast<std::uint32_t>(fingerprint.kin);
    const bool alike = words != 0 && words == kin;
    const bool first = called == tool && (newest == outcome || alike);
    const bool second = called == tool && !first && other_outcome != 0 && newest == other_outcome;
    // Its other half, which is the same in all lanes: several agents ask one question.
    const auto asked = static_cast<std::uint32_t>(fingerprint.question.high);
    if ((first || second) && question == asked) return;
    if (called == tool && !first && other_outcome == 0 && halves > 0) {
        other_outcome = newest;  // two agents that send each other back answer by turns
    } else if (!first && !second) {
        *this = {};
        tool = called;
        outcome = newest;
        kin = words;
        first_n = seen.event.n;
    }
    question = asked;
    last_n = seen.event.n;
    HEADWAY_ASSERT(first_n <= last_n);
    const ToolFinished& done = seen.call->call;
    const std::uint64_t bytes =
        done.ok || !done.error
            ? fingerprint.result_bytes
            : std::max<std::uint64_t>(fingerprint.result_bytes, done.error->message.kept.size());
    const bool tells = !fingerprint.trivial && !fingerprint.is(Shape::kAcknowledged);
    // A screen may have the digest alone.
    const bool digest = fingerprint.result_bytes == 0 && !seen.call->call.result_digest.empty();
    if (!digest && (bytes < kAnswerBytesMin || !tells)) return;
    halves += !digest && bytes < kWholeBytesMin ? 1 : 2;
}

Severity Stagnation::severity(Thresholds limits, const Ledger&) const {
    const std::uint32_t questions = halves / (other_outcome != 0 ? 2 * kOfTwo : 2);
    return severity_of(questions, limits);
}

Finding Stagnation::finding(const Ledger&) const {
    HEADWAY_ASSERT(halves > 1);
    Finding finding;
    finding.count = halves / 2;
    finding.identity = tool;
    finding.evidence = {first_n, last_n};
    finding.reason =
        std::to_string(finding.count) + " calls of one tool with varying questions got " +
        (other_outcome != 0 ? "one of two answers since #" : "the same answer since #") +
        std::to_string(first_n);
    return finding;
}

bool Stagnation::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest);
}

}  // namespace headway::core
