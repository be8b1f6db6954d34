// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/messages/duplicate_messages.hpp"

#include <algorithm>
#include <string>

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

/// Words separated by single spaces, in lower case.
std::string folded(std::string_view text, std::uint32_t& words) {
    std::string out;
    out.reserve(text.size());
    bool inside = false;
    for (char c : text) {
        if (is_space(c)) {
            inside = false;
            continue;
        }
        if (!inside && !out.empty()) out.push_back(' ');
        if (!inside) ++words;
        inside = true;
        out.push_back(lower(c));
    }
    HEADWAY_ASSERT(out.size() <= text.size());
    HEADWAY_ASSERT(words <= text.size());
    return out;
}

/// Possible fragments need two thirds more.
std::uint32_t stuck_at(std::uint32_t stuck, std::uint32_t words) {
    return words < DuplicateMessages::kWordsMin ? stuck + stuck * 2 / 3 : stuck;
}

}  // namespace

std::string_view words_of_agent(const Payload& payload) {
    const auto* message = std::get_if<Message>(&payload);
    if (message == nullptr) return {};
    const bool of_agent =
        message->role == "assistant" || message->role == "agent" || message->role == "thought";
    return of_agent ? trimmed(message->text.kept) : std::string_view{};
}

void DuplicateMessages::observe(const Observation& seen) {
    const bool acted = std::holds_alternative<ToolFinished>(seen.event.payload);
    const bool spoken_to = seen.user_message || seen.other_spoke || seen.woken;
    if (acted || spoken_to || seen.nudge_taken) *this = {};
    const auto* test = std::get_if<TestResult>(&seen.event.payload);
    const bool red = test != nullptr && test->failed.value_or(0) + test->errors.value_or(0) > 0;
    if (red && denied_n != last_n) {
        ++denied;
        HEADWAY_ASSERT(denied_n < last_n);
        denied_n = last_n;
    }
    const std::string_view text = words_of_agent(seen.event.payload);
    if (text.empty()) return;
    std::uint32_t now_words = 0;
    std::uint64_t now = digest_of(folded(text, now_words)).low;
    const Text& whole = std::get<Message>(seen.event.payload).text;
    if (!whole.whole()) now ^= whole.digest.low;
    if (now != message) {
        *this = {};
        message = now;
        words = now_words;
        first_n = seen.event.n;
    }
    ++count;
    last_n = seen.event.n;
    HEADWAY_ASSERT(first_n <= last_n && denied_n < last_n);
}

Severity DuplicateMessages::severity(Thresholds limits, const Ledger&) const {
    // Under the strict profile three messages suffice, whatever their length.
    if (limits.stuck > limits.suspect) limits.stuck = stuck_at(limits.stuck, words);
    if (count > 1 && denied + 1 >= count && limits.stuck != 0) limits.stuck = limits.suspect;
    return severity_of(count, limits);
}

Finding DuplicateMessages::finding(const Ledger&) const {
    HEADWAY_ASSERT(count > 0);
    HEADWAY_ASSERT(first_n <= last_n);
    Finding finding;
    finding.count = count;
    finding.identity = message;
    finding.evidence = {first_n, last_n};
    finding.reason = "the same message " + times(count) + " since #" + std::to_string(first_n) +
                     " with no action between";
    return finding;
}

bool DuplicateMessages::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest) && denied_n <= last_n;
}

}  // namespace headway::core
