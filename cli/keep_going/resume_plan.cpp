// SPDX-License-Identifier: Apache-2.0
#include "cli/keep_going/resume_plan.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "core/calls/mask.hpp"
#include "core/text/sha256.hpp"
#include "core/text/words.hpp"

namespace headway::cli {
namespace {

using core::Cause;
using std::chrono::milliseconds;

// In margins, which is a minute by default.

/// Agents that wait for the same reset begin within this time, one after the other.
constexpr int kSpread = 3;
/// The agent itself has tried for minutes when it ends by an overload.
constexpr int kBackoffFirst = 2;
constexpr int kBackoffMost = 30;
/// A limit without a time: a quota of a day may end at any hour.
constexpr int kUnknownReset = 60;
/// How long the limit that another run has found delays an agent. One try too many is cheap: the
/// provider refuses it at once. A night in which a model that serves is not tried is not.
constexpr int kPatience = 10;
/// After a crash so many waits are one margin.
constexpr int kCrashesOfMargin = 6;

constexpr const char* kCarryOn =
    " Continue the task. Do not repeat work that is already complete; if a call was cut off, check "
    "whether it took effect before you run it again.";

milliseconds part_of(milliseconds wait, double chance) {
    const double share = static_cast<double>(wait.count()) * std::clamp(chance, 0.0, 1.0);
    return milliseconds{static_cast<std::int64_t>(share)};
}

milliseconds backoff(milliseconds margin, std::uint64_t times, double chance) {
    milliseconds wait = margin * kBackoffFirst;
    for (std::uint64_t i = 0; i < times && wait < margin * kBackoffMost; ++i)
        wait *= 2;
    wait = std::min(wait, margin * kBackoffMost);
    return wait + part_of(wait / 4, chance);
}

/// Stops that only a person ends.
bool needs_person(Cause cause) {
    static constexpr std::array kPersons{Cause::kCredentials, Cause::kBilling, Cause::kModelMissing,
                                         Cause::kCertificate, Cause::kRefused, Cause::kPerson,
                                         Cause::kTool};
    return std::find(kPersons.begin(), kPersons.end(), cause) != kPersons.end();
}

ResumeStep in_turn(ResumeStep step) {
    step.in_turn = step.resume;
    return step;
}

std::string prompt_of(std::string_view happened) {
    return "The previous run ended early: " + std::string(happened) + "." + kCarryOn;
}

}  // namespace

std::string_view check_fault(const RunOver& run) {
    if (run.mute) return "the resumed agent printed no line of its own";
    if (run.check_missed) return "the check did not run";
    if (!run.check_failed) return {};
    if (run.check_ended) return "the check was ended";
    return run.check_broken.empty() ? "the check failed" : "the check cannot be run";
}

bool says_lost(std::string_view words) {
    static constexpr std::array<std::string_view, 9> kLost{
        "no conversation found", "conversation not found", "no rollout found",
        "no saved session",      "session not found",      "no session found",
        "no previous session",   "no session or task",     "invalid session identifier"};
    const std::string text = core::lower(words);
    return std::any_of(kLost.begin(), kLost.end(),
                       [&text](std::string_view lost) { return text.find(lost) != text.npos; });
}

ResumeStep ResumePlan::end(std::string why) const {
    ResumeStep step;
    step.why = std::move(why);
    return step;
}

ResumeStep ResumePlan::at(WallTime time, std::string why, std::string prompt) {
    if (counts_.in_row >= rules_.resumes_max)
        return end("not resumed: " + std::to_string(counts_.in_row) +
                   " resumes in a row without progress");
    if (counts_.resumes >= kResumesMost)
        return end("not resumed: " + std::to_string(counts_.resumes) +
                   " resumes are the most of a run");
    if (time > began_ + rules_.until) return end("not resumed: " + why + ", and that is too late");
    ++counts_.resumes;
    ++counts_.in_row;
    ResumeStep step;
    step.resume = true;
    step.at = time;
    step.why = std::move(why);
    step.prompt = std::move(prompt);
    return step;
}

constexpr const char* kStuckAgain = "not resumed: it is stuck again";

ResumeStep ResumePlan::next(const RunOver& run, WallTime now, double chance) {
    if (run.progressed) {
        counts_.in_row = 0;
        counts_.compacted = false;
    }
    if (run.stopped) return end("not resumed: it was stopped");
    if (run.interrupted) return end("not resumed: it was interrupted");
    if (run.unread && (!run.end.completed || run.check_failed))
        return end("not resumed: its output has no reader any more");
    if (run.end.completed) {
        if (!run.check_broken.empty())
            return end("not resumed: the check cannot be run (" + run.check_broken +
                       "), which needs a person");
        if (!run.check_failed) return end("");
        if (is_stuck_again(run)) return end(kStuckAgain);
        return with_stuck(run, after_check(*run.check_failed, now));
    }
    if (run.end.finished)
        return end("not resumed: it reports success, and only its exit status does not");
    counts_.last_check.clear();
    if (run.guarded) return end("not resumed: it stopped itself in a loop");
    if (run.end.limited) return end("not resumed: it reached a limit that it was started with");
    if (run.needs_person || needs_person(run.end.cause))
        return end("not resumed: it needs a person");
    if (run.signal == SIGINT || run.signal == SIGTERM || run.signal == SIGHUP)
        return end("not resumed: it was ended by a signal of a person");
    if (is_stuck_again(run)) return end(kStuckAgain);
    return with_stuck(run, after_stop(run, now, chance));
}

/// A loop is resumed once, whichever way its agent ended.
bool ResumePlan::is_stuck_again(const RunOver& run) {
    return !run.stuck.empty() && std::exchange(counts_.unstuck, true);
}

ResumeStep ResumePlan::with_stuck(const RunOver& run, ResumeStep step) {
    if (run.stuck.empty() || !step.resume) return step;
    step.prompt += " Before it ended it was stuck: " + run.stuck +
                   ". Do not repeat that; take another approach.";
    return step;
}

ResumeStep ResumePlan::after_check(const std::string& output, WallTime now) {
    // Most test runners print how long they took.
    std::string masked;
    core::append_masked(masked, output);
    std::string digest = core::sha256_hex(masked);
    if (digest == counts_.last_check)
        return end("not resumed: the check fails in the same way again");
    counts_.last_check = std::move(digest);
    return at(now, "the check failed",
              "The check that follows the task failed. Its output ends so:\n" + output +
                  "\nContinue until the check passes.");
}

ResumeStep ResumePlan::after_stop(const RunOver& run, WallTime now, double chance) {
    const milliseconds margin = rules_.margin;
    const Cause cause = run.end.cause;
    const auto reset = reset_time(run.end.retry_at);
    if (cause == Cause::kUsageLimit) {
        const WallTime due = reset ? std::max(*reset, now) + margin : now + margin * kUnknownReset;
        // Chance alone must not make it too late.
        const milliseconds room = std::max(began_ + rules_.until - due, milliseconds{0});
        const WallTime start = due + part_of(std::min(margin * kSpread, room), chance);
        return in_turn(at(start, "the usage limit is reached",
                          prompt_of("the usage limit was reached, and it has reset")));
    }
    if (core::passes(cause)) {
        const WallTime due = now + backoff(margin, counts_.in_row, chance);
        return in_turn(at(reset ? std::max(due, *reset + margin) : due,
                          std::string(core::phrase_of(cause)), prompt_of(core::phrase_of(cause))));
    }
    if (cause == Cause::kContextFull) {
        if (std::exchange(counts_.compacted, true))
            return end("not resumed: the context of the model is full again");
        return at(now, "the context of the model is full", prompt_of("the context was full"));
    }
    const std::string happened = run.signal != 0 ? "the process was killed"
                                 : run.end.cut_off
                                     ? "the run ended before its work in the background"
                                     : "the run ended without a result";
    const milliseconds wait = counts_.in_row == 0 ? margin / kCrashesOfMargin
                                                  : backoff(margin, counts_.in_row - 1, chance);
    return at(now + wait, happened, prompt_of(happened));
}

WallTime probe_time(WallTime due, WallTime latest, milliseconds margin) {
    // Half of the time that is left is for the turns of the others that wait until then, too.
    const milliseconds left = std::max(latest - due, milliseconds{0});
    return due + std::min(margin * kPatience, left / 2);
}

std::optional<WallTime> reset_time(const std::string& text) {
    return text.empty() ? std::nullopt : parse_time(text);
}

}  // namespace headway::cli
