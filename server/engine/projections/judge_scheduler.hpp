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

namespace headway::server {

class Reader;

/// Questions to judges: status checks and estimates of progress. A question is asked after the
/// commit that records it, so that none concerns events that may be rolled back. An open check is
/// asked again after a restart; an estimate is asked again when it is due. Also the projection of
/// checks. Engine thread only.
class JudgeScheduler final : public Projection {
public:
    /// An open question.
    struct Question {
        std::string session;
        std::string check_id;  ///< empty: an estimate of progress
        std::string judge;
        std::vector<std::uint64_t> shown;  ///< events that an answer may rest on
        std::uint64_t calls = 0;           ///< Ledger::calls when it was asked
    };

    JudgeScheduler(storage::Store& store, const core::JudgeRules& rules, JudgeLink link,
                   EngineReport report);

    core::Result<> apply(const Appended& appended) override;
    /// The transaction of the applied events was committed: their checks wait to be asked.
    void commit();
    void rollback();
    /// Queues the open checks of the journal, after a start or a failed commit, except those that a
    /// judge already has.
    core::Result<> recover();

    /// In a store that other daemons write, too: queues the open checks whose daemon is gone.
    core::Result<> look_again();

    /// True if checks wait to be asked.
    bool waiting() const { return !unasked_.empty() && link_.ask; }
    /// Asks some of the waiting checks.
    void ask_checks(const Reader& reader);
    /// True if a judge is asked for estimates of progress.
    bool estimates() const;
    /// Asks about sessions with new events whose estimate is due; each has at most one open
    /// question.
    void ask_estimates(const Reader& reader, std::span<Resident* const> moved);

    /// An estimate was answered: it is asked for again at once if as many calls finished meanwhile
    /// as are due for one.
    void answered(const Question& question, const core::SessionState& state);

    /// The session of an open question, or null.
    const std::string* session_of(std::uint64_t question) const;
    /// Closes an open question; null if it is not open. After a rollback it is open again, because
    /// its answer comes again.
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
    std::unordered_set<std::string> estimating_;  ///< sessions with an open question for one
    /// Sessions whose newest estimate was out of date when it came. At most kJudgeQueueMax.
    std::unordered_set<std::string> outdated_;
    using Asked = std::pair<std::string, core::CheckRequested>;  ///< with its session
    /// Committed checks that are not asked yet. Bounded by the open checks of sessions.
    std::deque<Asked> unasked_;
    /// Checks whose session cannot be read: said once, and not each time that it is looked again.
    std::unordered_set<std::string> given_up_;
    std::vector<Asked> staged_;                            ///< checks of the open transaction
    std::unordered_map<std::uint64_t, Question> closing_;  ///< questions that end with it
    std::vector<std::string> ending_;  ///< sessions with questions that end in it
};

}  // namespace headway::server
