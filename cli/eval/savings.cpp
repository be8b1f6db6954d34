// SPDX-License-Identifier: Apache-2.0
#include "cli/eval/savings.hpp"

#include <algorithm>
#include <array>

namespace headway::cli {
namespace {

/// After how many calls the rule stops the session, if it does.
using Stop = std::optional<std::size_t> (*)(const Timeline&);

struct Rule {
    const char* name;
    Stop stop;
    bool needs_times = false;
};

std::optional<std::size_t> after(const Timeline& timeline, std::size_t calls) {
    return timeline.calls > calls ? std::optional{calls} : std::nullopt;
}

constexpr std::array<Rule, 7> kRules{{
    {"stuck",
     [](const Timeline& timeline) {
         const Step* alarm = first_alarm(timeline, core::Verdict::kStuck);
         return alarm == nullptr ? std::nullopt : std::optional{alarm->call};
     }},
    {"the same call 3 times in a row", [](const Timeline& timeline) { return timeline.same_3; }},
    {"the same call 5 times in a row", [](const Timeline& timeline) { return timeline.same_5; }},
    {"more than 25 calls", [](const Timeline& timeline) { return after(timeline, 25); }},
    {"more than 50 calls", [](const Timeline& timeline) { return after(timeline, 50); }},
    {"silent for 10 minutes", [](const Timeline& timeline) { return timeline.quiet_10; }, true},
    {"silent for 30 minutes", [](const Timeline& timeline) { return timeline.quiet_30; }, true},
}};

std::optional<double> share(std::size_t part, std::size_t whole) {
    if (whole == 0) return std::nullopt;
    return static_cast<double>(part) / static_cast<double>(whole);
}

Savings count(const Rule& rule, std::span<const JudgedSession* const> sessions) {
    Savings savings;
    savings.rule = rule.name;
    std::array<std::size_t, 2> calls{};  // of failures, of successes
    std::array<std::size_t, 2> unmade{};
    for (const JudgedSession* const session : sessions) {
        const Timeline& timeline = session->timeline;
        const bool success = session->label.success;
        if ((!success && !session->label.failure) || (rule.needs_times && !timeline.timed))
            continue;
        const std::optional<std::size_t> stop = rule.stop(timeline);
        if (success) ++savings.successes;
        if (success && stop) ++savings.stopped;
        calls[success ? 1 : 0] += timeline.calls;
        if (stop) unmade[success ? 1 : 0] += timeline.calls - std::min(*stop, timeline.calls);
    }
    savings.saved = share(unmade[0], calls[0]);
    savings.lost = share(unmade[1], calls[1]);
    return savings;
}

}  // namespace

std::vector<Savings> savings_of(std::span<const JudgedSession* const> sessions) {
    std::vector<Savings> all;
    all.reserve(kRules.size());
    for (const Rule& rule : kRules)
        all.push_back(count(rule, sessions));
    return all;
}

}  // namespace headway::cli
