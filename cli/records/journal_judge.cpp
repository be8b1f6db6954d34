// SPDX-License-Identifier: Apache-2.0
#include "cli/records/journal_judge.hpp"

#include <charconv>
#include <map>
#include <utility>
#include <variant>

#include "core/fold/fold.hpp"
#include "core/judgement/resolver.hpp"
#include "core/state/session_state.hpp"

namespace headway::cli {
namespace {

using core::Event;
using core::EventType;
using core::VerdictChanged;

/// True for events that Headway adds within the turn of an agent's event, before it judges.
bool same_turn(const Event& event, const Event& of) {
    if (event.at != of.at) return false;
    if (const auto* decided = std::get_if<core::ApprovalDecided>(&event.payload))
        return decided->channel == "grant" || decided->channel == "policy";
    if (const auto* asked = std::get_if<core::ApprovalRequested>(&event.payload))
        return asked->source != "agent";
    const EventType type = core::type_of(event.payload);
    return type == EventType::kProgressStats || type == EventType::kApprovalAlarm;
}

class JournalJudge {
public:
    explicit JournalJudge(bool keep_journal) : keep_journal_(keep_journal) {}

    void take(Event event, std::size_t line) {
        const auto* verdict_change = std::get_if<VerdictChanged>(&event.payload);
        if (verdict_change != nullptr) {
            judge(&event);
            judged_ = true;
            return;
        }
        if (!judged_ && !same_turn(event, agents_)) {
            judge(nullptr);
            judged_ = true;
        }
        const bool agents = core::of_agent(event.payload);
        line_ = line;
        count(event, agents);
        renumber(event);
        add(event);
        if (!agents) return;
        agents_ = std::move(event);
        judged_ = false;
    }

    Timeline finish() {
        if (!judged_) judge(nullptr);
        timeline_.last = *state_.judgement;
        return std::move(timeline_);
    }

private:
    /// At the place of the verdict `said`, or behind an agent's event that changed none.
    void judge(const Event* one_event) {
        const auto* change =
            one_event == nullptr ? nullptr : std::get_if<VerdictChanged>(&one_event->payload);
        const core::Timestamp now = one_event != nullptr ? one_event->at : agents_.at;
        core::VerdictContext around{now, core::Watch{now}, false};
        // Its children are still at work, as the last verdict says.
        const core::Judgement& last = *state_.judgement;
        around.children_work = one_event == nullptr && last.verdict == core::Verdict::kWaiting &&
                               last.detector == "liveness";
        if (change != nullptr && change->detector == "liveness") {
            around.watch = core::Watch{};
            around.children_work = change->to == core::Verdict::kWaiting;
        }
        core::Judgement next = core::judge(state_, around);
        if (!core::is_news(*state_.judgement, next)) return;
        VerdictChanged changed;
        changed.from = state_.judgement->verdict;
        changed.to = next.verdict;
        changed.reason = std::move(next.reason);
        changed.detector = std::move(next.detector);
        changed.evidence = std::move(next.evidence);
        changed.detectors = std::move(next.detectors);
        changed.confidence = next.confidence;
        changed.loop = std::move(next.loop);
        changed.needs_somebody = next.needs_somebody;
        changed.cause = next.cause;
        changed.retry_at = next.retry_at;
        changed.tier = change != nullptr ? change->tier : state_.last_tier;
        Event event;
        event.at = now;
        if (one_event != nullptr) {
            event.next_heartbeat_ms = one_event->next_heartbeat_ms;
            event.state = one_event->state;
        }
        event.payload = std::move(changed);
        add(event);
    }

    /// More or fewer verdicts than were served move the numbers behind them, by which requests are
    /// known.
    void renumber(Event& event) {
        const std::uint64_t now = state_.n + 1;
        if (std::holds_alternative<core::ApprovalRequested>(event.payload) && event.n != now)
            requests_[event.n] = now;
        std::visit(
            [this](auto& payload) {
                using P = std::remove_cvref_t<decltype(payload)>;
                if constexpr (std::is_same_v<P, core::ApprovalDecided> ||
                              std::is_same_v<P, core::ApprovalRedeemed> ||
                              std::is_same_v<P, core::ApprovalExpired> ||
                              std::is_same_v<P, core::ApprovalRevoked> ||
                              std::is_same_v<P, core::ApprovalClosed> ||
                              std::is_same_v<P, core::ApprovalAlarm>) {
                    rename(payload.id);
                }
            },
            event.payload);
    }

    void rename(std::string& id) const {
        const std::size_t dot = id.rfind(".a");
        std::uint64_t n = 0;
        if (requests_.empty() || dot == std::string::npos) return;
        std::from_chars(id.data() + dot + 2, id.data() + id.size(), n);
        if (const auto moved = requests_.find(n); moved != requests_.end())
            id = id.substr(0, dot + 2) + std::to_string(moved->second);
    }

    void count(const Event& event, bool agents) {
        if (state_.n == 0) opened_ = event.at;
        timeline_.events += agents ? 1 : 0;
        if (core::type_of(event.payload) == EventType::kToolFinished) ++timeline_.calls;
    }

    void add(Event& event) {
        event.n = state_.n + 1;
        if (auto* estimate = std::get_if<core::ProgressEstimated>(&event.payload))
            estimate->calls = state_.tool_calls;
        core::apply(state_, event);
        const EventType type = core::type_of(event.payload);
        const bool verdict = type == EventType::kVerdictChanged;
        if (verdict || type == EventType::kDirectiveIssued) {
            auto& steps = verdict ? timeline_.verdicts : timeline_.directives;
            steps.push_back({event, line_, timeline_.calls, event.at - opened_});
        }
        if (keep_journal_) timeline_.journal.push_back({event, line_, timeline_.calls});
    }

    bool keep_journal_;
    core::SessionState state_;
    Timeline timeline_;
    core::Timestamp opened_ = core::kNever;
    std::size_t line_ = 0;
    bool judged_ = true;  ///< nothing of the agent waits for its verdict
    Event agents_;        ///< its last event
    std::map<std::uint64_t, std::uint64_t> requests_;  ///< whose number moved, by the old one
};

}  // namespace

core::Result<Timeline> judge_journal(std::vector<StoredEvent> journal, bool keep_journal) {
    JournalJudge judge(keep_journal);
    for (StoredEvent& stored : journal) {
        if (!stored.event) {
            core::Error error = std::move(stored.event).error();
            if (!error.field.empty()) error.detail = error.field + " " + error.detail;
            error.detail = std::to_string(stored.line) + ": " + error.detail;
            return error;
        }
        judge.take(*std::move(stored.event), stored.line);
    }
    return judge.finish();
}

}  // namespace headway::cli
