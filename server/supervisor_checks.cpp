// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/encode_checks.hpp"
#include "api/judge_answer.hpp"
#include "api/judge_prompt.hpp"
#include "core/limits.hpp"
#include "server/supervisor_turn.hpp"

// Questions to judges and their answers. A question is asked after the commit that records it, and
// again after a restart if it is still open.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::uint32_t kStatusTokensMax = 100;  ///< of an answer (docs/first-designs.md)
/// A question reads up to 200 events and writes 16 KB, which delays reports by about 0.5 ms.
constexpr std::size_t kQuestionsPerTurn = 4;

Error unknown_check(std::string_view id) {
    return {ErrorCode::kUnknownCheck,
            "no check '" + std::string{id} + "' was ever asked for; POST /check-status asks", "id"};
}

/// An empty reply for a command without a client; a default Answer would be an AdviceReply.
Answer nobody_waits() {
    return BodyReply{};
}

/// Interprets an answer. It is discarded unless it is one of the letters and rests on events that
/// the judge was shown.
void read_answer(const std::vector<std::uint64_t>& shown, JudgeReply& reply,
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

}  // namespace

Result<Answer> Supervisor::handle(CheckCommand& command, const core::Context& context, Turn& turn) {
    HEADWAY_TRY(Resident * resident, require_resident(command.session));
    std::string id = std::move(command.check_id);
    if (!id.empty()) {
        HEADWAY_TRY(const auto known, store_.find_check(id));
        if (known && known->session != resident->key) {
            return Error{ErrorCode::kCheckIdTaken,
                         "another session has a check of this id; choose another", "/checkId"};
        }
        if (known) {
            HEADWAY_TRY(const auto document, check_document(*known));
            BodyReply same;
            same.status = document.done ? 200 : 202;
            api::append_check(same.body, document);
            return Answer{std::move(same)};
        }
    }
    events_.clear();
    HEADWAY_CHECK(
        resident->session.request_check(std::move(id), std::move(command.by), context, events_));
    id = std::get<core::CheckRequested>(events_.back().payload).check_id;
    HEADWAY_CHECK(store_events(*resident, events_, turn));
    HEADWAY_TRY(const auto stored, store_.find_check(id));
    HEADWAY_TRY(const auto document, check_document(*stored));
    BodyReply reply;
    reply.status = 202;
    reply.headers = "Location: /check-status/" + id + "\r\n";
    api::append_check(reply.body, document);
    return Answer{std::move(reply)};
}

Result<Answer> Supervisor::handle(JudgedCommand& command, const core::Context& context,
                                  Turn& turn) {
    const auto asked = questions_.find(command.reply.id);
    if (asked == questions_.end()) return nobody_waits();
    const Question question = std::move(asked->second);
    questions_.erase(asked);
    HEADWAY_TRY(Resident * resident, find_resident(question.session));
    if (question.check_id.empty()) {
        estimating_.erase(question.session);
        if (resident == nullptr) return nobody_waits();
        HEADWAY_CHECK(note_estimate(*resident, question.judge, command.reply, context, turn));
        return nobody_waits();
    }
    if (resident == nullptr) return nobody_waits();
    core::CheckCompleted done;
    done.check_id = question.check_id;
    done.outcome = command.reply.outcome;
    done.error = core::cut_text(command.reply.error, core::limits::kStringBytesMax);
    done.judge = question.judge;
    done.model = core::cut_text(command.reply.model, core::limits::kStringBytesMax);
    done.use = command.reply.use;
    read_answer(question.shown, command.reply, done);
    events_.clear();
    resident->session.complete_check(std::move(done), context, events_);
    if (!events_.empty()) {
        HEADWAY_CHECK(store_events(*resident, events_, turn));
    }
    return nobody_waits();
}

/// Updates the index of checks in the transaction of the events.
Result<> Supervisor::index_checks(const Resident& resident, std::span<const core::Event> events,
                                  storage::Cursor cursor, Turn& turn) {
    for (const core::Event& event : events) {
        if (const auto* asked = std::get_if<core::CheckRequested>(&event.payload)) {
            ++stats_.checks.asked[static_cast<std::size_t>(asked->cause)];
            HEADWAY_CHECK(store_.add_check(asked->check_id, resident.key, cursor));
            turn.questions.emplace_back(resident.session.id(), *asked);
        } else if (const auto* done = std::get_if<core::CheckCompleted>(&event.payload)) {
            ++stats_.checks.outcomes[static_cast<std::size_t>(done->outcome)];
            if (done->answer) ++stats_.checks.answers[static_cast<std::size_t>(*done->answer)];
            HEADWAY_CHECK(store_.finish_check(done->check_id, cursor));
            turn.publication->checked.push_back(done->check_id);
        } else if (std::holds_alternative<core::SessionEnded>(event.payload)) {
            const bool checked = !resident.session.state().checks->pending.empty();
            if (checked) HEADWAY_CHECK(store_.finish_checks(resident.key, cursor));
            if (checked || estimating_.contains(resident.session.id()))
                turn.unasked.push_back(resident.session.id());
            for (const core::PendingCheck& pending : resident.session.state().checks->pending)
                turn.publication->checked.push_back(pending.check_id);
        }
        ++cursor;
    }
    return {};
}

Result<api::CheckDocument> Supervisor::check_document(const storage::StoredCheck& stored) {
    api::CheckDocument document;
    document.session = stored.session_id;
    document.asked.check_id = stored.id;
    HEADWAY_TRY(auto asked, store_.read_stream(stored.asked - 1, 1));
    if (!asked.empty()) {
        core::Event& event = asked.front().event;
        document.asked_n = event.n;
        document.asked_at = event.at;
        if (auto* said = std::get_if<core::CheckRequested>(&event.payload))
            document.asked = std::move(*said);
    }
    if (stored.done == 0) return document;
    HEADWAY_TRY(auto done, store_.read_stream(stored.done - 1, 1));
    core::CheckCompleted& answer = document.done.emplace();
    answer.outcome = core::JudgeOutcome::kCancelled;
    answer.error = "the session ended first";
    if (done.empty()) return document;
    core::Event& event = done.front().event;
    document.done_n = event.n;
    document.done_at = event.at;
    if (auto* said = std::get_if<core::CheckCompleted>(&event.payload)) answer = std::move(*said);
    return document;
}

Result<Answer> Supervisor::answer(const CheckQuery& query) {
    HEADWAY_TRY(const auto stored, store_.find_check(query.id));
    if (!stored || !query.grants.may_read(stored->session_id)) return unknown_check(query.id);
    HEADWAY_TRY(const auto document, check_document(*stored));
    DocumentReply reply;
    reply.pending = !document.done;
    api::append_check(reply.body, document);
    return Answer{std::move(reply)};
}

/// Queues the open checks of the journal after a start or a failed commit.
Result<> Supervisor::recover_checks() {
    questions_.clear();
    estimating_.clear();
    unasked_.clear();
    HEADWAY_TRY(const auto pending, store_.pending_checks(core::limits::kJudgeQueueMax));
    for (const storage::StoredCheck& stored : pending) {
        HEADWAY_TRY(auto document, check_document(stored));
        unasked_.emplace_back(stored.session_id, std::move(document.asked));
    }
    return {};
}

/// Runs after the commit, so that no question concerns events that may be rolled back.
void Supervisor::ask_judge(Turn& turn) {
    if (!judge_.ask) return;
    for (const std::string& session : turn.unasked)
        judge_.cancel(session);
    unasked_.insert(unasked_.end(), std::make_move_iterator(turn.questions.begin()),
                    std::make_move_iterator(turn.questions.end()));
    for (std::size_t i = 0; i < kQuestionsPerTurn && !unasked_.empty() && !lost_; ++i) {
        const auto [session, asked] = std::move(unasked_.front());
        unasked_.pop_front();
        if (auto sent = ask_judge(session, asked); !sent) {
            report_(true,
                    "a judge could not be asked about " + session + ": " + sent.error().detail);
        }
    }
}

Result<> Supervisor::ask_judge(const std::string& session, const core::CheckRequested& asked) {
    HEADWAY_TRY(Resident * resident, find_resident(session));
    if (resident == nullptr || resident->session.state().ended()) return {};
    const core::SessionState& state = resident->session.state();
    const std::uint64_t after =
        state.n > core::limits::kJudgeEventsMax ? state.n - core::limits::kJudgeEventsMax : 0;
    HEADWAY_TRY(const auto recent, store_.read_session(resident->key, resident->chain, after,
                                                       core::limits::kJudgeEventsMax));
    api::JudgePrompt prompt = api::status_prompt(state, recent);
    JudgeJob job;
    job.id = next_question_++;
    job.session = session;
    job.endpoint = asked.judge;
    job.system = std::move(prompt.system);
    job.user = std::move(prompt.user);
    job.max_tokens = kStatusTokensMax;
    questions_.emplace(job.id,
                       Question{session, asked.check_id, asked.judge, std::move(prompt.shown)});
    judge_.ask(std::move(job));
    return {};
}

}  // namespace headway::server
