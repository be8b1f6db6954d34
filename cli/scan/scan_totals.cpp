// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/scan_totals.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <unordered_set>

namespace headway::cli {
namespace {

using Seen = std::unordered_set<std::uint64_t>;

void add_use(Totals& to, const CountedUse& use) {
    to.tokens += use.tokens;
    if (use.cost_usd) {
        to.cost_usd += *use.cost_usd;
    } else {
        to.unpriced += use.tokens;
    }
}

std::int64_t day_of(double seconds) {
    return static_cast<std::int64_t>(std::floor(seconds / 86'400));
}

CountedSession count(const ScannedSession& session, Seen& answers, Seen& calls,
                     ScanTotals& totals) {
    CountedSession counted;
    counted.session = &session;
    counted.used.sessions = 1;
    counted.used.sub_agents = session.about.parent.empty() ? 0 : 1;
    counted.used.worked = session.worked;
    counted.stuck = session.stuck.has_value();
    for (std::size_t i = 0; i < session.calls.size(); ++i) {
        const std::uint64_t call = session.calls[i];
        const bool own = calls.insert(call >> 1).second;
        if (own) ++counted.used.calls;
        if (own && (call & 1) != 0) ++counted.used.failures;
        // A fork copies the loop of what it was forked from.
        if (!own && session.stuck && session.stuck->call == i + 1) counted.stuck = false;
    }
    for (const CountedUse& use : session.uses) {
        if (!answers.insert(use.answer).second) continue;
        add_use(counted.used, use);
        add_use(totals.by_model[session.models[use.model]], use);
        totals.by_day[day_of(use.seconds)].tokens += use.tokens;
        if (use.after_stuck) add_use(counted.after_stuck, use);
    }
    return counted;
}

}  // namespace

void Totals::add(const Totals& other) {
    sessions += other.sessions;
    sub_agents += other.sub_agents;
    calls += other.calls;
    failures += other.failures;
    tokens += other.tokens;
    unpriced += other.unpriced;
    cost_usd += other.cost_usd;
    worked += other.worked;
}

ScanTotals count_sessions(std::span<const ScannedSession> sessions) {
    std::vector<const ScannedSession*> order;
    order.reserve(sessions.size());
    for (const ScannedSession& session : sessions)
        order.push_back(&session);
    // A fork begins later than what it copies; equal times: the file's name decides.
    std::sort(order.begin(), order.end(), [](const ScannedSession* a, const ScannedSession* b) {
        return std::tie(a->began, a->file) < std::tie(b->began, b->file);
    });
    ScanTotals totals;
    Seen answers;
    Seen calls;
    for (const ScannedSession* session : order) {
        const CountedSession counted = count(*session, answers, calls, totals);
        totals.all.add(counted.used);
        totals.after_stuck.add(counted.after_stuck);
        if (counted.stuck) ++totals.stuck;
        if (counted.stuck) ++totals.by_day[day_of(session->stuck->seconds)].stuck;
        if (session->last.verdict == core::Verdict::kBlocked) ++totals.blocked;
        if (session->open_calls > 0) ++totals.cut_off;
        if (session->refused > 0) ++totals.refused;
        totals.by_agent[session->about.agent].add(counted.used);
        totals.by_project[session->about.project].add(counted.used);
        totals.by_week[week_of(session->began)].add(counted.used);
        totals.sessions.push_back(counted);
    }
    return totals;
}

std::string week_of(double seconds) {
    using namespace std::chrono;
    const sys_days day = floor<days>(sys_seconds{std::chrono::seconds{static_cast<long>(seconds)}});
    const weekday of{day};
    const year_month_day monday{day - (of - Monday)};
    char text[16];
    std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(monday.year()),
                  static_cast<unsigned>(monday.month()), static_cast<unsigned>(monday.day()));
    return text;
}

}  // namespace headway::cli
