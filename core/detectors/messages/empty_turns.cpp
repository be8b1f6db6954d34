// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/messages/empty_turns.hpp"

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"
#include "core/detection/classify.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

constexpr std::uint32_t kCut = 2;  // the model's turn ended at the token limit

/// The agent's message, if the event is one.
const Message* message_of_agent(const Payload& payload) {
    const auto* message = std::get_if<Message>(&payload);
    const bool of_agent =
        message != nullptr && (message->role == "assistant" || message->role == "agent");
    return of_agent ? message : nullptr;
}

bool has_words(const Message& message) {
    return !trimmed(message.text.kept).empty() || !message.digest.empty();
}

std::uint32_t weight_of(const Payload& payload) {
    if (const Message* message = message_of_agent(payload)) return has_words(*message) ? 0 : 1;
    const auto* error = std::get_if<ErrorReported>(&payload);
    if (error == nullptr || failure_of_class(error->error_class) != FailureKind::kTruncated)
        return 0;
    return lower(error->error_class).find("token") != std::string::npos ? kCut : 1;
}

}  // namespace

void EmptyTurns::observe(const Observation& seen) {
    if (seen.user_message || seen.other_spoke || seen.call != nullptr || seen.nudge_taken)
        *this = {};
    const Message* message = message_of_agent(seen.event.payload);
    // Turns that were cut off or cannot be read have words, too.
    if (silent && message != nullptr && has_words(*message)) *this = {};
    const std::uint32_t weight = weight_of(seen.event.payload);
    if (weight == 0) return;
    HEADWAY_ASSERT(weight <= kCut);
    if (count == 0) first_n = seen.event.n;
    count += weight;
    silent = message != nullptr;
    last_n = seen.event.n;
    HEADWAY_ASSERT(first_n <= last_n);
}

Severity EmptyTurns::severity(Thresholds limits, const Ledger&) const {
    return severity_of(count, limits);
}

Finding EmptyTurns::finding(const Ledger&) const {
    HEADWAY_ASSERT(count > 0);
    Finding finding;
    finding.count = count;
    finding.identity = 1;
    finding.evidence = {first_n, last_n};
    finding.reason = "turns that are empty, cut or unreadable since #" + std::to_string(first_n) +
                     ", and no action";
    return finding;
}

bool EmptyTurns::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest);
}

}  // namespace headway::core
