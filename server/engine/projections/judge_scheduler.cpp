// SPDX-License-Identifier: Apache-2.0
#include "server/engine/projections/judge_scheduler.hpp"

#include <algorithm>
#include <iterator>

#include "api/judge/judge_prompt.hpp"
#include "core/base/limits.hpp"
#include "server/engine/projections/check_documents.hpp"
#include "server/engine/transaction/reader.hpp"
#include "storage/store/shared_store.hpp"

namespace headway::server {
namespace {

using core::Result;

// Limits of answers: docs/first-designs.md.
constexpr std::uint32_t kStatusTokensMax = 100;
constexpr std::uint32_t kEstimateTokensMax = 500;
constexpr double kEstimateTemperature = 0.1;
/// A judge may take long; a daemon that is gone loses its question earlier.
constexpr core::Millis kAsking{3'600'000};
/// How long a check that another daemon asks about is left to it: the document and the lease of
/// each are round trips to the database.
constexpr std::chrono::seconds kAskedElsewhere{10};
/// A question reads up to 200 events and writes 16 KB, which delays reports by about 0.5 ms.
constexpr std::size_t kQuestionsPerTurn = 4;

Result<std::vector<core::Event>> recent_events(const Reader& reader, const Resident& resident) {
    const std::uint64_t n = resident.session.state().n;
    const std::uint64_t after =
        n > core::limits::kJudgeEventsMax ? n - core::limits::kJudgeEventsMax : 0;
    return reader.store().read_session(resident.key, resident.chain, after,
                                       core::limits::kJudgeEventsMax);
}

}  // namespace

JudgeScheduler::JudgeScheduler(storage::Store& store, const core::JudgeRules& rules, JudgeLink link,
                               EngineReport report)
    : store_(store), rules_(rules), link_(std::move(link)), report_(std::move(report)) {}

Result<> JudgeScheduler::apply(const Appended& appended) {
    const core::Session& session = appended.resident.session;
    CheckStats& stats = appended.stats.checks;
    storage::Cursor cursor = appended.cursor;
    for (const core::Event& event : appended.events) {
        if (const auto* asked = std::get_if<core::CheckRequested>(&event.payload)) {
            ++stats.asked[static_cast<std::size_t>(asked->cause)];
            HEADWAY_CHECK(
                store_.checks().add_check(asked->check_id, appended.resident.key, cursor));
            staged_.emplace_back(session.id(), *asked);
        } else if (const auto* done = std::get_if<core::CheckCompleted>(&event.payload)) {
            ++stats.outcomes[static_cast<std::size_t>(done->outcome)];
            if (done->answer) ++stats.answers[static_cast<std::size_t>(*done->answer)];
            HEADWAY_CHECK(
                store_.checks().finish_check(done->check_id, appended.resident.key, cursor));
            appended.publication.checked.push_back(check_name(session.id(), done->check_id));
        } else if (std::holds_alternative<core::SessionEnded>(event.payload)) {
            const auto& pending = session.state().checks->pending;
            if (!pending.empty())
                HEADWAY_CHECK(store_.checks().finish_checks(appended.resident.key, cursor));
            if (!pending.empty() || estimating_.contains(session.id()))
                ending_.push_back(session.id());
            for (const core::PendingCheck& check : pending)
                appended.publication.checked.push_back(check_name(session.id(), check.check_id));
        }
        ++cursor;
    }
    return {};
}

void JudgeScheduler::commit() {
    if (link_.ask) {
        for (const std::string& session : ending_)
            link_.cancel(session);
        unasked_.insert(unasked_.end(), std::make_move_iterator(staged_.begin()),
                        std::make_move_iterator(staged_.end()));
    }
    closing_.clear();
    rollback();
}

void JudgeScheduler::rollback() {
    staged_.clear();
    ending_.clear();
    for (const auto& [id, question] : closing_) {
        if (question.check_id.empty()) estimating_.insert(question.session);
    }
    questions_.merge(closing_);
    closing_.clear();
}

Result<> JudgeScheduler::recover() {
    rollback();
    unasked_.clear();
    given_up_.clear();
    elsewhere_.clear();
    return look_again();
}

Result<> JudgeScheduler::look_again() {
    if (!unasked_.empty()) return {};
    HEADWAY_TRY(const auto pending, store_.checks().pending_checks(core::limits::kJudgeQueueMax));
    std::unordered_set<std::string> ours;
    for (const auto& [id, question] : questions_)
        ours.insert(check_name(question.session, question.check_id));
    const auto now = Clock::steady();
    std::erase_if(elsewhere_,
                  [now](const auto& one) { return now - one.second >= kAskedElsewhere; });
    for (const storage::StoredCheck& stored : pending) {
        const std::string name = check_name(stored.session_id, stored.id);
        if (given_up_.contains(name) || ours.contains(name) || elsewhere_.contains(name)) continue;
        auto found = check_document(store_, stored);
        // The client that asks for it gets the reason; the others are checked.
        if (!found && is_unreadable(found.error().code)) continue;
        HEADWAY_TRY(auto document, std::move(found));
        unasked_.emplace_back(stored.session_id, std::move(document.asked));
    }
    return {};
}

/// One of several daemons asks.
Result<bool> JudgeScheduler::claim(const std::string& session, const core::CheckRequested& asked) {
    if (store_.shared() == nullptr) return true;
    const std::string name = check_name(session, asked.check_id);
    HEADWAY_TRY(const bool ours, store_.shared()->lease("check:" + name, kAsking));
    if (!ours) elsewhere_.insert_or_assign(name, Clock::steady());
    return ours;
}

void JudgeScheduler::ask_checks(const Reader& reader) {
    for (std::size_t i = 0; i < kQuestionsPerTurn && waiting(); ++i) {
        const auto [session, asked] = std::move(unasked_.front());
        unasked_.pop_front();
        if (auto sent = ask_check(reader, session, asked); !sent) {
            const core::ErrorCode code = sent.error().code;
            if (is_unreadable(code) || code == core::ErrorCode::kStorageCorrupt) {
                if (given_up_.size() >= core::limits::kJudgeQueueMax) given_up_.clear();
                given_up_.insert(check_name(session, asked.check_id));
            }
            report_(true,
                    "a judge could not be asked about " + session + ": " + sent.error().detail);
        }
    }
}

Result<> JudgeScheduler::ask_check(const Reader& reader, const std::string& session,
                                   const core::CheckRequested& asked) {
    HEADWAY_TRY(const Resident* resident, reader.find(session));
    if (resident == nullptr || resident->session.state().ended()) return {};
    HEADWAY_TRY(const bool ours, claim(session, asked));
    if (!ours) return {};
    HEADWAY_TRY(const auto recent, recent_events(reader, *resident));
    api::JudgePrompt prompt = api::status_prompt(resident->session.state(), recent);
    JudgeJob job;
    job.id = next_question_++;
    job.session = session;
    job.endpoint = asked.judge;
    job.system = std::move(prompt.system);
    job.user = std::move(prompt.user);
    job.max_tokens = kStatusTokensMax;
    questions_.emplace(job.id,
                       Question{session, asked.check_id, asked.judge, std::move(prompt.shown), 0});
    link_.ask(std::move(job));
    return {};
}

bool JudgeScheduler::estimates() const {
    return link_.ask && !rules_.primary.empty() && rules_.estimates != core::EstimateMode::kOff;
}

void JudgeScheduler::ask_estimates(const Reader& reader, std::span<Resident* const> moved) {
    if (!estimates()) return;
    std::size_t asked = 0;
    for (const Resident* resident : moved) {
        const bool full = questions_.size() >= core::limits::kJudgeQueueMax;
        if (full || asked == kQuestionsPerTurn) return;  // they stay due
        if (!due(resident->session)) continue;
        if (auto sent = ask_estimate(reader, *resident); !sent) {
            report_(true, "a judge could not be asked about " + resident->session.id() + ": " +
                              sent.error().detail);
        }
        ++asked;
    }
}

bool JudgeScheduler::due(const core::Session& session) {
    if (estimating_.contains(session.id())) return false;
    const core::SessionState& state = session.state();
    const bool outdated = outdated_.erase(session.id()) > 0 && !state.ended() &&
                          state.policy->judge && state.estimates->judged < rules_.estimates_max;
    return outdated || core::estimate_due(state, rules_);
}

void JudgeScheduler::answered(const Question& question, const core::SessionState& state) {
    const std::uint64_t fresh =
        state.ledger->calls - std::min<std::uint64_t>(question.calls, state.ledger->calls);
    const bool counts = rules_.estimates == core::EstimateMode::kStep ||
                        rules_.estimates == core::EstimateMode::kEvery;
    const std::uint64_t steps =
        rules_.estimates == core::EstimateMode::kEvery ? std::max(rules_.estimate_steps, 1U) : 1U;
    if (!counts || fresh < steps) return;
    if (outdated_.size() >= core::limits::kJudgeQueueMax) outdated_.clear();
    outdated_.insert(question.session);
}

Result<> JudgeScheduler::ask_estimate(const Reader& reader, const Resident& resident) {
    HEADWAY_TRY(const auto recent, recent_events(reader, resident));
    api::JudgePrompt prompt = api::estimate_prompt(resident.session.state(), recent);
    JudgeJob job;
    job.id = next_question_++;
    job.session = resident.session.id();
    job.endpoint = rules_.primary;
    job.system = std::move(prompt.system);
    job.user = std::move(prompt.user);
    job.max_tokens = kEstimateTokensMax;
    job.temperature = kEstimateTemperature;
    questions_.emplace(
        job.id,
        Question{job.session, {}, job.endpoint, {}, resident.session.state().ledger->calls});
    estimating_.insert(job.session);
    link_.ask(std::move(job));
    return {};
}

const std::string* JudgeScheduler::session_of(std::uint64_t question) const {
    const auto found = questions_.find(question);
    return found == questions_.end() ? nullptr : &found->second.session;
}

const JudgeScheduler::Question* JudgeScheduler::close(std::uint64_t question) {
    auto open = questions_.extract(question);
    if (!open) return nullptr;
    const Question& closed = closing_.insert(std::move(open)).position->second;
    if (closed.check_id.empty()) estimating_.erase(closed.session);
    return &closed;
}

}  // namespace headway::server
