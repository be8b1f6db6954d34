// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/failures/same_diagnostic.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"

namespace headway::core {

static_assert(SameDiagnostic::kPathsMax >= 1 && limits::kEvidenceMax >= 2,
              "first and last are kept");

void SameDiagnostic::observe(const Observation& seen) {
    if (seen.phase_changed) *this = {};
    // "Still broken" is no new task: the same failure behind it goes on counting.
    if (seen.user_message) user_spoke = true;
    if (const auto* result = std::get_if<TestResult>(&seen.event.payload)) {
        if (result->failed.value_or(0) + result->errors.value_or(0) == 0) {
            *this = {};
        } else {
            std::string failures = std::to_string(result->failed.value_or(0));
            for (const std::string& name : result->failures)
                failures += "\n" + name;
            fail(digest_of(failures).low, seen.event.n);
        }
        return;
    }
    if (seen.call == nullptr || seen.call->neutral) return;
    const CallFingerprint& fingerprint = seen.call->fingerprint;
    if (fingerprint.kind == CallKind::kCommit && seen.call->call.ok) *this = {};
    if (seen.call->entry.changed_path != 0) edit(seen.call->entry.changed_path);
    if (fingerprint.kind != CallKind::kVerify) return rerun(*seen.call, seen.event.n);
    if (fingerprint.diagnostic == 0 || seen.call->entry.improved) *this = {};
    if (fingerprint.diagnostic != 0) fail(fingerprint.diagnostic, seen.event.n);
}

Severity SameDiagnostic::severity(Thresholds limits, const Ledger&) const {
    const bool narrow = edits > 0 && paths.size() <= kPathsMax && !user_spoke;
    return narrow ? severity_of(count, limits) : Severity::kNone;
}

Finding SameDiagnostic::finding(const Ledger&) const {
    HEADWAY_ASSERT(edits > 0 && paths.size() <= kPathsMax);
    HEADWAY_ASSERT(!evidence.empty());
    Finding finding;
    finding.count = count;
    finding.identity = diagnostic;
    finding.evidence = evidence;
    finding.reason = "the same failure " + times(count) + " since #" +
                     std::to_string(evidence.front()) + ", through " + std::to_string(edits) +
                     (edits == 1 ? " new version of " : " new versions of ") +
                     (paths.size() == 1 ? "one file" : "two files");
    return finding;
}

bool SameDiagnostic::is_valid(const Ledger&, std::uint64_t) const {
    return sound::fits(evidence, limits::kEvidenceMax) && sound::fits(paths, kPathsMax + 1) &&
           (!evidence.empty() || (count == 0 && edits == 0));
}

/// A command that is no test, and fails behind each edit as it did before: `systemctl restart app`.
/// So does a look that ends well and shows the same failure: a page, a log. They take no test's
/// place.
void SameDiagnostic::rerun(const CallSeen& call, std::uint64_t n) {
    const CallFingerprint& fingerprint = call.fingerprint;
    const auto asked = static_cast<std::uint32_t>(fingerprint.question.low);
    const bool shows = call.call.ok && fingerprint.diagnostic != 0;
    const std::uint64_t what = shows ? fingerprint.diagnostic : key_of(fingerprint);
    if (question == asked && diagnostic != what) *this = {};
    const bool command =
        fingerprint.kind == CallKind::kOther && fingerprint.is(Shape::kCommand) && call.failed();
    if (!(command && call.entry.same_answer) &&
        !(shows && (call.entry.same_answer || call.entry.known_answer)))
        return;
    // A test that has not been run since the same command failed before gives way.
    const bool left = question == 0 && count == 1 && call.entry.asked_n > evidence.back();
    if (diagnostic != what && !left && (count > 1 || (count > 0 && question == 0))) return;
    fail(what, n);
    question = asked;
}

void SameDiagnostic::fail(std::uint64_t what, std::uint64_t n) {
    if (what != diagnostic) *this = {};
    diagnostic = what;
    user_spoke = false;
    ++count;
    if (evidence.size() == limits::kEvidenceMax) evidence.erase(evidence.begin() + 1);
    HEADWAY_ASSERT(evidence.empty() || evidence.back() < n);
    evidence.push_back(n);
    HEADWAY_ASSERT(evidence.size() <= limits::kEvidenceMax);
}

void SameDiagnostic::edit(std::uint64_t path) {
    if (count == 0) return;
    ++edits;
    if (paths.size() <= kPathsMax && std::find(paths.begin(), paths.end(), path) == paths.end()) {
        paths.push_back(path);
    }
    HEADWAY_ASSERT(paths.size() <= kPathsMax + 1);
}

}  // namespace headway::core
