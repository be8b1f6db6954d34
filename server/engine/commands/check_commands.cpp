// SPDX-License-Identifier: Apache-2.0
#include "server/engine/commands/check_commands.hpp"

#include <utility>

#include "api/judge/judge_answer.hpp"
#include "core/base/limits.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/engine/projections/check_documents.hpp"
#include "server/engine/projections/judge_scheduler.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// Interprets an answer. It is discarded unless it is one of the letters and rests on events that
/// the judge was shown.
void read_answer(const std::vector<std::uint64_t>& shown, const JudgeReply& reply,
                 core::CheckCompleted& done) {
    if (reply.outcome != core::JudgeOutcome::kAnswered) return;
    api::StatusAnswer answer = api::read_status_answer(reply.text, shown);
    if (!answer.answer) {
        done.outcome = core::JudgeOutcome::kDiscarded;
        done.error = std::move(answer.error);
        return;
    }
    done.answer = answer.answer;
    done.reason = std::move(answer.reason);
    done.evidence = std::move(answer.evidence);
    done.confidence = answer.confidence;
}

/// Interprets an estimate; an unreadable one is replaced by a marked fallback.
core::ProgressEstimated read_estimate(const core::SessionState& state, const JudgeReply& reply) {
    if (reply.outcome != core::JudgeOutcome::kAnswered) {
        const std::string why = reply.error.empty() ? "" : ": " + reply.error;
        return core::fallback_estimate(
            state, "the judge gave no estimate (" + std::string{core::name_of(reply.outcome)} +
                       ")" + std::string{core::cut_text(why, core::limits::kStringBytesMax)});
    }
    api::EstimateAnswer answer = api::read_estimate_answer(reply.text);
    if (!answer.percent) {
        return core::fallback_estimate(state,
                                       "the judge's estimate cannot be read: " + answer.error);
    }
    core::ProgressEstimated estimate;
    estimate.percent = *answer.percent;
    estimate.reasoning = std::move(answer.reasoning);
    estimate.next_milestone = std::move(answer.next_milestone);
    estimate.blockers = std::move(answer.blockers);
    return estimate;
}

Result<> note_estimate(Transaction& transaction, Resident& resident, const std::string& judge,
                       const JudgeReply& reply) {
    if (reply.outcome == core::JudgeOutcome::kCancelled) return {};  // not needed any more
    core::ProgressEstimated estimate = read_estimate(resident.session.state(), reply);
    estimate.judge = judge;
    estimate.model = core::cut_text(reply.model, core::limits::kStringBytesMax);
    estimate.use = reply.use;
    ++transaction.stats().checks.estimates[estimate.fallback ? 1 : 0];
    return transaction.change(resident, &core::Session::note_estimate, std::move(estimate));
}

Result<> note_check(Transaction& transaction, Resident& resident,
                    const JudgeScheduler::Question& question, const JudgeReply& reply) {
    core::CheckCompleted done;
    done.check_id = question.check_id;
    done.outcome = reply.outcome;
    done.error = core::cut_text(reply.error, core::limits::kStringBytesMax);
    done.judge = question.judge;
    done.model = core::cut_text(reply.model, core::limits::kStringBytesMax);
    done.use = reply.use;
    read_answer(question.shown, reply, done);
    return transaction.change(resident, &core::Session::complete_check, std::move(done));
}

}  // namespace

Result<CheckShown> CheckCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(Resident * resident, require_live(transaction, session));
    storage::Store& store = transaction.store();
    if (!check_id.empty()) {
        HEADWAY_TRY(const auto known, store.checks().find_check(check_id, resident->key));
        if (known) {
            HEADWAY_TRY(auto document, check_document(store, *known));
            return CheckShown{std::move(document)};
        }
    }
    std::string id = check_id;
    const auto ask = [&](core::Session& asked, const core::Context& context, auto& events) {
        auto done = asked.request_check(std::move(check_id), std::move(by), context, events);
        // Nothing new: it waits already.
        if (done && *done) id = std::get<core::CheckRequested>(events.back().payload).check_id;
        return done;
    };
    HEADWAY_CHECK(transaction.change(*resident, ask));
    HEADWAY_TRY(const auto stored, store.checks().find_check(id, resident->key));
    // The session is read from the journal, and its row may have been lost to damage.
    if (!stored)
        return Error{ErrorCode::kUnknownCheck,
                     "the record of this check was lost; ask again without its id",
                     {}};
    HEADWAY_TRY(auto document, check_document(store, *stored));
    return CheckShown{std::move(document), true};
}

Result<> JudgedCommand::name(Reader& reader, SessionNames& names) {
    const std::string* asked = reader.judges().session_of(reply.id);
    if (asked == nullptr) return {};
    session = *asked;
    return name_one(names, session);
}

Result<Unanswered> JudgedCommand::operator()(Transaction& transaction) {
    const JudgeScheduler::Question* question = transaction.judges().close(reply.id);
    if (question == nullptr) return Unanswered{};
    HEADWAY_TRY(Resident * resident, transaction.find(question->session));
    if (resident == nullptr) return Unanswered{};
    if (question->check_id.empty()) {
        HEADWAY_CHECK(note_estimate(transaction, *resident, question->judge, reply));
        transaction.judges().answered(*question, resident->session.state());
    } else {
        HEADWAY_CHECK(note_check(transaction, *resident, *question, reply));
    }
    return Unanswered{};
}

Result<CheckPolled> CheckQuery::operator()(Reader& reader) const {
    storage::CheckTable& checks = reader.store().checks();
    std::optional<storage::StoredCheck> stored;
    if (session.empty()) {
        HEADWAY_TRY(stored, checks.find_check(id));
    } else {
        HEADWAY_TRY(const Resident* resident, reader.find(session));
        if (resident != nullptr) {
            HEADWAY_TRY(stored, checks.find_check(id, resident->key));
        }
    }
    if (!stored || !grants.may_read(stored->session_id)) {
        const std::string whose = session.empty() ? std::string{} : " of session '" + session + "'";
        return Error{
            ErrorCode::kUnknownCheck,
            "no check '" + id + "'" + whose +
                " was ever asked for; POST /check-status asks, and ?sessionId= names its session",
            "id"};
    }
    // An id of Headway's own form names its session; agents cannot choose one.
    const bool named = stored->id.starts_with(stored->session_id + ".c");
    if (stored->shared && !named) {
        return Error{
            ErrorCode::kInvalidParameter,
            "several sessions have a check '" + id + "'; add ?sessionId= to name its session",
            "sessionId"};
    }
    HEADWAY_TRY(auto document, check_document(reader.store(), *stored));
    return CheckPolled{std::move(document)};
}

Result<EstimateAnalytics> EstimatesQuery::operator()(Reader& reader) const {
    HEADWAY_TRY(const auto scores, reader.store().estimates().estimate_scores());
    return EstimateAnalytics{core::summarize_estimates(scores)};
}

}  // namespace headway::server
