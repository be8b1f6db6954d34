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

// Replies as JSON text, appended to `out`. The functions have no side effects except on their
// reference arguments; shapes as in API.md.

namespace headway::api {

/// The reply to a report.
struct Advice {
    std::uint64_t n = 0;
    std::uint64_t accepted = 0;
    std::uint64_t duplicates = 0;
    bool batch = false;
    /// For a batch: the number of each event and whether it was a duplicate, in the order of the
    /// report.
    std::vector<std::pair<std::uint64_t, bool>> results;
    /// Directives, each with the number of its deliveries, including this one.
    std::vector<std::pair<core::Directive, std::uint32_t>> directives;
    /// State changes that are not valid transitions, with their event numbers. The journal records
    /// them nevertheless.
    std::vector<std::pair<std::uint64_t, core::StateChanged>> invalid_transitions;
    std::string feedback;  ///< text about failures, for the model; or empty
    /// State of the budget; null without a budget.
    std::shared_ptr<const core::BudgetStatus> budget;
    std::string usual_calls;  ///< how long calls usually take, as text for the prompt, when the
                              ///< budget is nearly used up; else empty
    std::vector<ApprovalNotice> approvals;  ///< pending and newly decided approvals
};

void append_advice(std::string& out, const Advice& advice, const core::SessionView& view);

/// If `written` is set, events include the digests by which calls are compared; an export needs
/// them. A secret could be guessed from a digest, so the digests of calls that contained a secret
/// are replaced with digests keyed by `key`, or left out if there is no key.
struct Fingerprints {
    bool written = false;
    std::string_view key = {};
};

/// The envelope of one event.
void append_event(std::string& out, std::string_view session, const core::Event& event,
                  const Fingerprints& fingerprints = {});

/// The time at which a document is read, and the time during which the daemon has listened
/// (core::Watch). Fields such as `alive` depend on both.
struct ReadingTime {
    core::Timestamp now;
    core::Watch watch;
};

/// The session document. `prediction` becomes part of the session's budget, if there is a budget.
/// `expected` becomes part of the calls in flight. `adapter` is null if the session has no hooks.
/// `cost_warning`: see write_budget(). `approvals_below`: number of pending approvals of the
/// session's descendants.
void append_session(std::string& out, const core::Session& session, const ReadingTime& time,
                    const core::BudgetPrediction* prediction = nullptr,
                    const core::SessionExpectations& expected = {},
                    const Adapter* adapter = nullptr, std::string_view cost_warning = {},
                    std::size_t approvals_below = 0);

/// Appends the comparison of one session with the first design's timers: the session's verdict and
/// outcome, and the kills that the timers would have made.
void append_comparison(std::string& out, const core::Session& session, core::Timestamp now);

/// The comparison with the first design's timers, summed over ended sessions.
struct TimeoutTotals {
    std::int64_t sessions = 0;  ///< ended sessions that were compared
    std::int64_t killed = 0;    ///< sessions that a timer would have ended
    std::int64_t saved = 0;     ///< killed sessions that in fact completed
    std::int64_t saved_ms = 0;  ///< how long saved sessions worked after the timer would have ended
                                ///< them
};
void append_timeout_totals(std::string& out, const TimeoutTotals& totals);

/// The progress document of the first design.
void append_progress(std::string& out, const core::SessionView& view, const ReadingTime& time);

/// The progress document without the two values that depend on the time of reading. Cached, because
/// a view is read more often than it changes.
struct ProgressText {
    std::string text;
    std::size_t alive_at = 0;  ///< where `alive` is to be inserted into `text`
    std::size_t age_at = 0;    ///< where the age of the last change is to be inserted; the end of
                               ///< `text` if there was no change
};

ProgressText progress_text(const core::SessionView& view);
/// Appends `text`, made by progress_text(view), with the two missing values.
void append_progress(std::string& out, const ProgressText& text, const core::SessionView& view,
                     const ReadingTime& time);
/// Adds the member `as_of_n` to the text of a JSON object. `n` is the number of the newest event
/// whose effects are in the object.
void append_as_of(std::string& object, std::uint64_t n);

/// The reply to test harnesses of the first design. Once the limit on iterations is exceeded, the
/// status is `incomplete` with the reason `max_iterations_reached`.
void append_chat_status(std::string& out, const core::SessionView& view);

/// One session of a wait. `view` is null if the session is unknown.
struct WaitPart {
    std::string_view id;
    const core::SessionView* view = nullptr;
    core::WaitAnswer answer;
    /// If the client requested a shorter silence than allowed: the shortest allowed one. Else 0.
    core::Millis silent_for{0};
};

/// The reply to a wait for one session.
void append_wait(std::string& out, const WaitPart& part, const ReadingTime& time);

/// The reply to a wait for several sessions.
void append_wait_several(std::string& out, std::span<const WaitPart> parts, bool met,
                         bool impossible, const ReadingTime& time);

}  // namespace headway::api
