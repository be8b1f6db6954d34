// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/messages/words_only.hpp"

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"
#include "core/detectors/messages/duplicate_messages.hpp"

namespace headway::core {
namespace {

bool is_words(const Payload& payload) {
    if (std::holds_alternative<Message>(payload))
        return words_of_agent(payload).size() >= WordsOnly::kMessageBytesMin;
    if (const auto* estimate = std::get_if<ProgressEstimated>(&payload))
        return estimate->source != "judge";
    return std::holds_alternative<FactLearned>(payload) ||
           std::holds_alternative<PlanUpdated>(payload) ||
           std::holds_alternative<Reflection>(payload) ||
           std::holds_alternative<PhaseStarted>(payload) ||
           std::holds_alternative<StateChanged>(payload) ||
           std::holds_alternative<ToolStarted>(payload);
}

}  // namespace

void WordsOnly::observe(const Observation& seen) {
    const bool finished = std::holds_alternative<ToolFinished>(seen.event.payload);
    if (seen.user_message || seen.other_spoke || seen.nudge_taken || finished || is_hard(seen.tier))
        *this = {};
    if (seen.waits_for_human || !is_words(seen.event.payload) || seen.user_message ||
        seen.other_spoke)
        return;
    if (++count == 1) first_n = seen.event.n;
    last_n = seen.event.n;
    HEADWAY_ASSERT(first_n <= last_n);
}

Severity WordsOnly::severity(Thresholds limits, const Ledger&) const {
    return severity_of(count, limits);
}

Finding WordsOnly::finding(const Ledger&) const {
    HEADWAY_ASSERT(count > 0 && first_n <= last_n);
    Finding finding;
    finding.count = count;
    finding.identity = 3;
    finding.evidence = {first_n, last_n};
    finding.reason = "said " + times(count) +
                     " in a row that it works, and finished no call since #" +
                     std::to_string(first_n);
    return finding;
}

bool WordsOnly::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest);
}

}  // namespace headway::core
