// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/encode_checks.hpp"
#include "api/judge_answer.hpp"
#include "api/judge_prompt.hpp"
#include "core/estimate_scores.hpp"
#include "core/limits.hpp"
#include "server/supervisor_turn.hpp"

// Estimates of progress. A judge is asked after the commit that made one due. Estimates of agents
// and judges are scored at the end of their session.

namespace headway::server {
namespace {

using core::Result;

constexpr std::uint32_t kEstimateTokensMax = 500;  ///< of an answer (docs/first-designs.md)
constexpr std::size_t kEstimatesPerTurn = 4;       ///< as for checks: reports wait meanwhile
constexpr double kEstimateTemperature = 0.1;

/// Interprets an answer; an unreadable one is replaced by a marked fallback.
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
    core::ProgressEstimated said;
    said.percent = *answer.percent;
    said.reasoning = std::move(answer.reasoning);
    said.next_milestone = std::move(answer.next_milestone);
    said.blockers = std::move(answer.blockers);
    return said;
}

core::EstimateMade made_of(const core::ProgressEstimated& said, std::uint64_t n) {
    core::EstimateMade made;
    made.n = n;
    made.percent = said.percent;
    made.calls = said.calls;
    made.source = said.by_judge() ? "judge" : "agent";
    made.model = said.model;
    return made;
}

}  // namespace

Result<> Supervisor::note_estimate(Resident& resident, const std::string& judge, JudgeReply& reply,
                                   const core::Context& context, Turn& turn) {
    if (reply.outcome == core::JudgeOutcome::kCancelled) return {};  // not needed any more
    core::ProgressEstimated said = read_estimate(resident.session.state(), reply);
    said.judge = judge;
    said.model = core::cut_text(reply.model, core::limits::kStringBytesMax);
    said.use = reply.use;
    ++stats_.checks.estimates[said.fallback ? 1 : 0];
    events_.clear();
    resident.session.note_estimate(std::move(said), context, events_);
    return events_.empty() ? Result<>{} : store_events(resident, events_, turn);
}

/// Updates the index of estimates in the transaction of the events.
Result<> Supervisor::index_estimates(const Resident& resident,
                                     std::span<const core::Event> events) {
    const core::SessionState& state = resident.session.state();
    if (state.estimates->scored == 0) return {};
    for (const core::Event& event : events) {
        if (const auto* said = std::get_if<core::ProgressEstimated>(&event.payload)) {
            if (said->fallback) continue;
            HEADWAY_CHECK(store_.add_estimate(resident.key, made_of(*said, event.n)));
        } else if (const auto* end = std::get_if<core::SessionEnded>(&event.payload)) {
            HEADWAY_TRY(const auto made, store_.take_estimates(resident.key));
            for (const auto& score : core::score_estimates(made, state.tool_calls, end->outcome))
                HEADWAY_CHECK(store_.add_estimate_score(score));
        }
    }
    return {};
}

/// Asks, after the commit, about sessions with new events; each has at most one open question.
void Supervisor::ask_estimates(Turn& turn) {
    const bool wanted = judge_.ask && !settings_.judge.primary.empty() && !lost_ &&
                        settings_.judge.estimates != core::EstimateMode::kOff;
    if (!wanted) return;
    std::size_t asked = 0;
    for (const Resident* resident : turn.moved) {
        const bool full = questions_.size() >= core::limits::kJudgeQueueMax;
        if (full || asked == kEstimatesPerTurn) return;  // they stay due
        const bool due = core::estimate_due(resident->session.state(), settings_.judge) &&
                         !estimating_.contains(resident->session.id());
        if (!due) continue;
        if (auto sent = ask_estimate(*resident); !sent) {
            report_(true, "a judge could not be asked about " + resident->session.id() + ": " +
                              sent.error().detail);
        }
        ++asked;
    }
}

Result<> Supervisor::ask_estimate(const Resident& resident) {
    const core::SessionState& state = resident.session.state();
    const std::uint64_t after =
        state.n > core::limits::kJudgeEventsMax ? state.n - core::limits::kJudgeEventsMax : 0;
    HEADWAY_TRY(const auto recent, store_.read_session(resident.key, resident.chain, after,
                                                       core::limits::kJudgeEventsMax));
    api::JudgePrompt prompt = api::estimate_prompt(state, recent);
    JudgeJob job;
    job.id = next_question_++;
    job.session = resident.session.id();
    job.endpoint = settings_.judge.primary;
    job.system = std::move(prompt.system);
    job.user = std::move(prompt.user);
    job.max_tokens = kEstimateTokensMax;
    job.temperature = kEstimateTemperature;
    questions_.emplace(job.id, Question{job.session, {}, job.endpoint, {}});
    estimating_.insert(job.session);
    judge_.ask(std::move(job));
    return {};
}

Result<Answer> Supervisor::answer(const EstimatesQuery&) {
    HEADWAY_TRY(const auto scores, store_.estimate_scores());
    BodyReply reply;
    api::append_estimates(reply.body, core::summarize_estimates(scores));
    return Answer{std::move(reply)};
}

}  // namespace headway::server
