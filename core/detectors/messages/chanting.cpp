// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/messages/chanting.hpp"

#include <algorithm>
#include <vector>

#include "core/base/assert.hpp"
#include "core/detectors/messages/duplicate_messages.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

static_assert(Chanting::kPeriodMax < Chanting::kTokensMax, "a lap lies in what is looked at");
static_assert(Chanting::kSpanMin < Chanting::kTokensMax, "and so does what counts as chanting");

bool says_something(std::string_view token) {
    return std::any_of(token.begin(), token.end(), [](char c) {
        return is_word(c) || (static_cast<unsigned char>(c) & 0x80U) != 0;
    });
}

/// The last prose tokens, in order.
std::vector<std::string_view> prose_tokens(std::string_view text) {
    std::vector<std::string_view> tokens;
    bool in_code = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(text.size(), end + 1));
        if (line.starts_with("```") || line.starts_with("~~~")) {
            in_code = !in_code;
            continue;
        }
        if (in_code || line.starts_with('|')) continue;
        for (std::size_t at = 0; at < line.size();) {
            const std::size_t stop = std::min(line.find(' ', at), line.size());
            const std::string_view token = line.substr(at, stop - at);
            if (says_something(token)) tokens.push_back(token);
            at = stop + 1;
        }
    }
    if (tokens.size() > Chanting::kTokensMax) {
        tokens.erase(tokens.begin(), tokens.end() - Chanting::kTokensMax);
    }
    HEADWAY_ASSERT(tokens.size() <= Chanting::kTokensMax);
    return tokens;
}

}  // namespace

std::uint32_t repeats_at_end(std::string_view text) {
    const std::vector<std::string_view> tokens = prose_tokens(text);
    std::uint32_t best = 1;
    for (std::size_t period = 1; period <= Chanting::kPeriodMax && period < tokens.size();
         ++period) {
        std::size_t run = 0;
        while (run + period < tokens.size() &&
               tokens[tokens.size() - 1 - run] == tokens[tokens.size() - 1 - run - period]) {
            ++run;
        }
        HEADWAY_ASSERT(run + period <= tokens.size());
        if (run + period < Chanting::kSpanMin) continue;
        best = std::max(best, static_cast<std::uint32_t>(run / period + 1));
    }
    HEADWAY_ASSERT(best >= 1 && best <= Chanting::kTokensMax);
    return best;
}

void Chanting::observe(const Observation& seen) {
    const bool acted = std::holds_alternative<ToolFinished>(seen.event.payload);
    if (acted || seen.user_message || seen.nudge_taken) *this = {};
    const std::string_view text = words_of_agent(seen.event.payload);
    if (text.empty()) return;
    repeats = repeats_at_end(text);
    n = seen.event.n;
}

Severity Chanting::severity(Thresholds limits, const Ledger&) const {
    return repeats > 1 ? severity_of(repeats, limits) : Severity::kNone;
}

Finding Chanting::finding(const Ledger&) const {
    HEADWAY_ASSERT(repeats > 1);
    Finding finding;
    finding.count = repeats;
    finding.identity = 1;
    finding.evidence = {n};
    finding.reason = "a message ends in the same words " + times(repeats);
    return finding;
}

bool Chanting::is_valid(const Ledger&, std::uint64_t newest) const {
    return n <= newest;
}

}  // namespace headway::core
