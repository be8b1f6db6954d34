// SPDX-License-Identifier: Apache-2.0
#include "cli/eval/eval_metrics.hpp"

#include <algorithm>
#include <utility>

namespace headway::cli {
namespace {

using core::Verdict;

constexpr std::int64_t kLongLoop = 5;

Verdict verdict_of(const Step& step) {
    return std::get<core::VerdictChanged>(step.event.payload).to;
}

bool reaches(Verdict verdict, Verdict least) {
    return verdict == Verdict::kStuck || (least == Verdict::kSuspect && verdict == least);
}

bool ever_stuck(const JudgedSession& session) {
    return first_alarm(session.timeline, Verdict::kStuck) != nullptr;
}

struct Share {
    std::size_t hits = 0;
    std::size_t of = 0;

    void count(bool hit) {
        ++of;
        if (hit) ++hits;
    }
    std::optional<double> value() const {
        if (of == 0) return std::nullopt;
        return static_cast<double>(hits) / static_cast<double>(of);
    }
};

std::optional<double> median(std::vector<std::size_t> values) {
    if (values.empty()) return std::nullopt;
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    const auto upper = static_cast<double>(values[middle]);
    if (values.size() % 2 == 1) return upper;
    return (static_cast<double>(values[middle - 1]) + upper) / 2;
}

std::size_t nudges_in(const Timeline& timeline) {
    return static_cast<std::size_t>(
        std::count_if(timeline.directives.begin(), timeline.directives.end(), [](const Step& step) {
            return std::get<core::DirectiveIssued>(step.event.payload).kind ==
                   core::DirectiveKind::kChangeApproach;
        }));
}

}  // namespace

const Step* first_alarm(const Timeline& timeline, Verdict least) {
    const auto found =
        std::find_if(timeline.verdicts.begin(), timeline.verdicts.end(),
                     [least](const Step& step) { return reaches(verdict_of(step), least); });
    return found == timeline.verdicts.end() ? nullptr : &*found;
}

std::optional<std::size_t> delay_of(const Timeline& timeline, std::size_t start, Verdict least) {
    Verdict standing = Verdict::kStarting;  // when the loop's first call had been judged
    auto step = timeline.verdicts.begin();
    for (; step != timeline.verdicts.end() && step->call <= start; ++step)
        standing = verdict_of(*step);
    const auto next = step;
    // A verdict from before the loop counts unless that very call ends it.
    const bool ended_at_once = next != timeline.verdicts.end() && next->call == start + 1;
    if (reaches(standing, least) && !ended_at_once) return 1;
    for (; step != timeline.verdicts.end(); ++step) {
        if (reaches(verdict_of(*step), least)) return step->call - start;
    }
    return std::nullopt;
}

bool is_false_stuck(const JudgedSession& session) {
    return session.label.success && session.label.loop == Known::kNo && ever_stuck(session);
}

bool is_stuck_unknown(const JudgedSession& session) {
    return session.label.success && session.label.loop == Known::kUnknown && ever_stuck(session);
}

bool is_suspect_on_success(const JudgedSession& session) {
    return session.label.success && first_alarm(session.timeline, Verdict::kSuspect) != nullptr;
}

bool is_missed_loop(const JudgedSession& session) {
    return session.label.loop == Known::kYes && !ever_stuck(session);
}

bool is_wrong_alarm(const JudgedSession& session) {
    return session.read == AlarmRead::kWrong && ever_stuck(session);
}

bool is_unread_alarm(const JudgedSession& session) {
    return !session.read && ever_stuck(session);
}

AlarmCounts count_alarms(std::span<const JudgedSession> sessions) {
    AlarmCounts counts;
    for (const JudgedSession& session : sessions) {
        if (!ever_stuck(session)) continue;
        ++counts.stuck;
        if (!session.read) ++counts.unread;
        if (session.read == AlarmRead::kRight) ++counts.right;
        if (session.read == AlarmRead::kWrong) ++counts.wrong;
        if (session.read == AlarmRead::kUnclear) ++counts.unclear;
    }
    const std::size_t clear = counts.right + counts.wrong;
    if (clear > 0)
        counts.precision = static_cast<double>(counts.right) / static_cast<double>(clear);
    return counts;
}

bool agrees(const Scenario& scenario) {
    return (first_alarm(scenario.timeline, Verdict::kStuck) != nullptr) == scenario.expects_stuck;
}

Metrics measure(std::span<const JudgedSession* const> sessions) {
    Metrics metrics;
    Share recall;
    Share human;
    Share longer;
    std::size_t calls = 0;
    std::size_t nudges = 0;
    std::vector<std::size_t> to_suspect;
    std::vector<std::size_t> to_stuck;
    for (const JudgedSession* const session : sessions) {
        const SessionLabel& label = session->label;
        ++metrics.sessions;
        if (label.success) ++metrics.successes;
        if (is_false_stuck(*session)) ++metrics.false_stuck;
        if (is_stuck_unknown(*session)) ++metrics.stuck_unknown;
        if (is_suspect_on_success(*session)) ++metrics.suspects_on_success;
        calls += session->timeline.calls;
        nudges += nudges_in(session->timeline);
        if (label.loop != Known::kYes) continue;
        const bool stuck = ever_stuck(*session);
        recall.count(stuck);
        if (label.by_human) human.count(stuck);
        if (label.loop_length >= kLongLoop) longer.count(stuck);
        if (label.loop_start < 0) continue;
        const auto start = static_cast<std::size_t>(label.loop_start);
        for (auto& [least, delays] :
             {std::pair{Verdict::kSuspect, &to_suspect}, std::pair{Verdict::kStuck, &to_stuck}}) {
            const auto delay = delay_of(session->timeline, start, least);
            if (delay) delays->push_back(*delay);
        }
    }
    metrics.loops = recall.of;
    metrics.recall = recall.value();
    metrics.recall_human = human.value();
    metrics.recall_5 = longer.value();
    metrics.delay_suspect = median(std::move(to_suspect));
    metrics.delay_stuck = median(std::move(to_stuck));
    if (calls > 0) {
        metrics.nudges_per_1000_calls =
            1'000.0 * static_cast<double>(nudges) / static_cast<double>(calls);
    }
    return metrics;
}

}  // namespace headway::cli
