// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "api/decode/decode_approvals.hpp"
#include "core/base/assert.hpp"
#include "core/budgets/cost_text.hpp"
#include "core/hooks/hook_answer.hpp"
#include "core/policies/policy_floor.hpp"
#include "core/text/words.hpp"
#include "server/engine/commands/approval_documents.hpp"
#include "server/engine/commands/carry_over.hpp"
#include "server/engine/commands/family_writes.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/engine/residents/resident_set.hpp"

// A report: drop what is known, check what is asked, decide, append.

namespace headway::server {
namespace {

using core::Error;
using core::Result;

/// Places of a report that repeat earlier ones of it.
using Echoes = std::vector<std::pair<std::size_t, std::size_t>>;

/// The number of the event if it is stored; 0 = it is not. `fresh`: its id is not.
Result<std::uint64_t> known_number(Transaction& transaction, const Resident* resident,
                                   const core::Event& event, bool fresh) {
    if (resident == nullptr) return 0;
    if (!event.event_id.empty() && !fresh) {
        HEADWAY_TRY(const std::uint64_t n, number_of_id(transaction, *resident, event.event_id));
        if (n != 0) return n;
    }
    const auto* asked = std::get_if<core::ApprovalRequested>(&event.payload);
    if (asked == nullptr) return 0;
    const auto* before = resident->session.state().approvals.asked_before(*asked);
    return before == nullptr ? 0 : before->n;
}

/// Removes the known events, and the places of their arguments.
void erase_known(ReportCommand& command, const std::vector<bool>& known) {
    std::erase_if(command.whole_args,
                  [&known](const api::WholeArgs& whole) { return known[whole.place]; });
    for (api::WholeArgs& whole : command.whole_args) {
        const auto before = known.begin() + static_cast<std::ptrdiff_t>(whole.place);
        whole.place -= static_cast<std::size_t>(std::count(known.begin(), before, true));
    }
    std::size_t i = 0;
    std::erase_if(command.events, [&](const core::Event&) { return known[i++]; });
}

/// Removes stored or repeated events from the report and notes them in `advice`, where the numbers
/// of the others are still open.
Result<Echoes> drop_known(Transaction& transaction, const Resident* resident,
                          ReportCommand& command, api::Advice& advice) {
    Echoes echoes;
    const std::vector<core::Event>& events = command.events;
    const bool asks = std::holds_alternative<core::ApprovalRequested>(events.front().payload);
    if (events.size() == 1 && events.front().event_id.empty() && !asks) {  // most reports
        advice.accepted = 1;
        if (advice.batch) advice.results.emplace_back(0, false);
        return echoes;
    }
    if (events.size() == 1) {
        HEADWAY_TRY(const std::uint64_t n,
                    known_number(transaction, resident, events.front(), command.fresh));
        (n != 0 ? advice.duplicates : advice.accepted) = 1;
        if (n != 0) advice.n = n;
        if (advice.batch) advice.results.emplace_back(n, n != 0);
        transaction.stats().duplicates += advice.duplicates;
        if (n != 0) erase_known(command, {true});
        return echoes;
    }
    std::unordered_map<std::string_view, std::size_t> first;
    std::vector<bool> known(events.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
        HEADWAY_TRY(const std::uint64_t n,
                    known_number(transaction, resident, events[i], command.fresh));
        const std::string& id = events[i].event_id;
        known[i] = n != 0;
        if (n != 0) {
            advice.n = n;
        } else if (!id.empty()) {
            const auto [earlier, fresh] = first.emplace(id, i);
            known[i] = !fresh;
            if (!fresh) echoes.emplace_back(i, earlier->second);
        }
        ++(known[i] ? advice.duplicates : advice.accepted);
        if (advice.batch) advice.results.emplace_back(n, known[i]);
    }
    transaction.stats().duplicates += advice.duplicates;
    erase_known(command, known);
    return echoes;
}

/// JSON pointer, into the original report, of the event at `place` of its remaining events.
std::string pointer_to(const api::Advice& advice, std::size_t place) {
    if (!advice.batch) return "/data";
    std::size_t original = 0;
    for (const auto& [n, known] : advice.results) {
        if (!known && place-- == 0) break;
        ++original;
    }
    return "/" + std::to_string(original) + "/data";
}

/// Checks the requests for approval of a report, after drop_known().
Result<> check_requests(Transaction& transaction, Resident* resident, const core::Policy& policy,
                        std::span<const core::Event> events, const api::Advice& advice) {
    for (std::size_t place = 0; place < events.size(); ++place) {
        const auto* asked = std::get_if<core::ApprovalRequested>(&events[place].payload);
        if (asked == nullptr) continue;
        const std::string pointer = pointer_to(advice, place);
        HEADWAY_CHECK(check_request(transaction.settings(), policy, *asked, pointer));
        HEADWAY_CHECK(check_expiry_above(transaction, resident, policy, *asked, pointer));
    }
    return {};
}

/// The request for one call, with its whole arguments if the report has them.
Result<core::ApprovalRequested> request_for(Transaction& transaction, const ReportCommand& command,
                                            std::size_t place, const core::ToolStarted& call) {
    std::string_view args = call.args.kept;
    std::string_view shown = args;
    for (const api::WholeArgs& whole : command.whole_args) {
        if (whole.place != place) continue;
        args = whole.text;
        shown = whole.redacted;
    }
    auto asked = api::request_for_call(transaction.document(), call, args, shown);
    if (asked) return with_note(*std::move(asked), command.note);
    Error error = std::move(asked).error();
    error.field = (command.batch ? "/" + std::to_string(place) : "") + "/data" + error.field;
    return error;
}

/// The calls of a report that need a person's permission, as requests.
Result<std::vector<core::CallToAllow>> calls_to_allow(Transaction& transaction, Resident* resident,
                                                      const core::Policy& policy,
                                                      const ReportCommand& command) {
    std::vector<core::CallToAllow> asks;
    std::size_t explicit_ones = 0;
    for (std::size_t place = 0; place < command.events.size(); ++place) {
        const core::Payload& payload = command.events[place].payload;
        if (std::holds_alternative<core::ApprovalRequested>(payload)) ++explicit_ones;
        const auto* call = std::get_if<core::ToolStarted>(&payload);
        if (call == nullptr) continue;
        HEADWAY_TRY(const bool must_ask, must_ask_for(transaction, resident, policy, call->tool));
        if (!must_ask && !call->requires_approval) continue;
        HEADWAY_TRY(core::ApprovalRequested asked, request_for(transaction, command, place, *call));
        if (must_ask) asked.source = "policy";
        asks.push_back({place, std::move(asked), command.of_hook});
    }
    if (asks.empty()) return asks;
    const std::size_t all = asks.size() + explicit_ones;
    if (resident != nullptr) {
        HEADWAY_CHECK(resident->session.admit_requests(all));
    } else {
        HEADWAY_CHECK(core::Session{command.session}.admit_requests(all));
    }
    return asks;
}

/// Adds the calls among `asks` that a person rejected in another session of the family to
/// `rejected`: a grant of the tool covers them no more than a request for them. Removes the `asks`
/// of hooks below a stopped session, which are refused at once.
Result<> heed_family(Transaction& transaction, Resident& resident,
                     std::vector<core::CallToAllow>& asks, std::vector<std::uint64_t>& rejected) {
    if (asks.empty()) return {};
    if (asks.front().held) {  // the answer to the hook refuses what was rejected
        if (resident.session.state().about.parent.empty()) return {};
        const core::ApprovalRequested& first = asks.front().request;
        HEADWAY_TRY(const Above above,
                    above_of(transaction, resident, {first.tool, first.args_digest, {}}));
        if (!above.stop.empty()) asks.clear();
        return {};
    }
    for (core::CallToAllow& ask : asks) {
        core::Event request;
        request.payload = ask.request;
        HEADWAY_TRY(const auto found, rejected_elsewhere(transaction, resident, {&request, 1}));
        ask.rejected_elsewhere = !found.empty();
        rejected.insert(rejected.end(), found.begin(), found.end());
    }
    return {};
}

using NamedCalls = std::vector<std::pair<std::string, std::string>>;  ///< ids and tools

/// The pending requests of held calls that were given up and are over: nothing is left to decide,
/// unless another equal call in flight waits for the same decision.
std::vector<std::uint64_t> requests_of(const core::SessionState& state, const NamedCalls& calls) {
    std::vector<std::uint64_t> requests;
    for (const auto& [id, tool] : calls) {
        if (core::other_unnamed_in_flight(state, tool, id)) continue;
        for (const core::Approval& asked : state.approvals.requests) {
            if (asked.pending() && !asked.of_dialog() && asked.tool == tool &&
                asked.call_id == core::kept_call_id(id))
                requests.push_back(asked.n);
        }
    }
    return requests;
}

/// A held call that its own user takes back, or refuses, has not run: no alarm, and nothing is left
/// to decide. The same holds for one that the agent has given up, `gives_up`: as its connection
/// closed. Returns such calls.
NamedCalls take_back(const Resident& resident, bool gives_up, std::vector<core::Event>& events) {
    NamedCalls calls;
    const core::SessionState& state = resident.session.state();
    if (!gives_up && resident.hooks->held_calls.empty()) return calls;
    for (core::Event& event : events) {
        auto* call = std::get_if<core::ToolFinished>(&event.payload);
        if (call == nullptr || call->ok || !call->error) continue;
        const std::string name = core::lower(call->error->error_class);
        if (name != "cancelled" && name != "denied") continue;
        if (call->refused_here) {
            if (gives_up && name == "cancelled") calls.emplace_back(call->call_id, call->tool);
            continue;
        }
        if (!is_held(resident, call->call_id)) continue;
        // By an approval that is not used yet, it may have run all the same.
        const bool approved = std::any_of(
            state.approvals.requests.begin(), state.approvals.requests.end(),
            [call](const core::Approval& a) { return a.open() && a.tool == call->tool; });
        const bool begun = std::any_of(
            state.open_calls.begin(), state.open_calls.end(), [call](const core::OpenCall& open) {
                return open.call_id == call->call_id && open.tool == call->tool;
            });
        if (approved || !begun) continue;
        call->refused_here = true;
        calls.emplace_back(call->call_id, call->tool);
    }
    return calls;
}

/// Replaces the UUIDs of approvals in acknowledgements with their ids.
Result<> resolve_acknowledged(Transaction& transaction, ReportCommand& command) {
    for (core::Event& event : command.events) {
        auto* read = std::get_if<core::DirectiveAcknowledged>(&event.payload);
        if (read == nullptr) continue;
        auto found = find_alias(transaction.store(), read->id);
        if (!found && is_unreadable(found.error().code)) continue;  // an id of nothing
        HEADWAY_TRY(const auto named, std::move(found));
        // The id of this session only: reveals no ids of other sessions.
        if (named && named->session_id == command.session)
            read->id = core::approval_id(named->session_id, named->approval.n);
    }
    return {};
}

/// Notes who said what has the role `operator`: without a token for it, it is a word of the user,
/// also for those who read the journal.
void note_operator(ReportCommand& command) {
    for (core::Event& event : command.events) {
        auto* message = std::get_if<core::Message>(&event.payload);
        if (message == nullptr) continue;
        const bool claims = core::lower(core::trimmed(message->role)) == "operator";
        message->of_operator = command.by_operator && message->role == "operator";
        if (claims && !message->of_operator) message->role = "user";
    }
}

/// The way by which a report came. By this label a program says that it reports an agent from its
/// record, where telemetry may repeat calls and usage as it does beside hooks.
core::Channel channel_of(const ReportCommand& command, const core::SessionState& state) {
    if (command.channel != core::Channel::kReport) return command.channel;
    if (!command.by_operator) return core::Channel::kReport;  // any agent may choose that label
    const auto& labels = state.about.labels;
    const bool stored = std::any_of(labels.begin(), labels.end(), [](const auto& label) {
        return label.key == "adapter" && label.value == "transcript";
    });
    return stored ? core::Channel::kAgent : core::Channel::kReport;
}

/// Notes by which way the calls and the usage came, and leaves out usage that is known already.
void note_channel(core::Channel channel, const core::SessionState& state,
                  std::vector<core::Event>& events) {
    if (channel == core::Channel::kReport) return;
    core::ChannelUse all = core::channel_use(state);
    for (core::Event& event : events) {
        const bool of_agent = channel == core::Channel::kAgent;
        if (auto* call = std::get_if<core::ToolStarted>(&event.payload)) call->of_agent = of_agent;
        if (auto* call = std::get_if<core::ToolFinished>(&event.payload)) call->of_agent = of_agent;
        core::Usage* usage = core::usage_in(event.payload);
        if (usage == nullptr) continue;
        usage->channel = channel;
        core::leave_out_known(all, *usage);
    }
}

/// Fills the numbers of the accepted events into the places that drop_known() left open.
void fill_numbers(std::span<const core::Event> events, const Echoes& echoes, api::Advice& advice) {
    auto place = advice.results.begin();
    for (const core::Event& event : events) {
        if (!core::reportable(core::type_of(event.payload))) continue;
        const auto* change = std::get_if<core::StateChanged>(&event.payload);
        if (change != nullptr && change->invalid)
            advice.invalid_transitions.emplace_back(event.n, *change);
        const auto* end = std::get_if<core::SessionEnded>(&event.payload);
        if (end != nullptr && end->automatic) continue;  // not from the report
        const auto* asked = std::get_if<core::ApprovalRequested>(&event.payload);
        if (asked != nullptr && asked->source != "agent") continue;
        advice.n = event.n;
        if (!advice.batch) continue;
        place = std::find_if(place, advice.results.end(),
                             [](const auto& r) { return r.first == 0 && !r.second; });
        HEADWAY_ASSERT(place != advice.results.end());
        place->first = event.n;
    }
    for (const auto& [place_of, earlier] : echoes)
        advice.results[place_of].first = advice.results[earlier].first;
}

}  // namespace

Result<std::uint64_t> number_of_id(Transaction& transaction, const Resident& resident,
                                   const std::string& id) {
    if (resident.newest_id.is_new(id)) return 0;
    if (const auto fresh = resident.new_ids.find(id)) return *fresh;
    HEADWAY_TRY(const auto stored, transaction.store().find_event_id(resident.key, id));
    return stored.value_or(0);
}

Result<> ReportCommand::name(Reader& reader, SessionNames& names) const {
    return name_opening(reader, names, session);
}

Result<Advised> ReportCommand::operator()(Transaction& transaction) {
    HEADWAY_TRY(Resident * resident, transaction.find(session));
    HEADWAY_CHECK(resolve_acknowledged(transaction, *this));
    note_operator(*this);
    api::Advice advice;
    advice.batch = batch;
    HEADWAY_TRY(const Echoes echoes, drop_known(transaction, resident, *this, advice));
    if (events.empty()) return advise(transaction, *resident, std::move(advice), true);

    if (!controls && resident != nullptr && is_supervised(resident->session.state())) {
        for (core::Event& event : events) {
            if (std::holds_alternative<core::SessionEnded>(event.payload))
                event.payload = agent_has_ended();
        }
    }
    if (resident != nullptr) {
        HEADWAY_CHECK(resident->session.admit(events));
    } else {
        HEADWAY_CHECK(core::Session{session}.admit(events));
    }
    core::SessionStarted first;  // the opening of a session that begins
    core::Policy begun;
    if (resident == nullptr) {
        HEADWAY_TRY(first, implicit_opening(transaction, session));
        begun = core::effective_policy(first.policy, transaction.settings().policy);
    }
    const core::Policy& policy = resident != nullptr ? *resident->session.state().policy : begun;
    HEADWAY_CHECK(check_requests(transaction, resident, policy, events, advice));
    HEADWAY_TRY(auto asks, calls_to_allow(transaction, resident, policy, *this));
    const core::CaptureRules& capture = transaction.settings().capture;
    const bool listed = resident != nullptr ? capture.only_digests(resident->session.state().about)
                                            : capture.only_digests(first);
    if (listed || capture.only_digests_of(adapter)) {
        for (core::Event& event : events)
            core::keep_digests(event.payload);
    }
    std::vector<core::Event>& decided = transaction.events();
    HEADWAY_CHECK(open_if_new(transaction, resident, session, controls, decided));
    note_channel(channel_of(*this, resident->session.state()), resident->session.state(), events);
    core::estimate_costs(transaction.settings().prices, resident->session.state().about.agent.model,
                         events);
    core::Context asking = transaction.context();
    asking.of_hook = of_hook;
    asking.children_work = transaction.children_work(*resident);
    HEADWAY_TRY(const auto above, policies_above(transaction, *resident));
    asking.policies_above = above;
    HEADWAY_TRY(auto rejected, rejected_elsewhere(transaction, *resident, events));
    HEADWAY_CHECK(heed_family(transaction, *resident, asks, rejected));
    asking.asks = asks;
    asking.rejected_elsewhere = rejected;
    SessionTree::take_change_below(*resident, events);
    const std::uint64_t hard_n = resident->session.state().ledger->hard_n;
    const NamedCalls taken_back = take_back(*resident, gives_up, events);
    resident->session.report(events, asking, decided);
    for (const std::uint64_t n : requests_of(resident->session.state(), taken_back))
        resident->session.close_request(n, core::ApprovalClosing::kTakenBack, asking, decided);
    SessionTree::note_change(*resident, hard_n, transaction.sessions().residents());
    transaction.tree().add_conflicts(resident->session, transaction.sessions().residents(),
                                     transaction.context(), decided);
    HEADWAY_CHECK(heed_ancestors(transaction, *resident, decided));
    fill_numbers(decided, echoes, advice);
    HEADWAY_CHECK(transaction.append(*resident, decided));
    HEADWAY_CHECK(heed_day(transaction, *resident));
    return advise(transaction, *resident, std::move(advice));
}

}  // namespace headway::server
