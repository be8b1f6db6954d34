// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/decode/decode.hpp"
#include "api/decode/decode_budget.hpp"
#include "core/budgets/budget_history.hpp"
#include "core/budgets/expectations.hpp"
#include "core/events/event.hpp"
#include "server/engine/base/answers.hpp"
#include "server/engine/transaction/transaction.hpp"

// Commands on one session. Their replies are sent after the commit.

namespace headway::server {

/// A session at the time of the answer.
struct SessionDocument {
    core::Session session;
    api::ReadingTime time;
    std::optional<core::BudgetPrediction> prediction = {};
    core::SessionExpectations expected = {};
    bool created = false;   ///< this command opened the session
    bool replayed = false;  ///< an earlier command with this idempotency key opened it
    std::optional<api::Adapter> adapter = {};
    std::size_t approvals_below = 0;  ///< pending approvals of the open descendants
    std::string cost_warning = {};    ///< why a cap on cost cannot hold; or empty
};

/// Names one session (WriteTask::name).
inline core::Result<> name_one(SessionNames& names, const std::string& session) {
    names.push_back(session);
    return {};
}

/// The number of this session's event with this id; 0 = unknown.
core::Result<std::uint64_t> number_of_id(Transaction& transaction, const Resident& resident,
                                         const std::string& id);

/// Stores the events of a report; opens the session if it is unknown.
struct ReportCommand {
    std::string session;
    std::vector<core::Event> events;
    bool batch = false;
    std::vector<api::WholeArgs> whole_args = {};
    bool controls = false;     ///< the caller may control sessions
    bool fresh = false;        ///< the event ids have been looked up, and none is stored
    bool by_operator = false;  ///< the caller sent a token with the scope `control`
    bool of_hook = false;      ///< the report's calls wait for the reply to a hook
    bool gives_up = false;  ///< a person has interrupted the agent or typed a prompt, so the agent
                            ///< has given up the calls in flight that this report ends
    std::string adapter = {};  ///< the adapter whose hook reports; or empty
    core::Channel channel = core::Channel::kReport;
    std::string note = {};  ///< text about its calls, for a person who has to allow them

    static constexpr bool kFillsDisk = true;
    core::Result<> name(Reader& reader, SessionNames& names) const;
    void report_ids(ReportedIds& ids) const {
        for (const core::Event& event : events) {
            if (!event.event_id.empty()) ids.emplace_back(session, event.event_id);
        }
    }
    core::Result<Advised> operator()(Transaction& transaction);
};

struct OpenCommand {
    std::string session;
    core::SessionStarted about;
    bool bare = false;            ///< only the id was given: any existing session matches
    std::string idempotency_key;  ///< the request's key; or empty
    std::string idempotency_fingerprint;
    bool controls = false;   ///< as ReportCommand::controls
    bool suggested = false;  ///< limits that `about` leaves open are taken from expectations
    bool of_hook = false;    ///< a hook reported a person's prompt; even with `controls`, the
                             ///< request is not the operator's
    bool by_person = false;  ///< the caller sent a token with the scope `control`
    bool decides = false;    ///< the caller may lift the stop of a rejection

    static constexpr bool kFillsDisk = true;
    core::Result<> name(Reader& reader, SessionNames& names) const;
    core::Result<SessionDocument> operator()(Transaction& transaction);
};

/// True for a session that `headway run` has opened and will end. The command of the run may start
/// several agents, and their hooks do not end the session. Pure.
bool is_of_run(const core::SessionState& state);
/// True for the session of a run that an operator started. No other caller can end such a session
/// with a request or a report. Pure.
bool is_supervised(const core::SessionState& state);
/// The event that is stored when an agent reports the end of such a session, because the session
/// goes on.
core::StateChanged agent_has_ended();

struct EndCommand {
    std::string session;
    core::SessionEnded end;
    bool controls = true;  ///< as ReportCommand::controls

    core::Result<> name(Reader&, SessionNames& names) const { return name_one(names, session); }
    core::Result<Advised> operator()(Transaction& transaction);
};

/// The result: the session's rows are being deleted.
struct Forgotten {
    std::string session;
};
/// Deletes all stored data of an ended or recorded session, in the next gaps between turns; data
/// that was derived from many sessions is kept. Error: kSessionOpen.
struct ForgetCommand {
    std::string session;

    core::Result<> name(Reader&, SessionNames& names) const { return name_one(names, session); }
    core::Result<Forgotten> operator()(Transaction& transaction);
};

struct CancelCommand {
    std::string session;
    core::CancelRequested cancel;

    core::Result<> name(Reader&, SessionNames& names) const { return name_one(names, session); }
    core::Result<Advised> operator()(Transaction& transaction);
};

/// An operator's request to a running agent.
enum class Control : std::uint8_t { kPause, kResume, kNudge };

struct ControlCommand {
    std::string session;
    Control control = Control::kNudge;
    api::ControlBody body;
    bool decides = false;  ///< the caller sent a token with the scope `approve`

    core::Result<> name(Reader&, SessionNames& names) const { return name_one(names, session); }
    /// Error: kForbidden for a resume that would lift a stop due to a rejection, unless `decides`.
    core::Result<Advised> operator()(Transaction& transaction);
};

struct BudgetCommand {
    std::string session;
    api::BudgetChange change;

    core::Result<> name(Reader&, SessionNames& names) const { return name_one(names, session); }
    core::Result<Advised> operator()(Transaction& transaction);
};

/// Returns the session, unless it is a recording whose import is not complete. Such a session has
/// no agent that could obey, and its end comes with the rest of the import. Errors:
/// kUnknownSession, kSessionExists.
core::Result<Resident*> require_live(Transaction& transaction, const std::string& session);

/// The answer to a report or command: directives, budget and approvals of the session. The view of
/// the session is published with the turn. `again`: the report was stored before, so its directives
/// are not counted as delivered once more.
core::Result<Advised> advise(Transaction& transaction, Resident& resident, api::Advice advice,
                             bool again = false);

/// Opens the session of a report or an approval, unless it is open, and adds its opening to
/// `events`. If `resident` is null, the session is created.
core::Result<> open_if_new(Transaction& transaction, Resident*& resident, const std::string& id,
                           bool controls, std::vector<core::Event>& events);

/// Sets the limits and rules that a session starts with.
void give_budget(const core::BudgetSettings& settings, core::SessionStarted& about,
                 const core::BudgetSuggestion& suggestion = {});

}  // namespace headway::server
