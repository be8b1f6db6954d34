// SPDX-License-Identifier: Apache-2.0
#include "server/engine/commands/family_writes.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/approvals/approvals.hpp"
#include "core/base/limits.hpp"
#include "core/fold/fold_call.hpp"
#include "core/hooks/hook_answer.hpp"
#include "server/engine/commands/carry_over.hpp"

namespace headway::server {
namespace {

using core::Result;

/// Calls that are remembered as rejected, of all generations together.
constexpr std::size_t kRefusedMax = 1024;

struct CallAsked {
    std::string_view tool;
    std::string_view args_digest;
    core::Timestamp now;

    std::uint64_t digest() const { return core::call_digest(tool, args_digest); }
    /// In another session than that of the call.
    std::optional<core::NewestRuling> elsewhere(const core::Approvals& approvals) const {
        return approvals.newest_ruling(tool, args_digest, {.now = now, .own = false});
    }
};

/// Adds the calls that a person rejected in a generation that has ended: approvals and grants ended
/// with it.
void add_rejections(const core::Approvals& approvals, std::vector<std::uint64_t>& refused) {
    for (const core::Approval& one : approvals.requests) {
        if (approvals.is_rejected(one.tool, one.args_digest, {.own = false}))
            refused.push_back(core::call_digest(one.tool, one.args_digest));
    }
    for (const core::RejectedCall& one : approvals.rejected)
        refused.push_back(one.call);
    // Equal requests are one call: an agent must not fill the list with them.
    std::sort(refused.begin(), refused.end());
    refused.erase(std::unique(refused.begin(), refused.end()), refused.end());
}

/// An agent may end its session, and goes on in the next: that must not lift a rejection. Called
/// where no decision of the session itself is about the call.
Result<bool> was_refused(Transaction& transaction, Resident& resident, const CallAsked& call) {
    HookMemory& memory = resident.hooks.change();
    if (!memory.refused_before) {
        std::vector<std::uint64_t> refused;
        std::string name = resident.session.id();
        for (int i = 0; i < kGenerationsMax && refused.size() < kRefusedMax; ++i) {
            HEADWAY_TRY(const Resident* before, ended_before(transaction.reader(), name));
            if (before == nullptr) break;
            name = before->session.id();
            add_rejections(before->session.state().approvals, refused);
        }
        memory.refused_before = std::move(refused);
    }
    const auto& known = *memory.refused_before;
    return std::find(known.begin(), known.end(), call.digest()) != known.end();
}

/// The same for its session and those above it.
Result<bool> was_refused_in(Transaction& transaction, Resident& resident,
                            const std::vector<Resident*>& line, const CallAsked& call) {
    HEADWAY_TRY(bool refused, was_refused(transaction, resident, call));
    for (Resident* one : line) {
        if (refused) break;
        if (call.elsewhere(one->session.state().approvals)) continue;  // decided there since
        HEADWAY_TRY(refused, was_refused(transaction, *one, call));
    }
    return refused;
}

/// The budget of its family: an acknowledgement of the agent does not lift it.
bool is_used_up(const core::SessionState& state) {
    const bool spent =
        state.budget.limited() && state.budget.level == core::BudgetLevel::kExhausted;
    return spent || state.outcome == core::Outcome::kBudgetExhausted;
}

/// Adds a stop of one session above. The stop of a rejection stands in its newest generation, where
/// a person may have lifted it.
void add_stop(const core::Session& session, bool newest, Above& above) {
    const core::SessionState& state = session.state();
    const bool rejected = newest && state.stopped;
    const bool stopped =
        state.cancel_requested || rejected || state.outcome == core::Outcome::kHalted;
    if (stopped && above.stop.empty())
        above.stop = "a person has stopped the session above this one, " + session.id();
}

/// The decision about the call in a session above, in its newest generation that has one.
std::optional<core::NewestRuling> ruling_above(const core::Approvals& approvals,
                                               const Resident* after, const CallAsked& call) {
    std::optional<core::NewestRuling> above;
    if (after != nullptr) above = call.elsewhere(after->session.state().approvals);
    return above ? above : call.elsewhere(approvals);
}

/// True if `above` rejects the call, and `own`, the decision here, does not allow it after that.
bool forbids(const std::optional<core::NewestRuling>& above,
             const std::optional<core::NewestRuling>& own) {
    if (!above || !above->rejects) return false;
    return !own || own->rejects || above->at > own->at;
}

/// A pause holds behind an end that no person made, until a later generation is without it.
bool holds_pause(const core::SessionState& state, const Resident* after) {
    if (after != nullptr) return after->session.state().paused();
    // Nothing ends the pause of a day in a session that has ended.
    const bool lifted = state.paused_for_day || state.end_code == core::kEndedByPerson;
    return state.paused() && (!state.ended() || !lifted);
}

/// Earlier generations that one look reads, each of which may come from the disk.
constexpr int kGenerationsRead = 64;

/// As was_refused(), for a reader, who remembers nothing. A call of a longer line counts as
/// refused.
bool was_rejected_before(Reader& reader, std::string name, const CallAsked& call) {
    for (int i = 0; i < kGenerationsRead; ++i) {
        const auto before = ended_before(reader, name);
        if (!before) return true;
        if (*before == nullptr) return false;
        const core::Session& session = (*before)->session;
        const auto decided = call.elsewhere(session.state().approvals);
        if (decided) return decided->rejects;
        name = session.id();
    }
    return true;
}

struct NamedCall {
    std::string tool;  ///< empty: none
    std::string args_digest;
    bool ran = false;  ///< else a request asks for it
};

/// The call that has run, or that a request asks for.
NamedCall named_call(const core::Event& event) {
    if (const auto* asked = std::get_if<core::ApprovalRequested>(&event.payload))
        return asked->kind == core::ApprovalKind::kTool
                   ? NamedCall{asked->tool, asked->args_digest, false}
                   : NamedCall{};
    const auto* call = std::get_if<core::ToolFinished>(&event.payload);
    if (call == nullptr) return {};
    return {call->tool,
            core::asked_digest_of(
                *call, call->fingerprint ? *call->fingerprint : core::plain_fingerprint(*call)),
            true};
}

}  // namespace

Result<Above> above_of(Transaction& transaction, Resident& resident, const AskedCall& asked) {
    Above above;
    HEADWAY_TRY(const std::vector<Resident*> line, ancestors_of(transaction.sessions(), resident));
    if (const std::string& parent = resident.session.state().about.parent;
        line.empty() && !parent.empty()) {
        const auto known = transaction.reader().find(parent);
        if (!known && !is_unreadable(known.error().code)) return known.error();
        if (known && *known != nullptr)
            above.stop = "the sessions above this one form a circle, or are more than " +
                         std::to_string(core::limits::kFamilyDepthMax);
    }
    const CallAsked call{asked.tool, asked.args_digest, transaction.now()};
    const std::string call_id = core::kept_call_id(asked.call_id);
    const auto own = resident.session.state().approvals.newest_ruling(
        call.tool, call.args_digest, {call.now, true, call_id, asked.runs});
    bool rolls_up = true;  // use of this session, as far as the ancestor looked at
    for (const Resident* one : line) {
        const core::SessionState& state = one->session.state();
        rolls_up = rolls_up && state.about.budget_rules->roll_up;
        HEADWAY_TRY(const Resident* after, successor(transaction.reader(), *one));
        add_stop(one->session, after == nullptr, above);
        if (after != nullptr) add_stop(after->session, true, above);
        const auto ruling = ruling_above(state.approvals, after, call);
        if (ruling && ruling->rejects) above.refused_at = std::max(above.refused_at, ruling->at);
        above.refused = above.refused || forbids(ruling, own);
        const core::Session& newest = after != nullptr ? after->session : one->session;
        if (above.stop.empty() && was_ended_for_it(newest.state()))
            above.stop = "the session above this one was ended, " + newest.id();
        const bool used_up = is_used_up(state) || (after != nullptr && is_used_up(newest.state()));
        if (above.stop.empty() && rolls_up && used_up)
            above.stop = "the budget of the session above this one is used up";
        above.paused = above.paused || holds_pause(state, after);
    }
    if (!asked.by_hook || own) return above;
    HEADWAY_TRY(const bool refused, was_refused_in(transaction, resident, line, call));
    above.refused = above.refused || refused;
    return above;
}

bool is_forbidden(Reader& reader, std::string id, std::string_view tool,
                  std::string_view args_digest) {
    const core::ApprovalRules& rules = reader.settings().approvals;
    const std::string named{tool};
    bool unread = false;  // a decision may be in it
    const auto read = [&](const std::string& name) -> const Resident* {
        const auto found =
            reader.is_shared() ? Result<const Resident*>{nullptr} : reader.find(name);
        unread = unread || (!found && is_unreadable(found.error().code));
        return found ? *found : nullptr;
    };
    const Resident* one = read(id);
    if (one == nullptr) return unread || rules.must_ask(reader.settings().policy, named);
    const core::SessionState& own = one->session.state();
    if (own.paused() || (own.ended() && was_stopped(own))) return true;
    const CallAsked call{tool, args_digest, reader.now()};
    const auto ruled = own.approvals.newest_ruling(tool, args_digest, {.now = call.now});
    const bool allowed = ruled && !ruled->rejects;
    for (std::size_t depth = 0; one != nullptr && depth <= core::limits::kFamilyDepthMax; ++depth) {
        const core::SessionState& state = one->session.state();
        const auto later = depth == 0 ? Result<const Resident*>{nullptr} : successor(reader, *one);
        if (!later) return true;
        const core::SessionState& newest = *later ? (*later)->session.state() : state;
        const bool halted = state.outcome == core::Outcome::kHalted;
        const bool held =
            depth > 0 && (holds_pause(state, *later) || was_ended_for_it(newest) || halted);
        if (held || core::must_stop(state) || core::must_stop(newest) ||
            rules.must_ask(*state.policy, named) || rules.must_ask(*newest.policy, named))
            return true;
        const auto ruling = depth == 0 ? ruled : ruling_above(state.approvals, *later, call);
        if ((ruling && ruling->rejects && forbids(ruling, depth == 0 ? std::nullopt : ruled)) ||
            (!allowed && was_rejected_before(reader, id, call)))
            return true;
        id = state.about.parent;
        one = id.empty() ? nullptr : read(id);
    }
    return unread || one != nullptr;  // a circle, or too many
}

std::vector<core::Event> waiting_requests(const core::Approvals& approvals) {
    std::vector<core::Event> waiting;
    for (const core::Approval& one : approvals.requests) {
        if (!one.pending()) continue;
        core::ApprovalRequested asked;
        asked.kind = one.kind;
        asked.tool = one.tool;
        asked.args_digest = one.args_digest;
        waiting.emplace_back().payload = std::move(asked);
    }
    return waiting;
}

Result<std::vector<std::uint64_t>> rejected_elsewhere(Transaction& transaction, Resident& resident,
                                                      std::span<const core::Event> events) {
    std::vector<std::uint64_t> found;
    const std::string& id = resident.session.id();
    const core::Approvals& own = resident.session.state().approvals;
    const bool alone = resident.session.state().about.parent.empty() && base_of(id) == id;
    if (alone && own.rejected.empty()) return found;
    std::vector<NamedCall> calls;
    for (const core::Event& event : events) {
        NamedCall call = named_call(event);
        if (!call.tool.empty()) calls.push_back(std::move(call));
    }
    if (calls.empty()) return found;
    HEADWAY_TRY(const std::vector<Resident*> line, ancestors_of(transaction.sessions(), resident));
    std::vector<std::pair<const core::Approvals*, const Resident*>> above;
    for (const Resident* one : line) {
        HEADWAY_TRY(const Resident* after, successor(transaction.reader(), *one));
        above.emplace_back(&one->session.state().approvals, after);
    }
    for (const auto& [tool, digest, ran] : calls) {
        const CallAsked call{tool, digest, transaction.now()};
        // An approval of one execution is for its own request alone.
        const auto decided = own.newest_ruling(tool, digest, {.now = call.now, .own = ran});
        const auto& noted = own.rejected;
        if (decided && decided->rejects) {  // by a request of its own, alarm_of() sees it
            const bool below = std::any_of(
                noted.begin(), noted.end(),
                [&call](const core::RejectedCall& one) { return one.call == call.digest(); });
            if (below) found.push_back(call.digest());
            continue;
        }
        bool refused = false;
        if (!decided) {
            HEADWAY_TRY(refused, was_refused_in(transaction, resident, line, call));
        }
        for (const auto& [approvals, after] : above)
            refused = refused || forbids(ruling_above(*approvals, after, call), decided);
        if (refused) found.push_back(call.digest());
    }
    return found;
}

Result<bool> must_ask_for(Transaction& transaction, Resident* resident, const core::Policy& policy,
                          const std::string& tool) {
    const core::ApprovalRules& rules = transaction.settings().approvals;
    if (rules.must_ask(policy, tool)) return true;
    if (resident == nullptr) return false;
    HEADWAY_TRY(const auto above, policies_above(transaction, *resident));
    return rules.must_ask(above, tool);
}

Result<std::vector<const core::Policy*>> policies_above(Transaction& transaction,
                                                        Resident& resident) {
    std::vector<const core::Policy*> policies;
    if (resident.session.state().about.parent.empty()) return policies;
    HEADWAY_TRY(const std::vector<Resident*> line, ancestors_of(transaction.sessions(), resident));
    for (const Resident* one : line) {
        policies.push_back(&*one->session.state().policy);
        HEADWAY_TRY(const Resident* after, successor(transaction.reader(), *one));
        if (after != nullptr) policies.push_back(&*after->session.state().policy);
    }
    return policies;
}

Result<> check_expiry_above(Transaction& transaction, Resident* resident,
                            const core::Policy& policy, const core::ApprovalRequested& asked,
                            const std::string& pointer) {
    if (asked.on_expiry != core::OnExpiry::kApprove) return {};
    HEADWAY_TRY(const bool needs, must_ask_for(transaction, resident, policy, asked.tool));
    if (!needs) return {};
    return core::Error{core::ErrorCode::kInvalidField,
                       "calls of this tool need a person's approval in a session above this one; "
                       "use hold, reject or escalate",
                       pointer + "/on_expiry"};
}

}  // namespace headway::server
