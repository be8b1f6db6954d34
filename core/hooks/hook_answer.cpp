// SPDX-License-Identifier: Apache-2.0
#include "core/hooks/hook_answer.hpp"

#include <algorithm>

#include "core/approvals/approvals.hpp"
#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/budgets/budget.hpp"
#include "core/text/text.hpp"

namespace headway::core {
namespace {

bool is_stop(const Directive& directive) {
    return directive.kind == DirectiveKind::kStop;
}

bool is_open_stop(const Directive& directive) {
    return is_stop(directive) && !directive.acknowledged;
}

constexpr const char* kDecisionTaken =
    "The decision that this call waited for went to an equal call. Make it again to ask for one of "
    "its own.";

constexpr const char* kRejectedBefore = "A person has rejected this call before.";

constexpr const char* kNeedsApproval =
    "This call needs the approval of a person, and has none. Make it again to ask for one.";

/// As alarm_of() has it: a call that is made all the same raises an alarm.
std::string why_not(const Approval& approval, const HookQuestion& asked) {
    if (asked.granted) return {};
    const bool edited = approval.decision == Decision::kEdit &&
                        approval.run_digest != approval.args_digest &&
                        asked.args_digest == approval.args_digest;
    if (edited) return "A person has allowed this call with other arguments only.";
    const bool undecided = approval.status == ApprovalStatus::kIgnored ||
                           approval.status == ApprovalStatus::kExpired ||
                           approval.closed == ApprovalClosing::kTakenBack ||
                           approval.closed == ApprovalClosing::kStopped;
    return undecided ? "No person has allowed this call. Request an approval to ask again." : "";
}

/// Why a call may not run whose newest equal request ended in a way that alarm_of() takes for a no;
/// empty: none did.
std::string why_not_equal(const SessionState& state, const HookQuestion& asked) {
    const auto& requests = state.approvals.requests;
    const auto last = std::find_if(requests.rbegin(), requests.rend(), [&](const Approval& a) {
        return a.kind == ApprovalKind::kTool && !a.of_dialog() && a.tool == asked.tool &&
               !asked.args_digest.empty() && a.args_digest == asked.args_digest;
    });
    return last == requests.rend() ? std::string{} : why_not(*last, asked);
}

void wait_or_say(const HookQuestion& asked, HookAnswer& answer, std::string words) {
    answer.hold = !asked.time_is_up;
    answer.undecided = asked.time_is_up;
    if (answer.undecided) answer.deny = std::move(words);
}

/// Approved for this call, or for an equal one that is not running, and not let go yet.
const Approval* ready_approval(const SessionState& state, const HookQuestion& asked) {
    const auto& requests = state.approvals.requests;
    const auto found = std::find_if(requests.begin(), requests.end(), [&](const Approval& a) {
        const Timestamp end = state.approvals.lapses_at(a);
        const bool approved =
            (a.status == ApprovalStatus::kApproved || a.status == ApprovalStatus::kEdited) &&
            (end == kNever || end > asked.now);
        return approved && !a.of_dialog() && a.kind == ApprovalKind::kTool &&
               a.tool == asked.tool && a.args_digest == asked.args_digest &&
               !asked.args_digest.empty() &&
               (a.call_id == asked.call_id
                    ? !a.let_go || in_flight(state, a.call_id)
                    : (!a.taken() && !in_flight(state, a.call_id) &&
                       !other_unnamed_in_flight(state, asked.tool, asked.call_id)));
    });
    return found == requests.end() ? nullptr : &*found;
}

/// Adds a person's answer to the question, once it is not needed again.
void answer_question(const SessionState& state, const HookQuestion& asked, HookAnswer& answer) {
    const Approval* found = request_of_wait(state, asked);
    if (found == nullptr) return;
    const std::string id = approval_id(asked.session, found->n);
    if (found->pending()) {
        return wait_or_say(asked, answer,
                           "No person has answered yet (" + id +
                               "). Ask the same question again to go on waiting.");
    }
    if (found->decision == Decision::kRespond) {
        answer.answered = found->n;
    } else {
        answer.deny = "The question was not answered";
        answer.deny += found->reason.empty() ? "." : ": " + found->reason;
    }
    answer.acknowledged = id;
}

std::string who_allowed(const Approval& approval) {
    return "approved by " + (approval.by.empty() ? std::string{"a person"} : approval.by);
}

/// Adds a person's decision about the dialog. Without a word the dialog decides.
void answer_dialog(const SessionState& state, const HookQuestion& asked, HookAnswer& answer) {
    const Approval* approval = asked.dialog != 0 ? state.approvals.find(asked.dialog) : nullptr;
    if (approval == nullptr || approval->redeemed_at != kNever) return;
    if (approval->pending()) {
        answer.hold = !asked.time_is_up;
        answer.undecided = asked.time_is_up;
    } else if (approval->open()) {
        answer.allow = who_allowed(*approval);
        // Other arguments than those of the dialog are for the next call.
        const bool same = approval->run_digest == asked.args_digest;
        if (same) answer.redeemed = approval->n;
        if (!same) answer.edited = approval->n;
    } else if (approval->decision == Decision::kReject) {
        answer.deny = "This call was not allowed";
        answer.deny += approval->reason.empty() ? "." : ": " + approval->reason;
    }
}

bool is_of(const Approval& approval, const HookQuestion& asked) {
    return !asked.call_id.empty() && approval.call_id == kept_call_id(asked.call_id);
}

/// True if several equal calls waited for one decision, and another of them has it.
bool taken_by_another(const SessionState& state, const HookQuestion& asked) {
    const auto& requests = state.approvals.requests;
    return std::any_of(requests.begin(), requests.end(), [&](const Approval& a) {
        const bool used = a.taken() || a.status == ApprovalStatus::kExecuted;
        return used && a.kind == ApprovalKind::kTool && a.tool == asked.tool &&
               a.args_digest == asked.args_digest && !is_of(a, asked);
    });
}

/// True if an earlier hook let the call go, which has not ended yet.
bool runs(const Approval& approval, bool own) {
    return own && approval.open() && approval.taken();
}

bool is_rejected_here(const SessionState& state, const HookQuestion& asked) {
    const std::string call_id = kept_call_id(asked.call_id);
    const bool again = asked.permission || asked.redeems;
    const RulingFor call{asked.now, true, call_id, again && in_flight(state, asked.call_id)};
    return state.approvals.is_rejected(asked.tool, asked.args_digest, call);
}

/// An answer to the call, if the session stands in its way.
void answer_call(const SessionState& state, const HookQuestion& asked, HookAnswer& answer) {
    if (state.paused() || asked.paused_above) {
        wait_or_say(asked, answer,
                    "The session is paused by its operator. Try the call again later.");
        return;
    }
    if (asked.kind == ApprovalKind::kQuestion) return answer_question(state, asked, answer);
    if (asked.in_dialog) return answer_dialog(state, asked, answer);
    const Approval* approval = asked.redeems ? ready_approval(state, asked) : nullptr;
    const bool ready = approval != nullptr;
    if (!ready) approval = approval_of_call(state, asked.call_id, asked.tool, asked.args_digest);
    const bool rejected = asked.refused_before || is_rejected_here(state, asked);
    if (approval == nullptr && asked.again && !asked.granted && taken_by_another(state, asked)) {
        answer.deny = kDecisionTaken;
        return;
    }
    if (approval == nullptr) {
        if (rejected) {
            answer.deny = kRejectedBefore;
        } else if (asked.needs_approval) {
            answer.deny = kNeedsApproval;
        } else {
            answer.deny = why_not_equal(state, asked);
        }
        return;
    }
    // Another answer has used it up.
    if (asked.redeems && approval->status == ApprovalStatus::kRedeemed) {
        answer.deny = kDecisionTaken;
        return;
    }
    const bool own = is_of(*approval, asked);
    const bool gone = !ready && (own ? approval->let_go : approval->taken());
    const std::string id = approval_id(asked.session, approval->n);
    if (approval->pending()) {
        wait_or_say(asked, answer,
                    "No person has decided about this call yet (approval " + id +
                        "). Do something else, and try it again later.");
    } else if (approval->open() && !gone) {
        // Rejected in a session above since.
        if (asked.refused_at > approval->decided_at) {
            answer.deny = kRejectedBefore;
            return;
        }
        // One approval is one execution. The agent's dialog about its own call may need it still.
        if (own && !asked.redeems && !approval->let_go) answer.acknowledged = id;
        if ((!own || asked.redeems) && approval->redeemed_at == kNever)
            answer.redeemed = approval->n;
        answer.allow = who_allowed(*approval);
        const bool same = approval->run_digest == asked.args_digest;
        if (approval->decision == Decision::kEdit && !same) answer.edited = approval->n;
    } else if (approval->decision == Decision::kReject) {
        answer.deny = "This call was not allowed";
        answer.deny += approval->reason.empty() ? "." : ": " + approval->reason;
    } else if (rejected) {
        answer.deny = kRejectedBefore;
    } else if ((asked.again && gone) ||
               (asked.repeated && (approval->taken() || approval->spent()))) {
        answer.deny = kDecisionTaken;
    } else if ((asked.needs_approval && !(asked.permission && runs(*approval, own))) ||
               (asked.again && approval->status == ApprovalStatus::kCancelled)) {
        // Other reports of the session may have cancelled the request while the call was held.
        answer.deny = kNeedsApproval;
    } else {
        answer.deny = why_not(*approval, asked);
    }
}

bool was_heard(const Directive& directive, const HookQuestion& asked) {
    const auto& unheard = asked.unheard;
    return directive.delivered &&
           std::find(unheard.begin(), unheard.end(), directive.id) == unheard.end();
}

/// Adds the directives that the agent has not received yet.
void say(const SessionState& state, const HookQuestion& asked, HookAnswer& answer) {
    for (const Directive& directive : state.directives) {
        const bool delivered = was_heard(directive, asked) ||
                               directive.kind == DirectiveKind::kStop ||
                               directive.kind == DirectiveKind::kPause;
        if (delivered) continue;
        if (!directive.delivered) answer.delivered.push_back(directive.id);
        if (directive.kind == DirectiveKind::kContinue) continue;  // it goes on anyway
        if (!answer.words.empty()) answer.words += "\n\n";
        if (directive.kind == DirectiveKind::kWrapUp) answer.words += "Wrap up. ";
        answer.words += directive.reason;
    }
    HEADWAY_ASSERT(answer.delivered.size() <= limits::kDirectivesMax);
    if (!answer.words.empty())
        answer.words.insert(0, "Headway supervises this session and says:\n");
}

}  // namespace

bool other_unnamed_in_flight(const SessionState& state, std::string_view tool,
                             std::string_view call_id) {
    const std::string own = kept_call_id(call_id);
    const auto& requests = state.approvals.requests;
    return std::any_of(state.open_calls.begin(), state.open_calls.end(), [&](const OpenCall& open) {
        if (open.tool != tool) return false;
        const std::string id = kept_call_id(open.call_id);
        return id != own && std::none_of(requests.begin(), requests.end(),
                                         [&id](const Approval& a) { return a.call_id == id; });
    });
}

const Approval* approval_of_call(const SessionState& state, std::string_view call_id,
                                 std::string_view tool, std::string_view args_digest) {
    const auto& requests = state.approvals.requests;
    const std::string id = kept_call_id(call_id);
    const auto newest = [&requests](const auto& fits) -> const Approval* {
        const auto found = std::find_if(requests.rbegin(), requests.rend(), [&](const Approval& a) {
            return a.kind == ApprovalKind::kTool && !a.of_dialog() && fits(a);
        });
        return found == requests.rend() ? nullptr : &*found;
    };
    // Agents use ids again: a decision is about its own tool and arguments only.
    const auto is_named = [&](const Approval& a) { return !id.empty() && a.call_id == id; };
    const auto has_args = [&](const Approval& a) {
        const bool both_known = !args_digest.empty() && !a.args_digest.empty();
        return !both_known || a.args_digest == args_digest || a.run_digest == args_digest;
    };
    const auto is_own = [&](const Approval& a) {
        return is_named(a) && a.tool == tool && has_args(a);
    };
    const auto is_equal = [&](const Approval& a) {
        return a.tool == tool && !args_digest.empty() && a.args_digest == args_digest;
    };
    // A person may have put these arguments in place of those that were asked for.
    const auto runs_as = [&](const Approval& a) {
        return a.tool == tool && !args_digest.empty() && a.run_digest == args_digest;
    };
    // One that was redeemed let its call go already.
    const auto is_unused = [](const Approval& a) {
        return a.open() && !a.taken() && a.redeemed_at == kNever;
    };
    const Approval* found = newest(
        [&](const Approval& a) { return is_own(a) && (a.pending() || (a.open() && !a.let_go)); });
    if (found == nullptr)
        found =
            newest([&](const Approval& a) { return is_named(a) && a.tool == tool && a.pending(); });
    // The decision about this very call stands, whatever an equal one waits for, until a person
    // allows an equal one.
    const Approval* const rejected =
        newest([&](const Approval& a) { return is_own(a) && a.decision == Decision::kReject; });
    const auto is_later = [rejected](const Approval& a) {
        return rejected == nullptr || a.decided_n > rejected->decided_n;
    };
    if (found == nullptr)
        found = newest([&](const Approval& a) {
            if (is_equal(a) && a.pending()) return rejected == nullptr;
            return (is_equal(a) || runs_as(a)) && is_unused(a) && is_later(a);
        });
    if (found == nullptr)
        found = newest([&](const Approval& a) { return is_own(a) && a.open() && is_later(a); });
    if (found == nullptr) found = rejected;
    // It has let its own call go.
    if (found == nullptr) found = newest([&](const Approval& a) { return is_own(a) && a.open(); });
    // A rejection holds under other ids, and for other tools under its id.
    if (found == nullptr && state.approvals.is_rejected(tool, args_digest, {}))
        found = newest(
            [&](const Approval& a) { return is_equal(a) && a.decision == Decision::kReject; });
    if (found == nullptr)
        found = newest([&](const Approval& a) {
            return is_named(a) && has_args(a) && a.decision == Decision::kReject;
        });
    return found != nullptr ? found : newest(is_own);
}

std::string status_words(const SessionState& state) {
    std::string words{"Verdict: "};
    words += name_of(state.judgement->verdict);
    if (!state.judgement->reason.empty()) words += ", " + state.judgement->reason;
    words += ".";
    const auto pending =
        std::count_if(state.approvals.requests.begin(), state.approvals.requests.end(),
                      [](const Approval& a) { return a.pending(); });
    if (pending > 0) words += "\nA person is asked: " + std::to_string(pending) + " open.";
    if (state.paused()) words += "\nThe session is paused by its operator.";
    return words;
}

const Approval* request_of_wait(const SessionState& state, const HookQuestion& asked) {
    if (asked.kind != ApprovalKind::kQuestion)
        return approval_of_call(state, asked.call_id, asked.tool, asked.args_digest);
    const auto& requests = state.approvals.requests;
    const auto found = std::find_if(requests.rbegin(), requests.rend(), [&asked](const auto& a) {
        return a.kind == ApprovalKind::kQuestion && a.call_id == asked.call_id;
    });
    return found == requests.rend() ? nullptr : &*found;
}

bool is_approved(const SessionState& state, const HookQuestion& asked) {
    return ready_approval(state, asked) != nullptr;
}

bool must_stop(const SessionState& state) {
    return state.cancel_requested || state.stopped ||
           std::any_of(state.directives.begin(), state.directives.end(), is_stop);
}

HookAnswer answer_hook(const SessionState& state, const HookQuestion& asked) {
    HookAnswer answer;
    const auto& directives = state.directives;
    const auto stop = std::find_if(directives.begin(), directives.end(), is_open_stop);
    const auto agreed = std::find_if(directives.begin(), directives.end(), is_stop);
    const bool by_person = state.cancel_requested || state.stopped;
    if (agreed != directives.end() || state.ended() || by_person) {
        const bool open = stop != directives.end();
        answer.stop = open            ? stop->reason
                      : state.ended() ? "the session has ended"
                      : by_person     ? "a person has stopped this session"
                                      : agreed->reason;
        // The first refusal asks for the answer. The next call was not it; nor was the turn after
        // a second one, for agents that end at a new turn only.
        const bool heard = open && was_heard(*stop, asked);
        const bool ignored = open && (asked.waits ? heard : asked.stops >= 2);
        answer.hard = !open || state.cancel_requested || ignored;
        if (open && asked.waits && (heard || !stop->delivered))
            answer.delivered.push_back(stop->id);
        return answer;
    }
    if (!asked.stopped_above.empty()) {
        answer.stop = asked.stopped_above;
        answer.hard = true;
        return answer;
    }
    if (asked.waits) answer_call(state, asked, answer);
    const bool heard = asked.takes_words || (!answer.deny.empty() && !asked.wordless);
    if (!answer.hold && heard) say(state, asked, answer);
    HEADWAY_ASSERT(!answer.hold || (answer.deny.empty() && answer.words.empty()));
    return answer;
}

}  // namespace headway::core
