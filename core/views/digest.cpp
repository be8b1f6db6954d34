// SPDX-License-Identifier: Apache-2.0
#include "core/views/digest.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "core/budgets/budget.hpp"
#include "core/budgets/budget_fold.hpp"
#include "core/budgets/cost_text.hpp"

namespace headway::core {
namespace {

constexpr std::size_t kModelsMax = 8;

/// The tool of a call by which `headway run --keep-going` says that it waits.
constexpr std::string_view kWaitTool = "wait";
constexpr std::string_view kResumeWord = "resume ";

const Usage* usage_of(const Event& event) {
    const std::optional<Usage>* usage = nullptr;
    if (const auto* beat = std::get_if<Heartbeat>(&event.payload)) usage = &beat->usage;
    if (const auto* message = std::get_if<Message>(&event.payload)) usage = &message->usage;
    if (const auto* call = std::get_if<ToolFinished>(&event.payload)) usage = &call->usage;
    return usage != nullptr && *usage ? &**usage : nullptr;
}

/// Whether the agent's own report is behind it: the others say nothing about its silence.
bool is_report(const Event& event) {
    switch (type_of(event.payload)) {
        case EventType::kVerdictChanged:
        case EventType::kDirectiveIssued:
        case EventType::kCancelRequested:
        case EventType::kProgressStats:
        case EventType::kBudgetSet:
        case EventType::kBudgetExtended:
        case EventType::kBudgetLevel:
        case EventType::kChildProgress:
        case EventType::kApprovalDecided:
        case EventType::kApprovalExpired:
        case EventType::kApprovalRevoked:
        case EventType::kApprovalAlarm:
        case EventType::kAlarmAcknowledged:
        case EventType::kRunConflict:
        case EventType::kCheckRequested:
        case EventType::kCheckCompleted:
        case EventType::kApprovalClosed:
            return false;
        case EventType::kSessionEnded:
            return !std::get<SessionEnded>(event.payload).automatic;
        default:
            return true;
    }
}

template <class T>
void keep_last(std::vector<T>& list, T item, std::size_t most) {
    if (list.size() == most) list.erase(list.begin());
    list.push_back(std::move(item));
}

/// Adds to all sums, and the cost of `priced` tokens before became known.
void add_use(DigestSession& session, const DigestUse& more, std::uint64_t priced) {
    const auto to = [&](DigestUse& sum) {
        sum.add(more);
        sum.price(priced);
    };
    to(session.use);
    to(session.since_progress);
    if (!session.loops.empty() && session.loops.back().over.empty()) to(session.loops.back().spent);
}

/// A cost without tokens is that of answers before, by whichever model.
std::string model_of(const DigestSession& session, const Usage& usage) {
    const bool apart = usage.model.empty() && tokens_of(usage) == 0;
    return apart && session.by_model.size() == 1 ? session.by_model.begin()->first : usage.model;
}

/// Adds what the session's own use grows by: a cost may be reported twice, by prices and by the
/// agent, and with tokens or after them. `calls`: calls that the usage came with.
void add_usage(DigestSession& session, const Usage& usage, std::uint64_t calls) {
    const BudgetUse before = own_use(session.meter);
    meter_usage(session.meter, usage);
    const BudgetUse after = own_use(session.meter);
    DigestUse more;
    more.calls = calls;
    more.tokens = after.tokens - before.tokens;
    more.cost_micros = after.cost_micros - before.cost_micros;
    more.unpriced = after.parts.unpriced - std::min(after.parts.unpriced, before.parts.unpriced);
    const std::uint64_t priced =
        before.parts.unpriced - std::min(before.parts.unpriced, after.parts.unpriced);
    add_use(session, more, priced);
    if (more.tokens == 0 && more.cost_micros == 0) return;
    const std::string model = model_of(session, usage);
    const bool known = session.by_model.count(model) != 0;
    if (!known && session.by_model.size() >= kModelsMax) return;
    session.by_model[model].add(more);
    session.by_model[model].price(priced);
}

void end_loop(DigestSession& session, std::string_view how) {
    if (!session.loops.empty() && session.loops.back().over.empty())
        session.loops.back().over = how;
}

/// The use since the last call before the evidence, so with the answer that began the loop; nothing
/// if that call is no longer known.
std::optional<DigestUse> use_of_loop(const DigestSession& session, const VerdictChanged& change) {
    const auto first = std::min_element(change.evidence.begin(), change.evidence.end());
    if (first == change.evidence.end()) return std::nullopt;
    const auto mark = std::find_if(session.marks.rbegin(), session.marks.rend(),
                                   [&first](const DigestMark& one) { return one.n < *first; });
    if (mark == session.marks.rend()) return std::nullopt;
    return session.use.since(mark->after);
}

void note_verdict(DigestSession& session, const VerdictChanged& change, Timestamp at) {
    if (change.to == Verdict::kStuck) {
        const std::optional<DigestUse> spent = use_of_loop(session, change);
        DigestLoop loop{at, change.reason, spent.value_or(session.since_progress), {}};
        loop.whole = spent.has_value();
        keep_last(session.loops, std::move(loop), DigestSession::kLoopsMax);
    } else if (!is_final(change.to)) {
        end_loop(session, "went on");
    }
    if (change.to == Verdict::kProgressing) session.since_progress = {};
}

void note_silence(DigestSession& session, Timestamp at) {
    if (session.heard_at != kNever && at - session.heard_at > session.silence) {
        session.silence = at - session.heard_at;
        session.silent_from = session.heard_at;
    }
    session.heard_at = at;
}

/// `headway run --keep-going` says why in a message, "resume 2: the usage limit is reached; goes on
/// at ...", and then waits in a call, which ends well when the agent goes on. An agent may write
/// and call the same.
void note_resume(DigestSession& session, const Event& event) {
    if (event.event_id.starts_with(kGoalEvent)) {
        const auto* message = std::get_if<Message>(&event.payload);
        if (message == nullptr) return;
        ++session.resumed;
        keep_last(session.resumes, DigestResume{event.at, message->text.kept},
                  DigestSession::kResumesMax);
        return;
    }
    if (!event.event_id.starts_with(kKeepGoingEvent)) return;
    if (const auto* message = std::get_if<Message>(&event.payload)) {
        const std::string& text = message->text.kept;
        const bool says = message->role == "system" && text.starts_with(kResumeWord);
        const std::size_t colon = text.find(": ");
        if (says && colon != std::string::npos)
            session.why = text.substr(colon + 2, text.find("; goes on at") - colon - 2);
        return;
    }
    const auto* call = std::get_if<ToolFinished>(&event.payload);
    const bool went_on = call != nullptr && call->ok && call->tool == kWaitTool &&
                         call->call_id.starts_with("wait-");
    if (!went_on) return;
    ++session.resumed;
    DigestResume resume{event.at, std::exchange(session.why, {})};
    keep_last(session.resumes, std::move(resume), DigestSession::kResumesMax);
}

void note_decision(DigestDecisions& decided, const ApprovalDecided& one) {
    if (one.channel == "grant" || (one.by == "policy" && one.channel != "expiry")) return;
    const bool rejects = one.decision == Decision::kReject;
    const bool approves = one.decision == Decision::kApprove || one.decision == Decision::kEdit;
    if (one.channel == "expiry") {
        ++(rejects ? decided.expired_rejected : decided.expired_approved);
    } else {
        ++(rejects ? decided.rejected : approves ? decided.approved : decided.answered);
    }
}

/// Nothing of it would be missed: anybody may open and complete many sessions.
bool is_plain(const DigestSession& session) {
    return session.outcome == Outcome::kCompleted && session.loops.empty() &&
           session.resumed == 0 && session.decided == DigestDecisions{} &&
           session.use.tokens == 0 && session.use.cost_micros == 0;
}

}  // namespace

void DigestUse::add(const DigestUse& other) {
    const auto sum = [](std::uint64_t& mine, std::uint64_t more) {
        mine = std::min(mine + more, kBudgetCountMax);
    };
    sum(tokens, other.tokens);
    sum(cost_micros, other.cost_micros);
    sum(unpriced, other.unpriced);
    sum(calls, other.calls);
}

DigestUse DigestUse::since(const DigestUse& earlier) const {
    const auto less = [](std::uint64_t now, std::uint64_t before) {
        return now - std::min(now, before);
    };
    return {less(tokens, earlier.tokens), less(cost_micros, earlier.cost_micros),
            less(unpriced, earlier.unpriced), less(calls, earlier.calls)};
}

bool DigestFold::make_room() {
    while (sessions_.size() == kSessionsMax && !plain_.empty()) {
        const auto found = sessions_.find(plain_.front());
        plain_.pop_front();
        if (found == sessions_.end() || !is_plain(found->second)) continue;
        sessions_.erase(found);
        ++left_out_;
    }
    return sessions_.size() < kSessionsMax;
}

void DigestFold::add(std::string_view id, const Event& event) {
    auto found = sessions_.find(id);
    if (found == sessions_.end() && !make_room()) {
        ++left_out_;
        return;
    }
    if (found == sessions_.end()) found = sessions_.emplace(id, DigestSession{}).first;
    DigestSession& session = found->second;
    if (is_report(event)) note_silence(session, event.at);
    const std::uint64_t calls = std::holds_alternative<ToolFinished>(event.payload) ? 1 : 0;
    if (const Usage* usage = usage_of(event)) {
        add_usage(session, *usage, calls);
    } else if (calls > 0) {
        add_use(session, {.calls = calls}, 0);
    }
    if (calls > 0) {
        if (session.marks.size() == DigestSession::kMarksMax) session.marks.pop_front();
        session.marks.push_back({event.n, session.use});
    }
    note_resume(session, event);
    if (const auto* change = std::get_if<VerdictChanged>(&event.payload))
        note_verdict(session, *change, event.at);
    if (const auto* decided = std::get_if<ApprovalDecided>(&event.payload))
        note_decision(session.decided, *decided);
    if (const auto* end = std::get_if<SessionEnded>(&event.payload)) {
        session.outcome = end->outcome;
        session.end_reason = end->reason.kept;
        session.ended_at = event.at;
        end_loop(session, name_of(end->outcome));
        if (is_plain(session)) plain_.emplace_back(id);
    }
}

}  // namespace headway::core
