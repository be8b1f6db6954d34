// SPDX-License-Identifier: Apache-2.0
#include "core/detection/ledger.hpp"

#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"
#include "core/calls/tool_names.hpp"
#include "core/detection/known_answers.hpp"

namespace headway::core {
namespace {

static_assert(EnumNames<Tier>::kNames.size() < 16, "Ledger::past_tiers has four bits for each");
/// In a trail: version control took the file back. To return to an earlier content is then neither
/// a reversal nor news.
constexpr std::uint64_t kTakenBack = 0x7461'6b65'6e62'6163ULL;
constexpr std::uint32_t kCopiesMax = 8;  ///< files with one content that are still news
static_assert(limits::kTrailDigestsMax >= 2, "a way back needs what was left");
constexpr std::uint32_t kTwelve = 0xfff;

/// KnownAnswer::span.
std::uint32_t span_of(const Ledger& ledger, bool ok) {
    return (ledger.scope & 0x7fU) << 25U | (ok ? 1U : 0U) << 24U | (ledger.epoch & kTwelve) << 12U |
           (ledger.informed_rounds & kTwelve);
}

bool in_scope(const Ledger& ledger, const KnownAnswer& last) {
    return last.span >> 25U == (ledger.scope & 0x7fU);
}

/// True while a repeat adds to those before it: one message of the user ends the row, and so do
/// some rounds of news. Memory of long sessions is full of rules and plans that are read again.
bool same_span(const Ledger& ledger, const KnownAnswer& last) {
    const std::uint32_t news = (ledger.informed_rounds - last.span) & kTwelve;
    return (last.span >> 12U & kTwelve) == (ledger.epoch & kTwelve) && in_scope(ledger, last) &&
           news < kInformedRounds;
}

void keep(std::vector<std::uint64_t>& digests, std::uint64_t digest) {
    if (digests.size() == limits::kTrailDigestsMax) digests.erase(digests.begin());
    digests.push_back(digest);
    HEADWAY_ASSERT(digests.size() <= limits::kTrailDigestsMax);
}

bool holds(const std::vector<std::uint64_t>& digests, std::uint64_t digest) {
    return std::find(digests.begin(), digests.end(), digest) != digests.end();
}

/// A path reached a content: new, unchanged, or one that it had left (docs/detection.md, section
/// 5.3). `certain` is false if the call stands for the content: then repeating it is no reversal.
/// False if the file has this content already.
bool change_file(Ledger& ledger, std::uint64_t path, std::uint64_t digest, bool certain,
                 std::uint64_t n, Entry& entry) {
    bool known = false;
    FileTrail& trail = entry_of(ledger.files, &FileTrail::path, path, limits::kFilesMax, known);
    HEADWAY_ASSERT(trail.path == path && trail.last_n <= n);
    trail.last_n = n;
    if (!known) entry.fresh_paths.push_back(path);
    if (!trail.digests.empty() && trail.digests.back() == digest) return false;
    if (holds(trail.digests, digest)) {
        if (!certain) return true;
        if (trail.digests.back() != kTakenBack)
            entry.reversals = std::max(entry.reversals, ++trail.reversals);
    } else {
        trail.reversals = 0;
        entry.tier = Tier::kState;
        entry.changed_path = path;
    }
    keep(trail.digests, digest);
    return true;
}

/// Counts further files with one content, one after another; 0: the content is not known.
void count_copy(Ledger& ledger, std::uint64_t content) {
    const bool copy = content != 0 && content == ledger.last_content;
    ledger.content_copies = copy ? ledger.content_copies + 1 : 0;
    ledger.last_content = content;
}

void change_files(Ledger& ledger, const CallFingerprint& fingerprint, const ToolFinished& call,
                  std::uint64_t n, Entry& entry) {
    const CallKind kind = fingerprint.kind;
    bool changed = false;
    for (const Mutation& mutation : call.mutated) {
        // Files that tests and tools write by themselves are theirs.
        const bool edits = kind == CallKind::kEdit;
        if (kind == CallKind::kVerify || (!edits && is_artifact(mutation.path))) continue;
        // Without a digest, the call itself stands for the content.
        const std::uint64_t digest =
            mutation.digest.empty() ? fingerprint.question.low : digest_of(mutation.digest).low;
        changed |= change_file(ledger, digest_of(mutation.path).low, digest,
                               !mutation.digest.empty(), n, entry);
    }
    if (kind != CallKind::kEdit && kind != CallKind::kCommit) return;
    if (!call.mutated.empty()) {
        const std::string& digest = call.mutated.front().digest;
        const bool one = call.mutated.size() == 1 && !digest.empty();
        // A text that is replaced was there: one change in many files is work.
        const bool copies = one && !(fingerprint.is(Shape::kReplaces) && fingerprint.path != 0);
        count_copy(ledger, copies ? digest_of(digest).low : 0);
        ledger.cosmetic_path = one && !changed ? fingerprint.path : 0;  // digests have no comments
        if (ledger.content_copies < kCopiesMax) return;
    } else {
        const bool certain = fingerprint.content != 0;
        const std::uint64_t content = certain ? fingerprint.content : fingerprint.question.low;
        count_copy(ledger, fingerprint.is(Shape::kWhole) && certain ? content : 0);
        ledger.cosmetic_path = fingerprint.is(Shape::kCosmetic) ? fingerprint.path : 0;
        change_file(ledger, fingerprint.path != 0 ? fingerprint.path : fingerprint.question.low,
                    content, certain, n, entry);
        // Comments, white space, and one text in ever more files prove nothing.
        const bool cosmetic = fingerprint.is(Shape::kCosmetic) && entry.fresh_paths.empty();
        if (!cosmetic && ledger.content_copies < kCopiesMax) return;
    }
    entry.tier = Tier::kNone;
    entry.changed_path = 0;
    entry.hollow = true;
}

void take_back(Ledger& ledger) {
    for (FileTrail& trail : ledger.files) {
        trail.reversals = 0;
        if (!trail.digests.empty()) keep(trail.digests, kTakenBack);
    }
}

/// P2: fewer failures than ever, or an unseen set of failures after a change.
void verify(Ledger& ledger, std::uint64_t question, std::uint64_t outcome,
            std::optional<std::uint64_t> failing, std::uint64_t n, Entry& entry) {
    bool known = false;
    Verification& verification = entry_of(ledger.verifications, &Verification::question, question,
                                          limits::kVerificationsMax, known);
    HEADWAY_ASSERT(verification.question == question && verification.last_n <= n);
    HEADWAY_ASSERT(verification.changes_seen <= ledger.changes);
    const bool changed = ledger.changes != verification.changes_seen;
    entry.improved =
        failing && known && verification.counted && *failing < verification.best_failing;
    if (entry.improved || (known && changed && !holds(verification.outcomes, outcome)))
        entry.tier = std::max(entry.tier, Tier::kVerification);
    if (failing && (!verification.counted || *failing < verification.best_failing)) {
        verification.best_failing = *failing;
        verification.counted = true;
    }
    HEADWAY_ASSERT(!failing || verification.best_failing <= *failing);
    if (!holds(verification.outcomes, outcome)) keep(verification.outcomes, outcome);
    const bool differs = known && verification.last_outcome != outcome;
    verification.flaky = !changed && (verification.flaky || differs);
    entry.flaky = verification.flaky;
    entry.rechecks = changed && ledger.cosmetic_path != 0 && failing.value_or(0) == 0;
    verification.last_outcome = outcome;
    verification.last_n = n;
    verification.changes_seen = ledger.changes;
}

/// True for a look at a file that the agent itself just changed in comments only.
bool shows_own_comment(const Ledger& ledger, const CallFingerprint& fingerprint) {
    const bool there = fingerprint.path == ledger.cosmetic_path || fingerprint.path == kAllChanges;
    return ledger.cosmetic_path != 0 && there &&
           (fingerprint.kind == CallKind::kRead || fingerprint.is(Shape::kLooks));
}

/// Counts red results with one diagnostic while nothing changes, whatever flags or seeds the test
/// has, for each file that the commands name: many files can fail one check alike.
void answer_red(Ledger& ledger, const CallFingerprint& fingerprint, std::uint64_t n, Entry& entry) {
    constexpr std::uint64_t kReds = 0x5bf0'3635'dcd6'1e9bULL;  // apart from questions
    const std::uint64_t key = fingerprint.diagnostic ^ fingerprint.path ^ kReds;
    bool known = false;
    KnownAnswer& red = answer_to(ledger.answers, key | 1U, known);
    HEADWAY_ASSERT(red.last_n <= n);
    const bool again = known && red.outcome == ledger.changes && in_scope(ledger, red);
    red.repeats = again ? red.repeats + 1 : 1;
    if (!again) red.first_n = n;
    red.outcome = ledger.changes;
    red.last_n = n;
    red.span = span_of(ledger, false);
    if (red.repeats <= entry.repeats) return;
    entry.repeats = red.repeats;
    entry.first_n = red.first_n;
}

void keep(const Ledger& ledger, KnownAnswer& last, const CallFingerprint& fingerprint, bool ok,
          std::uint64_t n) {
    HEADWAY_ASSERT(last.question == fingerprint.question.low && last.last_n <= n);
    last.outcome = fingerprint.outcome.low;
    last.raw_outcome = static_cast<std::uint32_t>(fingerprint.raw_outcome);
    last.last_n = n;
    last.span = span_of(ledger, ok);
}

/// True if the question got this answer a while ago: an action on a screen, which changes the view,
/// or what is asked over and over, without time or another call between that may move the world.
bool leads_back(const Ledger& ledger, const CallFingerprint& fingerprint) {
    const bool acts = fingerprint.is(Shape::kActs);
    const CallMark* last = ledger.back(0);
    const bool again = last != nullptr && last->question == fingerprint.question.low;
    if (!acts && (!again || fingerprint.kind == CallKind::kPoll)) return false;
    const std::uint64_t since = acts ? 0 : std::max(ledger.hard_n, ledger.slept_n);
    const std::uint64_t key = key_of(fingerprint);
    return std::any_of(ledger.recent.begin(), ledger.recent.end(),
                       [&](const CallMark& mark) { return mark.key == key && mark.n > since; });
}

/// The answer without its question: equal answers are equal in all marks.
std::uint64_t answer_of(const CallMark& mark) {
    return mark.key ^ mark.question;
}

/// True if another question got this answer a while ago: ever new questions teach nothing then.
bool is_known_answer(const Ledger& ledger, const CallFingerprint& fingerprint) {
    const std::uint64_t answer = key_of(fingerprint) ^ fingerprint.question.low;
    return std::any_of(ledger.recent.begin(), ledger.recent.end(),
                       [answer](const CallMark& mark) { return answer_of(mark) == answer; });
}

void answer(Ledger& ledger, const CallFingerprint& fingerprint, bool ok, std::uint64_t n,
            Entry& entry) {
    bool known = false;
    KnownAnswer& last = answer_to(ledger.answers, fingerprint.question.low, known);
    HEADWAY_ASSERT(last.first_n <= n);
    entry.known_question = known;
    entry.asked_n = last.last_n;
    const bool same = known && last.outcome == fingerprint.outcome.low;
    entry.jitter = same && last.raw_outcome != static_cast<std::uint32_t>(fingerprint.raw_outcome);
    const bool counts_again = same && !(entry.jitter && fingerprint.measured);
    const bool rechecks = ok && entry.rechecks;
    // A new question of the user may need what an earlier one has shown, and so may a change.
    const bool forgot = fingerprint.kind == CallKind::kRead &&
                        std::max(ledger.compacted_n, ledger.scope_n) > last.last_n;
    const bool looks = fingerprint.kind == CallKind::kRead || fingerprint.is(Shape::kLooks);
    const bool free_again = forgot || (looks && ledger.hard_n > last.last_n);
    const bool leads = known && !counts_again && leads_back(ledger, fingerprint);
    const bool led_here = leads && fingerprint.is(Shape::kActs);
    entry.same_answer = (counts_again && !rechecks) || led_here;
    entry.free_again = free_again;
    entry.confirms = same && fingerprint.is(Shape::kPasses) &&
                     ledger.done_n > static_cast<std::uint32_t>(last.last_n);
    if (counts_again && !rechecks && same_span(ledger, last) && !entry.confirms) {
        if (!free_again) ++last.repeats;
    } else {
        last.repeats = 1;
        last.first_n = n;
    }
    // The acknowledgement of an edit is no information, and a failure after a failure answers
    // nothing.
    const bool informs = ok && !fingerprint.trivial && fingerprint.kind != CallKind::kEdit &&
                         !fingerprint.is(Shape::kNothing) &&
                         !shows_own_comment(ledger, fingerprint);
    entry.known_answer = !known && informs && is_known_answer(ledger, fingerprint);
    // A screen that is as it was before the action tells nothing.
    const bool unmoved =
        entry.known_answer && fingerprint.is(Shape::kActs) &&
        answer_of(*ledger.back(0)) == (key_of(fingerprint) ^ fingerprint.question.low);
    if (!known && informs && !unmoved) entry.tier = std::max(entry.tier, Tier::kInformation);
    // Back to an answer that it had before is no news.
    const bool back =
        led_here ||
        (!same && (leads || last.before == static_cast<std::uint32_t>(fingerprint.outcome.low)));
    if (known && !counts_again && !back && (ok || last.ok()) &&
        !shows_own_comment(ledger, fingerprint))
        entry.tier = std::max(entry.tier, Tier::kAnswerChanged);
    if (!same) last.before = static_cast<std::uint32_t>(last.outcome);
    keep(ledger, last, fingerprint, ok, n);
    entry.repeats = last.repeats;
    entry.first_n = last.first_n;
    HEADWAY_ASSERT(entry.first_n <= n);
}

/// Notes a call that did something new. A deed in a part of a command is kept beside the answers.
void note_deed(Ledger& ledger, const CallFingerprint& fingerprint, bool known, std::uint64_t n) {
    constexpr std::uint64_t kDeeds = 0x2545'f491'4f6c'dd1dULL;  // apart from questions
    if (fingerprint.deed == 0 || known) return;
    if (fingerprint.deed != fingerprint.question.low) {
        KnownAnswer& done = answer_to(ledger.answers, (fingerprint.deed ^ kDeeds) | 1U, known);
        if (!known) done.first_n = n;
        done.last_n = n;
    }
    if (!known) ledger.done_n = static_cast<std::uint32_t>(n);
}

void remember(Ledger& ledger, const CallMark& mark) {
    HEADWAY_ASSERT(ledger.recent.size() ==
                   std::min<std::uint64_t>(ledger.calls, limits::kRecentCallsMax));
    HEADWAY_ASSERT(ledger.recent.empty() || ledger.back(0)->n <= mark.n);
    if (ledger.recent.size() < limits::kRecentCallsMax) {
        ledger.recent.push_back(mark);
    } else {
        ledger.recent[ledger.calls % limits::kRecentCallsMax] = mark;
    }
    ++ledger.calls;
    HEADWAY_ASSERT(ledger.back(0)->n == mark.n);
}

}  // namespace

void Ledger::begin_round() {
    if (round_counts) {
        quiet_rounds = round_tier != Tier::kNone ? 0 : quiet_rounds + 1;
        const bool confirmed = round_tier != Tier::kNone && round_tier != Tier::kState;
        unproven_rounds = confirmed ? 0 : unproven_rounds + 1;
        if (round_tier >= Tier::kInformation) ++informed_rounds;
    }
    if (rounds > 0) past_tiers = past_tiers << 4 | (static_cast<std::uint64_t>(round_tier) + 1);
    ++rounds;
    round_tier = Tier::kNone;
    round_counts = false;
}

void Ledger::forget_quiet() {
    quiet_rounds = unproven_rounds = 0;
    if (round_tier == Tier::kNone) round_counts = false;
}

void Ledger::interrupt(std::uint64_t n) {
    remember(*this, {n, n, n, scope, false, false});
}

const CallMark* Ledger::back(std::size_t i) const {
    if (i >= recent.size()) return nullptr;
    const std::size_t place = (calls - 1 - i) % limits::kRecentCallsMax;
    HEADWAY_ASSERT(i < calls && place < recent.size());
    return &recent[place];
}

bool repeats_answer(const Ledger& ledger, const CallFingerprint& fingerprint) {
    const auto* last = find_answer(ledger.answers, fingerprint.question.low);
    return last != nullptr && last->outcome == fingerprint.outcome.low;
}

bool slept_before(const Ledger& ledger, const CallFingerprint& fingerprint) {
    if (fingerprint.is(Shape::kSleeps)) return true;
    const KnownAnswer* last = find_answer(ledger.answers, fingerprint.question.low);
    return last != nullptr && last->last_n < ledger.slept_n;
}

Entry record(Ledger& ledger, const CallFingerprint& fingerprint, const ToolFinished& call,
             std::uint64_t n) {
    Entry entry;
    if (call.ok && fingerprint.is(Shape::kRestores)) take_back(ledger);
    entry.hollow = fingerprint.is(Shape::kNothing);
    // Made again at once, an edit is the same edit, also where the file grows by it.
    const CallMark* const before = ledger.back(0);
    const bool again = fingerprint.kind == CallKind::kEdit && fingerprint.path != 0 &&
                       before != nullptr && before->question == fingerprint.question.low &&
                       !fingerprint.is(Shape::kBlind);
    if (call.ok && !again && !fingerprint.is(Shape::kNothing))
        change_files(ledger, fingerprint, call, n, entry);
    const bool only_asks = fingerprint.kind == CallKind::kRead ||
                           fingerprint.kind == CallKind::kPoll || fingerprint.is(Shape::kLooks) ||
                           fingerprint.is(Shape::kNothing);
    if (fingerprint.kind == CallKind::kVerify)
        verify(ledger, fingerprint.question.low, fingerprint.outcome.low, fingerprint.failing, n,
               entry);
    else if (!only_asks)
        ++ledger.changes;
    const bool answered =
        call.ok || fingerprint.kind == CallKind::kPoll || fingerprint.is(Shape::kAnswered);
    answer(ledger, fingerprint, answered, n, entry);
    const bool does = !only_asks && fingerprint.kind != CallKind::kVerify;
    if (does && entry.tier == Tier::kInformation && !entry.known_answer) ledger.deed_n = n;
    note_deed(ledger, fingerprint, entry.known_question || entry.hollow, n);
    const bool edits = fingerprint.kind == CallKind::kEdit || fingerprint.kind == CallKind::kCommit;
    if (edits && call.ok && !is_hard(entry.tier)) ++ledger.unsure_edits;
    if (fingerprint.kind == CallKind::kVerify && fingerprint.diagnostic != 0)
        answer_red(ledger, fingerprint, n, entry);
    remember(ledger,
             {key_of(fingerprint), fingerprint.question.low, n, ledger.scope, fingerprint.weak(),
              fingerprint.is(Shape::kActs), fingerprint.is(Shape::kSteps)});
    HEADWAY_ASSERT(entry.fresh_paths.size() <= std::max<std::size_t>(call.mutated.size(), 1));
    return entry;
}

Entry record(Ledger& ledger, std::uint64_t question, std::uint64_t outcome, std::uint64_t failing,
             std::uint64_t n) {
    CallFingerprint fingerprint;
    fingerprint.question.low = question;
    fingerprint.outcome.low = fingerprint.raw_outcome = outcome;
    Entry entry;
    verify(ledger, question, outcome, failing, n, entry);
    answer(ledger, fingerprint, true, n, entry);
    return entry;
}

Tier wait_on(Ledger& ledger, const CallFingerprint& fingerprint, std::uint64_t n) {
    ledger.interrupt(n);
    bool known = false;
    KnownAnswer& last = answer_to(ledger.answers, fingerprint.question.low, known);
    // The same state at another address is no news: `/status?attempt=4`.
    const bool other =
        std::exchange(ledger.wait_outcome, fingerprint.outcome.low) != fingerprint.outcome.low;
    const bool moved =
        fingerprint.running && other && (!known || last.outcome != fingerprint.outcome.low);
    keep(ledger, last, fingerprint, fingerprint.running, n);
    // "Running migrations: ... OK" was no poll.
    note_deed(ledger, fingerprint, known, n);
    if (ledger.done_n == static_cast<std::uint32_t>(n)) ++ledger.changes;
    if (moved) ledger.external_n = n;
    return moved ? Tier::kExternal : Tier::kNone;
}

}  // namespace headway::core
