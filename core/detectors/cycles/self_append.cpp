// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/cycles/self_append.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {
namespace {

/// The text that `now` inserts where `previous` closes a string or a list, if both are equal up to
/// there. The rest (other arguments, ids) is ignored. Empty if they differ otherwise.
std::string_view inserted(std::string_view previous, std::string_view now) {
    const auto [end, at] = std::mismatch(previous.begin(), previous.end(), now.begin(), now.end());
    if (end == previous.end() || end - previous.begin() <= 8) return {};
    if ((*end != '"' && *end != ']') || *(end - 1) == '\\') return {};
    HEADWAY_ASSERT(at - now.begin() == end - previous.begin());
    const std::string_view rest = now.substr(static_cast<std::size_t>(at - now.begin()));
    std::size_t close = rest.find(*end);
    while (close != std::string_view::npos && close > 0 && rest[close - 1] == '\\')
        close = rest.find(*end, close + 1);
    return close == std::string_view::npos ? std::string_view{} : rest.substr(0, close);
}

}  // namespace

void SelfAppend::observe(const Observation& seen) {
    if (seen.user_message || seen.nudge_taken) *this = {};
    if (seen.call == nullptr && is_hard(seen.tier)) *this = {};
    if (seen.call == nullptr || seen.call->neutral) return;
    const std::uint64_t called = digest_of(seen.call->call.tool).low;
    const std::string_view now = seen.call->call.args.kept;
    const std::string_view growth = called == tool ? inserted(previous, now) : std::string_view{};
    // Growing by new text is how a pipeline is built.
    const bool by_the_same = !growth.empty() && previous.find(growth) != std::string::npos;
    // Changes by the growing call itself prove nothing; changes by another call do.
    if (!by_the_same && is_hard(seen.tier)) *this = {};
    if (called != tool && count > 0) return;
    if (!by_the_same) {
        count = 0;
        first_n = seen.event.n;
    } else {
        ++count;
    }
    last_n = seen.event.n;
    tool = called;
    if (now.size() <= limits::kAppendBytesMax) previous = now;
    HEADWAY_ASSERT(first_n <= last_n);
    HEADWAY_ASSERT(previous.size() <= limits::kAppendBytesMax);
}

Severity SelfAppend::severity(Thresholds limits, const Ledger&) const {
    return severity_of(count, limits);
}

Finding SelfAppend::finding(const Ledger&) const {
    HEADWAY_ASSERT(count > 0);
    Finding finding;
    finding.count = count;
    finding.identity = tool;
    finding.evidence = {first_n, last_n};
    finding.reason = "a call was sent again with one more copy of its own end " + times(count) +
                     " since #" + std::to_string(first_n);
    return finding;
}

bool SelfAppend::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest) && sound::fits(previous, limits::kAppendBytesMax);
}

}  // namespace headway::core
