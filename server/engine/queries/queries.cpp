// SPDX-License-Identifier: Apache-2.0
#include "server/engine/queries/queries.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/footprint.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/budget.hpp"
#include "server/engine/commands/approval_documents.hpp"
#include "server/engine/projections/expectations.hpp"
#include "server/engine/transaction/costs.hpp"

// Queries of one document each.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// Events per read of a stream's page; a page ends with its time slice.
constexpr std::size_t kReplayStep = 32;

Result<core::BudgetPrediction> prediction_for(const Reader& reader, const core::Session& session) {
    const core::SessionState& state = session.state();
    const std::string& agent = state.about.agent.type;
    HEADWAY_TRY(const auto records,
                reader.store().history().list_uses(agent, core::limits::kPredictionSamplesMax));
    const api::ReadingTime time = reader.time();
    const core::BudgetStatus status = core::budget_status(state, time.now, time.watch);
    return core::predict(agent, records, status.steps.used, status.time.used);
}

Result<> stream_session(const Reader& reader, const StreamQuery& query, StreamReply& reply) {
    HEADWAY_TRY(const Resident* resident, reader.require(query.session));
    reply.head = static_cast<std::int64_t>(resident->session.state().n);
    reply.oldest = 1;
    reply.from = query.after.value_or(reply.head);
    if (reply.from > reply.head) {
        reply.reset = "the position is from the future; was the database restored?";
        reply.from = reply.head;
    }
    const auto started = Clock::steady();
    std::int64_t at = reply.from;
    reply.caught_up = at >= reply.head;
    while (!reply.caught_up && reply.events.size() < core::limits::kReplayPage &&
           Clock::steady() - started < kReaderSlice) {
        HEADWAY_TRY(auto events,
                    reader.store().read_session(resident->key, resident->chain,
                                                static_cast<std::uint64_t>(at), kReplayStep));
        if (!events.empty()) at = static_cast<std::int64_t>(events.back().n);
        reply.caught_up = events.empty() || at >= reply.head;
        for (core::Event& event : events) {
            const auto n = static_cast<std::int64_t>(event.n);
            reply.events.push_back({n, query.session, std::move(event)});
        }
    }
    reply.through = at;
    return {};
}

Result<> stream_all(const Reader& reader, const StreamQuery& query, StreamReply& reply) {
    reply.head = reader.store().head();
    reply.oldest = reader.store().oldest();
    reply.from = query.after.value_or(reply.head);
    if (reply.from > reply.head) {
        if (reader.is_behind()) {
            return Error{ErrorCode::kOverloaded,
                         "this daemon has not yet read what others have written; try again",
                         {}};
        }
        reply.reset = "the position is from the future; was the database restored?";
        reply.from = reply.head;
    } else if (reply.from > 0 && reply.from < reply.oldest - 1) {
        reply.reset = "events after the position were deleted";
    }
    const auto started = Clock::steady();
    std::int64_t at = reply.from;
    while (!reply.caught_up && reply.events.size() < core::limits::kReplayPage &&
           Clock::steady() - started < kReaderSlice) {
        HEADWAY_TRY(storage::StreamPage page, reader.store().read_stream(at, kReplayStep));
        // Later commits of other daemons come live.
        while (!page.events.empty() && page.events.back().cursor > reply.head)
            page.events.pop_back();
        at = std::min(page.through, std::max(at, reply.head));
        reply.caught_up = page.end || at >= reply.head;
        reply.events.insert(reply.events.end(), std::make_move_iterator(page.events.begin()),
                            std::make_move_iterator(page.events.end()));
    }
    reply.through = at;
    return {};
}

}  // namespace

Result<SessionDocument> SessionQuery::operator()(Reader& reader) const {
    HEADWAY_TRY(const Resident* resident, reader.require(session));
    SessionDocument document{resident->session, reader.time()};
    document.adapter = adapter_with_cost(reader, resident->key, resident->session);
    document.cost_warning = cost_warning(reader, resident->session, document.adapter);
    HEADWAY_TRY(document.approvals_below, reader.approvals_below(resident->session));
    if (resident->session.state().budget.limited()) {
        HEADWAY_TRY(document.prediction, prediction_for(reader, resident->session));
    }
    HEADWAY_TRY(document.expected, expectations_of(reader, *resident));
    return document;
}

Result<std::variant<SessionCompared, api::TimeoutTotals>> ComparisonQuery::operator()(
    Reader& reader) const {
    if (!session.empty()) {
        HEADWAY_TRY(const Resident* resident, reader.require(session));
        return SessionCompared{resident->session, reader.now()};
    }
    api::TimeoutTotals totals;
    HEADWAY_TRY(totals.sessions, reader.store().history().counter("legacy.sessions"));
    HEADWAY_TRY(totals.killed, reader.store().history().counter("legacy.killed"));
    HEADWAY_TRY(totals.saved, reader.store().history().counter("legacy.saved"));
    HEADWAY_TRY(totals.saved_ms, reader.store().history().counter("legacy.saved_ms"));
    return totals;
}

Result<ViewShown> ViewQuery::operator()(Reader& reader) const {
    HEADWAY_TRY(const Resident* resident, reader.find(session));
    ViewShown shown{session, nullptr};
    if (resident != nullptr)
        shown.view = std::make_unique<core::SessionView>(core::view_of(resident->session));
    return shown;
}

/// Sets the start of a stream without a position to the state before this turn's writes. Queries
/// are answered after these writes, but a reporter may have waited for its stream to be open, so
/// the stream must include that report.
void StreamQuery::arrive(Reader& reader) {
    if (after) return;
    if (session.empty()) {
        after = reader.store().head();
        return;
    }
    const auto resident = reader.require(session);
    if (resident) {
        after = static_cast<std::int64_t>((*resident)->session.state().n);
    } else if (resident.error().code == core::ErrorCode::kUnknownSession) {
        after = 0;  // opened in this turn, or still unknown afterwards
    }
}

Result<StreamReply> StreamQuery::operator()(Reader& reader) const {
    StreamReply reply;
    reply.session = session;
    if (session.empty()) {
        HEADWAY_CHECK(stream_all(reader, *this, reply));
    } else {
        HEADWAY_CHECK(stream_session(reader, *this, reply));
    }
    return reply;
}

std::size_t size_of(const StreamReply& page) {
    return page.events.size() * core::limits::kTextWholeBytesMax;
}

std::size_t size_of(const SessionDocument& shown) {
    return sizeof(shown) + core::footprint(shown.session.state());
}

std::size_t size_of(const SessionCompared& compared) {
    return sizeof(compared) + core::footprint(compared.session.state());
}

std::size_t size_of(const BudgetDocument& budget) {
    return sizeof(budget) + core::footprint(budget.session.state());
}

std::size_t size_of(const ApprovalPolled& polled) {
    return sizeof(polled) + 2 * core::limits::kTextWholeBytesMax;  // arguments, as asked and edited
}

Result<BudgetDocument> BudgetQuery::operator()(Reader& reader) const {
    HEADWAY_TRY(const Resident* resident, reader.require(session));
    HEADWAY_TRY(auto prediction, prediction_for(reader, resident->session));
    HEADWAY_TRY(auto expected, expectations_of(reader, *resident));
    const auto adapter = reader.adapter(resident->key, resident->session);
    return BudgetDocument{resident->session, reader.time(), std::move(prediction),
                          std::move(expected.usual_calls),
                          cost_warning(reader, resident->session, adapter)};
}

Result<BudgetAnalytics> BudgetAnalyticsQuery::operator()(Reader& reader) const {
    constexpr std::size_t kMax = core::limits::kHistoryScanMax;
    HEADWAY_TRY(auto records, reader.store().history().list_uses(agent, kMax + 1));
    const bool more = records.size() > kMax;
    if (more) records.pop_back();
    return BudgetAnalytics{core::summarize(records), records.size(), more};
}

Result<ApprovalPolled> ApprovalQuery::operator()(Reader& reader) const {
    std::string of = session;
    std::uint64_t number = n;
    HEADWAY_CHECK(resolve(reader, alias, AliasUse::kRead, of, number));
    HEADWAY_TRY(const auto key, reader.store().find(of));
    if (!key) return unknown_approval(of, number);
    HEADWAY_TRY(const auto stored, reader.store().approvals().find_approval(*key, number));
    if (!stored) return unknown_approval(of, number);
    HEADWAY_TRY(auto document, approval_document(reader, *stored));
    return ApprovalPolled{std::move(document)};
}

Result<api::SystemReport> SystemQuery::operator()(Reader& reader) const {
    api::SystemReport completed = *report;
    completed.now = reader.now();
    completed.head = reader.store().head();
    completed.commits = reader.commits().commits();
    completed.commit_p50_ms = reader.commits().percentile_ms(50);
    completed.commit_p99_ms = reader.commits().percentile_ms(99);
    storage::SessionFilter open;
    open.open = true;
    HEADWAY_TRY(completed.sessions_open, reader.store().index().count(open));
    completed.sessions_in_memory = reader.sessions_in_memory();
    completed.retention = reader.settings().retention;
    for (const storage::DaemonSeen& daemon : reader.daemons())
        completed.daemons.push_back(
            {daemon.id, daemon.name, daemon.version, daemon.started_at, daemon.seen_at});
    return completed;
}

}  // namespace headway::server
