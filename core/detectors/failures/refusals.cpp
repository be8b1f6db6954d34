// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/failures/refusals.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

bool was_cut(const ToolFinished& call) {
    return !call.ok && call.error && lower(call.error->error_class) == "cancelled";
}

}  // namespace

bool is_refusal(const ToolFinished& call) {
    return !call.ok && call.error && lower(call.error->error_class) == "denied";
}

void Refusals::observe(const Observation& seen) {
    if (seen.user_message) *this = {};
    // Also calls that count as no evidence, as most refused ones do.
    const auto* call = std::get_if<ToolFinished>(&seen.event.payload);
    if (call == nullptr || was_cut(*call)) return;
    if (!is_refusal(*call)) {
        // One cheap call between refusals does not undo them.
        count /= 2;
        row = 0;
        if (count == 0) *this = {};
        return;
    }
    if (count == 0) first_n = seen.event.n;
    if (count < UINT32_MAX) ++count;
    row = std::min(row + 1, count);
    last_n = seen.event.n;
    HEADWAY_ASSERT(count > 0 && first_n <= last_n);
}

Severity Refusals::severity(Thresholds limits, const Ledger&) const {
    if (limits.suspect == 0 || count < limits.suspect) return Severity::kNone;
    if (limits.stuck != 0 && count >= limits.stuck) return Severity::kStuck;
    return count / 2 >= limits.suspect ? Severity::kBlocked : Severity::kSuspect;
}

Finding Refusals::finding(const Ledger&) const {
    HEADWAY_ASSERT(count > 0 && first_n <= last_n);
    Finding finding;
    finding.count = count;
    finding.identity = 1;
    finding.evidence = {first_n, last_n};
    finding.reason = row == count ? "nothing it tries may run: " + std::to_string(count) +
                                        " calls in a row were refused since #"
                                  : "most of what it tries may not run: calls are refused since #";
    finding.reason += std::to_string(first_n);
    return finding;
}

bool Refusals::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest) && row <= count;
}

}  // namespace headway::core
