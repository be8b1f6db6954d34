// SPDX-License-Identifier: Apache-2.0
#include "server/engine/turn/cluster_policy.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "server/engine/commands/family_writes.hpp"
#include "server/engine/projections/judge_scheduler.hpp"
#include "server/engine/projections/webhook_scheduler.hpp"

namespace headway::server {
namespace {

using namespace std::chrono_literals;
using core::Result;

/// Each try may take as long as a connection to a host that does not answer.
constexpr auto kRegainEvery = 500ms;
/// Another daemon may hold the session that is to be looked at.
constexpr auto kReceiveAgain = 2ms;

}  // namespace

/// Sessions, deadlines and inboxes are read when they are needed: other daemons move them, too.
Result<std::uint64_t> ClusterPolicy::recover(storage::Recovery recovery) {
    cluster_.begin_anew(recovery.head);
    upkeep_.start(recovery.snapshots);
    turn_.receivers.clear();
    Publication publication;
    HEADWAY_CHECK(cluster_.pulse(turn_.watch, turn_.parts.stats, publication));
    cluster_.forget_tokens();
    HEADWAY_CHECK(turn_.parts.judges.recover());
    return std::uint64_t{0};
}

bool ClusterPolicy::may_recover(Clock::Steady::time_point last_try) const {
    return Clock::steady() - last_try >= kRegainEvery;
}

/// Begins with the rows of the sessions of the turn. Writes to what another daemon holds are left
/// for the next turn.
Result<> ClusterPolicy::begin(std::vector<Request>& requests, const TurnNames& named,
                              Transaction& transaction) {
    ReportedIds ids;
    for (const Request& request : requests) {
        if (request.write != nullptr && !request.write->failed()) request.write->report_ids(ids);
    }
    std::vector<storage::SessionKey>& receivers = turn_.receivers;
    HEADWAY_CHECK(cluster_.hold(named.names, receivers, ids));
    transaction.set_now(cluster_.now());
    receivers.insert(receivers.end(), cluster_.messaged().begin(), cluster_.messaged().end());
    std::sort(receivers.begin(), receivers.end());
    receivers.erase(std::unique(receivers.begin(), receivers.end()), receivers.end());
    std::size_t begin = 0;
    for (std::size_t i = 0; i < requests.size(); begin = named.ends[i], ++i) {
        if (requests[i].write == nullptr || requests[i].write->failed()) continue;
        const auto own = std::span{named.names}.subspan(begin, named.ends[i] - begin);
        const bool held = std::all_of(
            own.begin(), own.end(), [this](std::string_view name) { return cluster_.holds(name); });
        if (!held) cluster_.defer(requests[i]);
    }
    return {};
}

/// A write was named from what memory had of sessions that other daemons, or the writes before it,
/// have ended or deleted meanwhile.
Result<bool> ClusterPolicy::may_run(Request& request, Transaction& transaction) {
    auto well = request.write->is_well_named(transaction.reader());
    if (!well) {
        if (is_storage_error(well.error().code)) return well;
        request.write->fail(std::move(well).error());
        return false;
    }
    if (!*well) cluster_.defer(request);
    return well;
}

/// Sessions whose deadline has come, of those that the turn holds.
Result<> ClusterPolicy::tick_due(Transaction& transaction) {
    const core::Timestamp now = transaction.now();
    for (const storage::SessionKey key : cluster_.due()) {
        Resident* resident = turn_.parts.sessions.residents().find(key);
        if (resident == nullptr) continue;  // damaged
        const auto next = [&](core::Timestamp after) {
            return resident->session.next_deadline(turn_.watch, after, resident->agent_runs);
        };
        const core::Timestamp due = next(core::kNever);
        const bool is_due = due != core::kNever && due <= now;
        if (is_due) {
            HEADWAY_CHECK(tick(transaction, *resident));
        }
        if (resident->touched) continue;  // store_deadlines() has it
        cluster_.set_deadline(*resident, is_due ? next(now) : due);
    }
    return {};
}

void ClusterPolicy::store_deadlines(const Transaction& transaction) {
    for (const Resident* resident : transaction.touched())
        cluster_.set_deadline(*resident, resident->session.next_deadline(turn_.watch, core::kNever,
                                                                         resident->agent_runs));
}

Result<> ClusterPolicy::refresh(const std::deque<Request>& reads, std::size_t from, bool listening,
                                Publication& publication) {
    if (from >= reads.size()) return {};
    SessionNames names;
    for (std::size_t i = from; i < reads.size(); ++i)
        reads[i].read->name(names);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    HEADWAY_CHECK(cluster_.refresh(names, publication));
    // A reader that comes from another daemon may have seen more than this one has.
    for (std::size_t i = from; i < reads.size(); ++i) {
        if (reads[i].read->position() <= turn_.parts.store.head()) continue;
        HEADWAY_CHECK(cluster_.follow(listening, publication));
    }
    return {};
}

Result<bool> ClusterPolicy::pulse(Publication& publication) {
    HEADWAY_CHECK(cluster_.pulse(turn_.watch, turn_.parts.stats, publication));
    bool figures = false;
    if (turn_.parts.webhooks.any()) {
        HEADWAY_TRY(figures, turn_.parts.webhooks.look_again());
    }
    HEADWAY_CHECK(turn_.parts.judges.look_again());
    return figures;
}

StorePolicy::Followed ClusterPolicy::follow(bool listening) {
    const auto now = Clock::steady();
    Followed followed;
    followed.publication = std::make_unique<Publication>();
    bool news = false;
    if (cluster_.pulse_due(now)) {
        auto figures = pulse(*followed.publication);
        if (figures) {
            news = *figures;
        } else {
            followed.done = std::move(figures).error();
        }
    }
    if (followed.done && cluster_.follow_due(now))
        followed.done = cluster_.follow(listening, *followed.publication);
    if (!said_newer_ && !cluster_.met_newer().empty()) {
        said_newer_ = news = true;
        turn_.report(true, cluster_.met_newer());
    }
    if (followed.done && !news && followed.publication->empty()) followed.publication.reset();
    return followed;
}

Clock::Steady::time_point ClusterPolicy::next_look(Clock::Steady::time_point now) const {
    return now + kReceiveAgain;
}

void ClusterPolicy::add_stats(EngineStats& stats) const {
    stats.conflicts = cluster_.conflicts();
    stats.retries = cluster_.retries();
    stats.outdated = !cluster_.met_newer().empty();
    stats.round_trips = cluster_.round_trips();
    stats.daemons = cluster_.daemons().size();
}

}  // namespace headway::server
