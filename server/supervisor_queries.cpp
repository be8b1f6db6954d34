// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/limits.hpp"
#include "server/supervisor_turn.hpp"

// Queries: committed state, one bounded page at a time.

namespace headway::server {

using core::Result;

namespace {

/// Events per read of a stream's page; a page ends with its time slice.
constexpr std::size_t kReplayStep = 32;

}  // namespace

Result<Answer> Supervisor::answer(const SessionQuery& query) {
    HEADWAY_TRY(Resident * resident, require_resident(query.session));
    if (!resident->session.state().budget.limited()) {
        return Answer{document(resident->session, 200, {})};
    }
    HEADWAY_TRY(const core::BudgetPrediction prediction, prediction_for(resident->session));
    BodyReply reply;
    api::append_session(reply.body, resident->session, reading_time(), &prediction);
    return Answer{std::move(reply)};
}

Result<Answer> Supervisor::answer(const ComparisonQuery& query) {
    BodyReply reply;
    if (!query.session.empty()) {
        HEADWAY_TRY(Resident * resident, require_resident(query.session));
        api::append_comparison(reply.body, resident->session, clock_.now());
        return Answer{std::move(reply)};
    }
    api::TimeoutTotals totals;
    HEADWAY_TRY(totals.sessions, store_.counter("legacy.sessions"));
    HEADWAY_TRY(totals.killed, store_.counter("legacy.killed"));
    HEADWAY_TRY(totals.saved, store_.counter("legacy.saved"));
    HEADWAY_TRY(totals.saved_ms, store_.counter("legacy.saved_ms"));
    api::append_timeout_totals(reply.body, totals);
    return Answer{std::move(reply)};
}

Result<Answer> Supervisor::answer(const ViewQuery& query) {
    ViewReply reply;
    reply.session = query.session;
    HEADWAY_TRY(Resident * resident, find_resident(query.session));
    if (resident != nullptr) {
        reply.view = std::make_unique<core::SessionView>(core::view_of(resident->session));
    }
    return Answer{std::move(reply)};
}

Result<Answer> Supervisor::answer(const SystemQuery& query) {
    api::SystemReport report = *query.report;
    report.now = clock_.now();
    report.head = store_.head();
    report.commits = stats_.commits;
    report.commit_p50_ms = commit_percentile_ms(50);
    report.commit_p99_ms = commit_percentile_ms(99);
    storage::SessionFilter open;
    open.open = true;
    HEADWAY_TRY(report.sessions_open, store_.count(open));
    report.sessions_in_memory = residents_.size();
    report.retention = settings_.retention;
    BodyReply reply;
    api::append_system(reply.body, report);
    return Answer{std::move(reply)};
}

/// Percentile of the newest commits; 0 before the first.
double Supervisor::commit_percentile_ms(std::size_t percent) const {
    std::vector<std::uint32_t> times = commit_times_;
    if (times.empty()) return 0;
    const auto place =
        times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) * percent / 100);
    std::nth_element(times.begin(), place, times.end());
    return static_cast<double>(*place) / 1000;
}

void Supervisor::note_commit(std::uint64_t microseconds) {
    ++stats_.commits;
    stats_.commit_microseconds += microseconds;
    const auto time = static_cast<std::uint32_t>(std::min<std::uint64_t>(microseconds, UINT32_MAX));
    if (commit_times_.size() < core::limits::kCommitTimesMax) {
        commit_times_.push_back(time);
    } else {
        commit_times_[stats_.commits % core::limits::kCommitTimesMax] = time;
    }
}

Result<Answer> Supervisor::answer(const StreamQuery& query) {
    StreamReply reply;
    reply.session = query.session;
    if (query.session.empty()) {
        HEADWAY_CHECK(stream_all(query, reply));
    } else {
        HEADWAY_CHECK(stream_session(query, reply));
    }
    return Answer{std::move(reply)};
}

Result<> Supervisor::stream_session(const StreamQuery& query, StreamReply& reply) {
    HEADWAY_TRY(Resident * resident, require_resident(query.session));
    reply.head = static_cast<std::int64_t>(resident->session.state().n);
    reply.oldest = 1;
    reply.from = query.after.value_or(reply.head);
    if (reply.from > reply.head) {
        reply.reset = "the position is from the future; was the database restored?";
        reply.from = reply.head;
    }
    const auto started = Clock::steady();
    std::int64_t at = reply.from;
    while (at < reply.head && reply.events.size() < core::limits::kReplayPage &&
           Clock::steady() - started < kReaderSlice) {
        HEADWAY_TRY(auto events, store_.read_session(resident->key, resident->chain,
                                                     static_cast<std::uint64_t>(at), kReplayStep));
        if (events.empty()) break;
        at = static_cast<std::int64_t>(events.back().n);
        for (core::Event& event : events) {
            const auto n = static_cast<std::int64_t>(event.n);
            reply.events.push_back({n, query.session, std::move(event)});
        }
    }
    reply.caught_up = reply.events.empty() || reply.events.back().cursor == reply.head;
    return {};
}

Result<> Supervisor::stream_all(const StreamQuery& query, StreamReply& reply) {
    reply.head = store_.head();
    reply.oldest = store_.oldest();
    reply.from = query.after.value_or(reply.head);
    if (reply.from > reply.head) {
        reply.reset = "the position is from the future; was the database restored?";
        reply.from = reply.head;
    } else if (reply.from > 0 && reply.from < reply.oldest - 1) {
        reply.reset = "events after the position were deleted by retention";
    }
    const auto started = Clock::steady();
    std::int64_t at = reply.from;
    while (!reply.caught_up && reply.events.size() < core::limits::kReplayPage &&
           Clock::steady() - started < kReaderSlice) {
        HEADWAY_TRY(auto events, store_.read_stream(at, kReplayStep));
        reply.caught_up = events.size() < kReplayStep;
        if (!events.empty()) at = events.back().cursor;
        reply.events.insert(reply.events.end(), std::make_move_iterator(events.begin()),
                            std::make_move_iterator(events.end()));
    }
    return {};
}

}  // namespace headway::server
