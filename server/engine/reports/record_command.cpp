// SPDX-License-Identifier: Apache-2.0
#include "server/engine/reports/record_command.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/meters/prices.hpp"
#include "core/redaction/capture.hpp"
#include "server/engine/commands/carry_over.hpp"
#include "server/engine/commands/session_commands.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using core::Timestamp;

/// Events of one append, and so of a row of the journal, which is read as a whole.
constexpr std::size_t kRecordedRowEvents = 64;

/// Nothing of the daemon's own takes part: no judge, no approvals, no time that passes.
core::Context context_at(Timestamp at) {
    core::Context context;
    context.now = at;
    context.watch = core::Watch{at};
    return context;
}

Error wrong_time(std::size_t place, std::string why) {
    return {ErrorCode::kInvalidField, std::move(why), "/" + std::to_string(place) + "/at"};
}

Result<> check_times(const Transaction& transaction, const api::DecodedRecording& part,
                     bool begins) {
    const Timestamp now = transaction.now();
    const std::size_t first = part.about ? 1 : 0;
    if (part.opened_at > now) return wrong_time(0, "must not be in the future");
    for (std::size_t i = 0; i < part.events.size(); ++i) {
        if (part.events[i].at > now) return wrong_time(first + i, "must not be in the future");
    }
    const core::Millis kept = transaction.settings().retention;
    const bool old = begins && part.opened_at != core::kNever && part.opened_at < now - kept;
    if (kept != core::Millis{0} && old)
        return wrong_time(0, "is longer ago than ended sessions are kept (storage.retention)");
    return {};
}

Result<Resident*> open_past(Transaction& transaction, const std::string& id,
                            api::DecodedRecording& part) {
    HEADWAY_TRY(Resident * resident, transaction.sessions().create(id, transaction.now()));
    core::SessionStarted about = *std::move(part.about);
    if (transaction.settings().capture.only_digests(about)) about.goal = {};
    const Timestamp opened_at = part.opened_at == core::kNever ? transaction.now() : part.opened_at;
    std::vector<core::Event>& events = transaction.events();
    resident->session.open(std::move(about), transaction.settings().policy, context_at(opened_at),
                           events);
    HEADWAY_CHECK(transaction.append(*resident, events));
    return resident;
}

/// Removes the events that are stored, and repetitions within the part.
Result<std::uint64_t> drop_stored(Transaction& transaction, const Resident* resident,
                                  std::vector<core::Event>& events) {
    const std::size_t all = events.size();
    std::unordered_set<std::string> seen;
    std::vector<core::Event> fresh;
    fresh.reserve(all);
    for (core::Event& event : events) {
        if (!event.event_id.empty()) {
            if (!seen.insert(event.event_id).second) continue;
            if (resident != nullptr) {
                HEADWAY_TRY(const std::uint64_t n,
                            number_of_id(transaction, *resident, event.event_id));
                if (n != 0) continue;
            }
        }
        fresh.push_back(std::move(event));
    }
    events = std::move(fresh);
    transaction.stats().duplicates += all - events.size();
    return all - events.size();
}

Result<> judge_past(Transaction& transaction, Resident& resident,
                    std::vector<core::Event>& events) {
    const core::Opening& about = resident.session.state().about;
    if (transaction.settings().capture.only_digests(about)) {
        for (core::Event& event : events)
            core::keep_digests(event.payload);
    }
    core::estimate_costs(transaction.settings().prices, about.agent.model, events);
    std::vector<core::Event>& decided = transaction.events();
    for (core::Event& event : events) {
        // Files of agents are not always in the order of their times.
        const core::SessionState& state = resident.session.state();
        const Timestamp at = std::max(event.at, state.budget.clock_at);
        resident.session.report({&event, 1}, context_at(at), decided);
        if (decided.size() < kRecordedRowEvents) continue;
        HEADWAY_CHECK(transaction.append(resident, decided));
        decided.clear();
    }
    return transaction.append(resident, decided);
}

/// The reply to a part that is not stored.
Result<Recorded> try_part(Transaction& transaction, const Resident* resident,
                          const std::string& session, api::DecodedRecording part) {
    const core::Session none{session};
    const core::Session& known = resident == nullptr ? none : resident->session;
    Recorded recorded{session, 0, 0, *known.state().judgement, known.state().ended()};
    HEADWAY_TRY(recorded.duplicates, drop_stored(transaction, resident, part.events));
    HEADWAY_CHECK(known.admit(part.events));
    recorded.accepted = part.events.size();
    if (part.about) ++(resident == nullptr ? recorded.accepted : recorded.duplicates);
    return recorded;
}

}  // namespace

Result<> RecordCommand::name(Reader&, SessionNames& names) const {
    return name_one(names, session);
}

Result<Recorded> RecordCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(Resident * resident, transaction.find(session));
    HEADWAY_CHECK(check_times(transaction, part, resident == nullptr));
    if (resident != nullptr && !resident->session.state().about.recorded)
        return Error{ErrorCode::kSessionExists,
                     "this session has been reported as it happened; nothing was added",
                     {}};
    if (resident == nullptr && !part.about)
        return Error{ErrorCode::kUnknownSession,
                     "no session has this id; its first part has to begin with session.started",
                     {}};
    // Such a recording would stand between a live conversation and its next generation.
    if (resident == nullptr && base_of(session) != session)
        return Error{ErrorCode::kForbidden,
                     "ids with ~2 to ~999 at their end are those of sessions that continue a live "
                     "one; choose another id",
                     "id"};
    if (dry_run) return try_part(transaction, resident, session, std::move(part));
    Recorded recorded{session, 0, 0, {}, false};
    HEADWAY_TRY(recorded.duplicates, drop_stored(transaction, resident, part.events));
    recorded.accepted = part.events.size();
    if (resident == nullptr) {
        HEADWAY_CHECK(core::Session{session}.admit(part.events));
        HEADWAY_TRY(resident, open_past(transaction, session, part));
        ++recorded.accepted;
    } else {
        HEADWAY_CHECK(resident->session.admit(part.events));
        if (part.about) ++recorded.duplicates;
    }
    HEADWAY_CHECK(judge_past(transaction, *resident, part.events));
    recorded.judgement = *resident->session.state().judgement;
    recorded.ended = resident->session.state().ended();
    return recorded;
}

}  // namespace headway::server
