#include "core/detectors/oscillation.hpp"

namespace headway::core {

void Oscillation::observe(const Observation& seen) {
    if (seen.user_message || seen.nudge_taken) *this = {};
    if (seen.call == nullptr || seen.call->neutral || !seen.call->call.ok) return;
    const CallSeen& call = *seen.call;
    const bool edits = call.print.kind == CallKind::kEdit || !call.call.mutated.empty();
    if (!edits) return;
    alternate(call);
    if (call.entry.reversals > 0) {
        clean = seen.ledger.hard_n == hard_n ? clean + 1 : 1;
        hard_n = seen.ledger.hard_n;
        reversals = call.entry.reversals;
        path = call.print.path;
        note(seen.event.n);
    } else if (call.entry.changed_path != 0 && call.print.path == path) {
        const auto edits_kept = last_edits;
        const std::uint32_t alternations_kept = alternations;
        *this = {};
        last_edits = edits_kept;
        alternations = alternations_kept;
    }
    if (call.entry.reversals == 0 && alternations > 0) note(seen.event.n);
}

Rung Oscillation::rung(Thresholds limits, const Ledger&) const {
    // Two edits that each came again are the A-B-A-B of one path or of two.
    const std::uint32_t proven = std::max(clean, alternations);
    if (limits.stuck != 0 && proven >= limits.stuck) return Rung::kStuck;
    const std::uint32_t count = std::max(reversals, alternations);
    return limits.suspect != 0 && count >= limits.suspect ? Rung::kSuspect : Rung::kNone;
}

Finding Oscillation::finding(const Ledger&) const {
    Finding finding;
    finding.count = std::max(reversals, alternations);
    finding.identity = path;
    finding.evidence = evidence;
    finding.reason = reversals >= alternations ? "an edit was taken back to an earlier content " +
                                                     times(reversals) + " in one file"
                                               : "two edits alternate, each made again";
    return finding;
}

void Oscillation::note(std::uint64_t n) {
    if (evidence.size() == limits::kEvidenceMax) evidence.erase(evidence.begin());
    evidence.push_back(n);
}

void Oscillation::alternate(const CallSeen& call) {
    const std::uint64_t edit =
        call.call.mutated.empty()
            ? call.print.question.low
            : digest_of(call.call.mutated.front().path + call.call.mutated.front().digest).low;
    const std::size_t known = last_edits.size();
    const bool again = known >= 2 && last_edits[known - 2] == edit && last_edits[known - 1] != edit;
    alternations = again ? alternations + 1 : 0;
    if (known == 2) last_edits.erase(last_edits.begin());
    last_edits.push_back(edit);
}

}  // namespace headway::core
