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
#include "server/engine/commands/carry_over.hpp"

namespace headway::server {
namespace {

using core::Result;

/// Calls that are remembered as rejected, of all generations together.
constexpr std::size_t kRefusedMax = 1024;

/// Adds the calls whose newest decision of a person is a rejection; `decided` has the calls that a
/// newer generation decided about.
void add_rejections(const core::Approvals& approvals, std::vector<std::uint64_t>& decided,
                    std::vector<std::uint64_t>& refused) {
    const auto has = [](const std::vector<std::uint64_t>& list, std::uint64_t call) {
        return std::find(list.begin(), list.end(), call) != list.end();
    };
    std::vector<std::uint64_t> here;
    for (const core::Approval& one : approvals.requests) {
        const auto rejects = approvals.newest_decision(one.tool, one.args_digest);
        const std::uint64_t call = core::call_digest(one.tool, one.args_digest);
        if (!rejects || has(decided, call)) continue;
        here.push_back(call);
        if (*rejects) refused.push_back(call);
    }
    for (const std::uint64_t call : approvals.rejected) {
        if (!has(decided, call) && !has(here, call)) refused.push_back(call);
    }
    decided.insert(decided.end(), here.begin(), here.end());
}

/// An agent may end its session, and goes on in the next: that must not lift a rejection.
Result<bool> was_refused(Transaction& transaction, Resident& resident, std::string_view tool,
                         std::string_view args_digest) {
    // A person has decided about the same call since.
    if (resident.session.state().approvals.newest_decision(tool, args_digest)) return false;
    HookMemory& memory = resident.hooks.change();
    if (!memory.refused_before) {
        std::vector<std::uint64_t> refused;
        std::vector<std::uint64_t> decided;
        std::string name = resident.session.id();
        for (int i = 0; i < kGenerationsMax && refused.size() < kRefusedMax; ++i) {
            HEADWAY_TRY(const Resident* before, ended_before(transaction.reader(), name));
            if (before == nullptr) break;
            name = before->session.id();
            add_rejections(before->session.state().approvals, decided, refused);
        }
        memory.refused_before = std::move(refused);
    }
    const auto& known = *memory.refused_before;
    return std::find(known.begin(), known.end(), core::call_digest(tool, args_digest)) !=
           known.end();
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

/// The decision about the call above, in the newest generation that has one.
std::optional<core::NewestRuling> ruling_above(const core::Approvals& approvals,
                                               const Resident* after, std::string_view tool,
                                               std::string_view args_digest) {
    if (after != nullptr) {
        const auto newest = after->session.state().approvals.newest_ruling(tool, args_digest);
        if (newest) return newest;
    }
    return approvals.newest_ruling(tool, args_digest);
}

/// True if a person rejected the call above, and did not allow it since, as far as is known; nor
/// here, by `own`, after that.
bool rejected_above(const core::Approvals& approvals, const Resident* after, std::string_view tool,
                    std::string_view args_digest,
                    const std::optional<core::NewestRuling>& own = std::nullopt) {
    const auto above = ruling_above(approvals, after, tool, args_digest);
    if (!above || !above->rejects) return false;
    const bool allowed = own && !own->rejects;
    return !allowed || (above->at != core::kNever && above->at > own->at);
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
bool was_rejected_before(Reader& reader, std::string name, std::string_view tool,
                         std::string_view args_digest) {
    for (int i = 0; i < kGenerationsRead; ++i) {
        const auto before = ended_before(reader, name);
        if (!before) return true;
        if (*before == nullptr) return false;
        const core::Session& session = (*before)->session;
        const auto decided = session.state().approvals.newest_decision(tool, args_digest);
        if (decided) return *decided;
        name = session.id();
    }
    return true;
}

struct NamedCall {
    std::string tool;  ///< empty: none
    std::string args_digest;
};

/// The call that has run, or that a request asks for.
NamedCall named_call(const core::Event& event) {
    if (const auto* asked = std::get_if<core::ApprovalRequested>(&event.payload))
        return asked->kind == core::ApprovalKind::kTool ? NamedCall{asked->tool, asked->args_digest}
                                                        : NamedCall{};
    const auto* call = std::get_if<core::ToolFinished>(&event.payload);
    if (call == nullptr) return {};
    return {call->tool,
            core::asked_digest_of(
                *call, call->fingerprint ? *call->fingerprint : core::plain_fingerprint(*call))};
}

}  // namespace

Result<Above> above_of(Transaction& transaction, Resident& resident, std::string_view tool,
                       std::string_view args_digest, bool by_call) {
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
    const auto own = resident.session.state().approvals.newest_ruling(tool, args_digest);
    bool rolls_up = true;  // use of this session, as far as the ancestor looked at
    for (const Resident* one : line) {
        const core::SessionState& state = one->session.state();
        rolls_up = rolls_up && state.about.budget_rules->roll_up;
        HEADWAY_TRY(const Resident* after, successor(transaction.reader(), *one));
        add_stop(one->session, after == nullptr, above);
        if (after != nullptr) add_stop(after->session, true, above);
        above.refused =
            above.refused || rejected_above(state.approvals, after, tool, args_digest, own);
        const core::Session& newest = after != nullptr ? after->session : one->session;
        if (above.stop.empty() && was_ended_for_it(newest.state()))
            above.stop = "the session above this one was ended, " + newest.id();
        const bool used_up = is_used_up(state) || (after != nullptr && is_used_up(newest.state()));
        if (above.stop.empty() && rolls_up && used_up)
            above.stop = "the budget of the session above this one is used up";
        above.paused = above.paused || holds_pause(state, after);
    }
    if (own && !own->rejects) return above;  // a person has allowed this very call here
    std::vector<Resident*> all{&resident};
    all.insert(all.end(), line.begin(), line.end());
    for (Resident* one : all) {
        if (above.refused || !by_call) break;
        HEADWAY_TRY(above.refused, was_refused(transaction, *one, tool, args_digest));
    }
    return above;
}

bool is_forbidden(Reader& reader, std::string id, std::string_view tool,
                  std::string_view args_digest) {
    const core::ApprovalRules& rules = reader.settings().approvals;
    const std::string named{tool};
    const auto read = [&reader](const std::string& name) -> const Resident* {
        const auto found =
            reader.is_shared() ? Result<const Resident*>{nullptr} : reader.find(name);
        return found ? *found : nullptr;
    };
    const Resident* one = read(id);
    if (one == nullptr) return rules.must_ask(reader.settings().policy, named);
    const core::SessionState& own = one->session.state();
    if (own.paused() || (own.ended() && was_stopped(own))) return true;
    const auto ruled = own.approvals.newest_ruling(tool, args_digest);
    const bool allowed = ruled && !ruled->rejects;
    for (std::size_t depth = 0; one != nullptr && depth <= core::limits::kFamilyDepthMax; ++depth) {
        const core::SessionState& state = one->session.state();
        const auto later = depth == 0 ? Result<const Resident*>{nullptr} : successor(reader, *one);
        if (!later) return true;
        const core::SessionState& newest = *later ? (*later)->session.state() : state;
        const bool held = depth > 0 && (holds_pause(state, *later) || was_ended_for_it(newest));
        if (held || core::must_stop(state) || core::must_stop(newest) ||
            rules.must_ask(*state.policy, named) || rules.must_ask(*newest.policy, named))
            return true;
        if (rejected_above(state.approvals, *later, tool, args_digest, ruled) ||
            (!allowed && was_rejected_before(reader, id, tool, args_digest)))
            return true;
        id = state.about.parent;
        one = id.empty() ? nullptr : read(id);
    }
    return false;
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
    for (const auto& [tool, digest] : calls) {
        const std::uint64_t call = core::call_digest(tool, digest);
        const auto decided = own.newest_decision(tool, digest);
        const bool below =
            decided.value_or(false) &&
            std::find(own.rejected.begin(), own.rejected.end(), call) != own.rejected.end();
        if (below) found.push_back(call);
        if (decided) continue;
        HEADWAY_TRY(bool refused, was_refused(transaction, resident, tool, digest));
        for (const auto& [approvals, after] : above)
            refused = refused || rejected_above(*approvals, after, tool, digest);
        if (refused) found.push_back(call);
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
