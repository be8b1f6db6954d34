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

// Replies as JSON text, appended to `out`. Pure; the shapes are those of API.md.

namespace headway::api {

/// The reply to a report.
struct Advice {
    std::uint64_t n = 0;
    std::uint64_t accepted = 0;
    std::uint64_t duplicates = 0;
    bool batch = false;
    /// For a batch: number and whether it was known, in the order of the report.
    std::vector<std::pair<std::uint64_t, bool>> results;
    /// A directive and how often it has been delivered, this time included.
    std::vector<std::pair<core::Directive, std::uint32_t>> directives;
    /// Reported states that no transition leads to; recorded all the same.
    std::vector<std::pair<std::uint64_t, core::StateChanged>> invalid_transitions;
    std::string feedback;                              ///< for the model, about failures; or empty
    std::shared_ptr<const core::BudgetStatus> budget;  ///< null without a budget
    std::string usual_calls;                           ///< for its prompt, near its end; or empty
    std::vector<ApprovalNotice> approvals;  ///< those that wait, and those whose decision is news
};

void append_advice(std::string& out, const Advice& advice, const core::SessionView& view);

/// Whether an event is written with the digests by which calls are compared; an export needs them.
/// A secret could be guessed from its digest, so `key` hides the digests of calls that held one;
/// without a key they are left out.
struct Fingerprints {
    bool written = false;
    std::string_view key = {};
};

/// The envelope of one event.
void append_event(std::string& out, std::string_view session, const core::Event& event,
                  const Fingerprints& fingerprints = {});

/// The time of reading, and since when the daemon watches, for fields such as `alive`.
struct ReadingTime {
    core::Timestamp now;
    core::Watch watch;
};

/// The session document; `prediction` goes into its budget, if it has one, and `expected` into its
/// calls in flight. `adapter`: null without hooks. `cost_warning`: see write_budget().
void append_session(std::string& out, const core::Session& session, const ReadingTime& time,
                    const core::BudgetPrediction* prediction = nullptr,
                    const core::SessionExpectations& expected = {},
                    const Adapter* adapter = nullptr, std::string_view cost_warning = {});

/// Effects that the old timers would have had on one session, along with the real ones.
void append_comparison(std::string& out, const core::Session& session, core::Timestamp now);

/// The same of all sessions that have ended.
struct TimeoutTotals {
    std::int64_t sessions = 0;  ///< that ended while the timers were watched
    std::int64_t killed = 0;    ///< would have been ended by a timer
    std::int64_t saved = 0;     ///< of these, completed all the same
    std::int64_t saved_ms = 0;  ///< their work after the moment of the timer
};
void append_timeout_totals(std::string& out, const TimeoutTotals& totals);

/// The progress document of the first design.
void append_progress(std::string& out, const core::SessionView& view, const ReadingTime& time);

/// The same document without the two values that the time of reading decides, for a view that is
/// read more often than it changes.
struct ProgressText {
    std::string text;
    std::size_t alive_at = 0;  ///< where they are left out
    std::size_t age_at = 0;    ///< the end of the text, if nothing has changed yet
};

ProgressText progress_text(const core::SessionView& view);
/// `text` is that of this view.
void append_progress(std::string& out, const ProgressText& text, const core::SessionView& view,
                     const ReadingTime& time);
/// Adds to a JSON object the number of the newest event that it reflects.
void append_as_of(std::string& object, std::uint64_t n);

/// The answer for test harnesses of the first design: `incomplete` with the reason
/// `max_iterations_reached` past the limit of iterations.
void append_chat_status(std::string& out, const core::SessionView& view);

/// One session of a wait: `view` is null for an unknown one.
struct WaitPart {
    std::string_view id;
    const core::SessionView* view = nullptr;
    core::WaitAnswer answer;
    core::Millis silent_for{0};  ///< the value used if the client asked for too little; 0: as asked
};

/// The reply of a wait on one session.
void append_wait(std::string& out, const WaitPart& part, const ReadingTime& time);

/// The reply of a wait on several.
void append_wait_several(std::string& out, std::span<const WaitPart> parts, bool met,
                         bool impossible, const ReadingTime& time);

}  // namespace headway::api
