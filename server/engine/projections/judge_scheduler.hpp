// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/events/judge_payloads.hpp"
#include "server/engine/base/settings.hpp"
#include "server/engine/transaction/projection.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

class Reader;

/// Questions to judges: status checks and estimates of progress. A question is asked after the
/// commit that records it, so that it never concerns events that may be rolled back. After a
/// restart, an open check is asked again; an estimate is asked for when it is due. This class is
/// also the projection of checks. Engine thread only.
class JudgeScheduler final : public Projection {
public:
    /// An open question.
    struct Question {
        std::string session;
        std::string check_id;  ///< id of the check; empty: the question is for an estimate
        std::string judge;
        std::vector<std::uint64_t> shown;  ///< numbers of events that an answer may cite
        std::uint64_t calls = 0;           ///< Ledger::calls at the time of the question
    };

    JudgeScheduler(storage::Store& store, const core::JudgeRules& rules, JudgeLink link,
                   EngineReport report);

    core::Result<> apply(const Appended& appended) override;
    /// Called after the commit of the applied events: the checks in them now wait to be asked.
    void commit();
    void rollback();
    /// Called after a start or a failed commit: queues the open checks in the journal, except those
    /// that a judge already has.
    core::Result<> recover();

    /// In a shared store: queues the open checks whose daemon is gone.
    core::Result<> look_again();

    /// True if checks wait to be asked.
    bool waiting() const { return !unasked_.empty() && link_.ask; }
    /// Asks some of the waiting checks.
    void ask_checks(const Reader& reader);
    /// True if judges are asked for estimates of progress.
    bool estimates() const;
    /// Asks for the due estimates of the sessions in `moved`, which have new events. A session has
    /// at most one open question for an estimate.
    void ask_estimates(const Reader& reader, std::span<Resident* const> moved);

    /// Called when a judge has answered with an estimate: asks for another one at once if enough
    /// calls have finished meanwhile.
    void answered(const Question& question, const core::SessionState& state);

    /// The session of an open question, or null.
    const std::string* session_of(std::uint64_t question) const;
    /// Closes an open question and returns it; null if it is not open. A rollback opens it again,
    /// because its answer will then be delivered again.
    const Question* close(std::uint64_t question);

private:
    core::Result<bool> claim(const std::string& session, const core::CheckRequested& asked);
    core::Result<> ask_check(const Reader& reader, const std::string& session,
                             const core::CheckRequested& asked);
    bool due(const core::Session& session);
    core::Result<> ask_estimate(const Reader& reader, const Resident& resident);

    storage::Store& store_;
    const core::JudgeRules& rules_;
    JudgeLink link_;
    EngineReport report_;
    std::unordered_map<std::uint64_t, Question> questions_;
    std::uint64_t next_question_ = 1;
    std::unordered_set<std::string>
        estimating_;  ///< sessions with an open question for an estimate
    /// Sessions whose newest estimate was out of date when it arrived. At most kJudgeQueueMax.
    std::unordered_set<std::string> outdated_;
    using Asked = std::pair<std::string, core::CheckRequested>;  ///< a check with its session
    /// Committed checks that no judge has been asked yet. Bounded by the number of open checks of
    /// all sessions.
    std::deque<Asked> unasked_;
    /// Checks whose session cannot be read: reported once, not at each look_again().
    std::unordered_set<std::string> given_up_;
    /// Checks that another daemon asks about, and when that was seen.
    std::unordered_map<std::string, Clock::Steady::time_point> elsewhere_;
    std::vector<Asked> staged_;  ///< checks of the open transaction
    std::unordered_map<std::uint64_t, Question>
        closing_;                      ///< questions that the open transaction ends
    std::vector<std::string> ending_;  ///< sessions whose questions the open transaction ends
};

}  // namespace headway::server
