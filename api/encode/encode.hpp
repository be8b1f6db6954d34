// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/encode/parts/encode_adapter.hpp"
#include "api/encode/parts/encode_approvals.hpp"
#include "core/budgets/budget.hpp"
#include "core/budgets/budget_history.hpp"
#include "core/budgets/expectations.hpp"
#include "core/events/event.hpp"
#include "core/session/session.hpp"
#include "core/values/watch.hpp"
#include "core/views/view.hpp"
#include "core/views/wait.hpp"

// Replies as JSON text, appended to `out`. Pure; shapes as in API.md.

namespace headway::api {

/// The reply to a report.
struct Advice {
    std::uint64_t n = 0;
    std::uint64_t accepted = 0;
    std::uint64_t duplicates = 0;
    bool batch = false;
    /// For a batch: each event's number, and true if it was a duplicate, in the report's order.
    std::vector<std::pair<std::uint64_t, bool>> results;
    /// Directives, each with its number of deliveries, this one included.
    std::vector<std::pair<core::Directive, std::uint32_t>> directives;
    /// Reported states that no transition leads to, with their numbers; they are recorded
    /// nevertheless.
    std::vector<std::pair<std::uint64_t, core::StateChanged>> invalid_transitions;
    std::string feedback;                              ///< about failures, for the model; or empty
    std::shared_ptr<const core::BudgetStatus> budget;  ///< null without a budget
    std::string usual_calls;                ///< for the prompt of a nearly used budget; or empty
    std::vector<ApprovalNotice> approvals;  ///< pending ones, and newly decided ones
};

void append_advice(std::string& out, const Advice& advice, const core::SessionView& view);

/// Set `written` to add the digests by which calls are compared; an export needs them. A secret
/// could be guessed from its digest, so `key` hides the digests of calls that held a secret;
/// without a key these digests are left out.
struct Fingerprints {
    bool written = false;
    std::string_view key = {};
};

/// The envelope of one event.
void append_event(std::string& out, std::string_view session, const core::Event& event,
                  const Fingerprints& fingerprints = {});

/// The time of reading and the daemon's watch, for fields such as `alive`.
struct ReadingTime {
    core::Timestamp now;
    core::Watch watch;
};

/// The session document; `prediction` goes into the budget, if the session has one, and `expected`
/// into the calls in flight. `adapter`: null without hooks. `cost_warning`: see write_budget().
void append_session(std::string& out, const core::Session& session, const ReadingTime& time,
                    const core::BudgetPrediction* prediction = nullptr,
                    const core::SessionExpectations& expected = {},
                    const Adapter* adapter = nullptr, std::string_view cost_warning = {},
                    std::size_t approvals_below = 0);

/// Effects that the old timers would have had on one session, next to its verdict and outcome.
void append_comparison(std::string& out, const core::Session& session, core::Timestamp now);

/// The comparison for all ended sessions.
struct TimeoutTotals {
    std::int64_t sessions = 0;  ///< ended while the timers were compared
    std::int64_t killed = 0;    ///< sessions that a timer would have ended
    std::int64_t saved = 0;     ///< killed sessions that in fact completed
    std::int64_t saved_ms = 0;  ///< work of saved sessions after the timer's time
};
void append_timeout_totals(std::string& out, const TimeoutTotals& totals);

/// The progress document of the first design.
void append_progress(std::string& out, const core::SessionView& view, const ReadingTime& time);

/// The progress document without the two values that depend on the time of reading, for a view that
/// is read more often than it changes.
struct ProgressText {
    std::string text;
    std::size_t alive_at = 0;  ///< where `alive` is missing in `text`
    std::size_t age_at = 0;    ///< where the age is missing; the end if nothing has changed yet
};

ProgressText progress_text(const core::SessionView& view);
/// Appends `text`, made by progress_text(view), with the two missing values.
void append_progress(std::string& out, const ProgressText& text, const core::SessionView& view,
                     const ReadingTime& time);
/// Adds `as_of_n` to a JSON object: `n`, the number of the newest event that the object reflects.
void append_as_of(std::string& object, std::uint64_t n);

/// The reply to test harnesses of the first design: `incomplete` with the reason
/// `max_iterations_reached` after the limit of iterations.
void append_chat_status(std::string& out, const core::SessionView& view);

/// One session of a wait: `view` is null for an unknown session.
struct WaitPart {
    std::string_view id;
    const core::SessionView* view = nullptr;
    core::WaitAnswer answer;
    core::Millis silent_for{0};  ///< the value used if the client asked for less; 0: as asked
};

/// The reply to a wait for one session.
void append_wait(std::string& out, const WaitPart& part, const ReadingTime& time);

/// The reply to a wait for several sessions.
void append_wait_several(std::string& out, std::span<const WaitPart> parts, bool met,
                         bool impossible, const ReadingTime& time);

}  // namespace headway::api
