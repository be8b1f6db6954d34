// SPDX-License-Identifier: Apache-2.0
#include "core/views/wait.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "core/base/assert.hpp"

namespace headway::core {
namespace {

void add(Until& until, std::initializer_list<Verdict> verdicts) {
    for (Verdict verdict : verdicts)
        until.verdicts.set(static_cast<std::size_t>(verdict));
}

void add_ended(Until& until) {
    add(until, {Verdict::kCompleted, Verdict::kFailed, Verdict::kCancelled, Verdict::kHalted});
}

bool add_word(Until& until, std::string_view word) {
    Verdict verdict{};
    if (word == "settled") {
        add_ended(until);
        add(until, {Verdict::kStuck, Verdict::kBlocked});
        until.needs_somebody = true;
    } else if (word == "ended") {
        add_ended(until);
    } else if (word == "event") {
        until.any_event = true;
    } else if (word == "needs_somebody") {
        until.needs_somebody = true;
    } else if (parse_name(word, verdict)) {
        add(until, {verdict});
    } else {
        return false;
    }
    return true;
}

}  // namespace

Result<Until> parse_until(std::string_view text) {
    Until until;
    while (true) {
        const std::size_t comma = text.find(',');
        const std::string_view word = text.substr(0, comma);
        if (!add_word(until, word)) {
            return Error{ErrorCode::kInvalidParameter,
                         "'" + std::string{word} +
                             "' is neither a verdict (such as completed, stuck, silent) nor one of "
                             "settled, ended, event, needs_somebody",
                         "until"};
        }
        if (comma == std::string_view::npos) return until;
        text.remove_prefix(comma + 1);
    }
}

WaitAnswer answer(const WaitFor& wait, const SessionView& view) {
    const Verdict now = view.judgement->verdict;
    WaitAnswer answer;
    if (wait.until.any_event && view.n > wait.after) {
        answer.met = true;
        return answer;
    }
    // A wait for what needs a person does not end at what the agent tries again by itself.
    const bool passing = now == Verdict::kBlocked && passes(view.judgement->cause) &&
                         !view.judgement->needs_somebody && wait.until.needs_somebody;
    if (wait.mode == WaitMode::kNow && wait.until.contains(now) && view.n > wait.after &&
        !passing) {
        answer.matched = now;
    }
    // How it stands now, whatever the mode: the journal does not tell when a wait was flagged.
    if (wait.until.needs_somebody && view.judgement->needs_somebody && view.n > wait.after) {
        answer.matched = now;
    }
    if (wait.mode == WaitMode::kEver) {
        for (std::size_t i = 0; i < kVerdictCount; ++i) {
            if (!wait.until.verdicts.test(i) || view.reached[i] <= wait.after) continue;
            if (view.reached[i] != 0) answer.matched = static_cast<Verdict>(i);
        }
    }
    HEADWAY_ASSERT(!answer.matched || wait.until.contains(*answer.matched) ||
                   wait.until.needs_somebody);
    answer.met = answer.matched.has_value();
    if (!answer.met && view.ended) answer.give_up(WaitCause::kEnded);
    return answer;
}

Timestamp gone_at(const WaitFor& wait, const SessionView& view, const Watch& watch) {
    if (view.ended || view.held || view.asked_interval <= Millis{0}) return kNever;
    const Judgement& judged = *view.judgement;
    const bool child_works = judged.verdict == Verdict::kWaiting && judged.detector == "liveness";
    if (child_works || (!wait.silent_for && wait.until.any_event)) return kNever;
    HEADWAY_ASSERT(!view.ended && view.asked_interval > Millis{0});
    const Millis usual = kGoneIntervals * view.asked_interval;
    const Millis patience =
        wait.silent_for.value_or(view.quiet_call ? std::max<Millis>(usual, kGoneInCall) : usual);
    if (patience <= Millis{0}) return kNever;
    const Timestamp heard = std::max(view.heard_at, watch.since(view.asked_interval));
    return heard + std::max(patience, 2 * view.asked_interval);
}

}  // namespace headway::core
