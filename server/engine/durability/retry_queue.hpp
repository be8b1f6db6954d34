// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

#include "server/engine/base/task.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// Results that the I/O thread delivered (WriteTask::delivered) and the store could not save: the
/// ends of message deliveries, questions, processes and dialogs. No client repeats them, so each is
/// tried until it is stored. The first try comes as soon as the store accepts writes again; after
/// each further failure there is a pause. The results are tried in order and in turns of their own,
/// so that their failure does not fail a client's write.
///
/// After a failure the results are tried one by one, and a result that fails is moved behind the
/// others. Thus a result that cannot be stored, because its session is damaged for example, does
/// not block the others. The order of the results does not matter, since they concern different
/// things.
///
/// Kept in memory only: after a restart, messages are sent again and questions are asked again, as
/// after any crash. Engine thread only.
class RetryQueue {
public:
    /// Takes a write that failed with a storage error, to try it again. If this returns false, the
    /// caller must reply to the write instead.
    bool keep(Request& request, EngineContext& parts);

    bool empty() const noexcept { return waiting_.empty(); }
    bool due(Clock::Steady::time_point now) const { return !empty() && now >= next_try_; }
    /// Time of the next try; valid only if not empty().
    Clock::Steady::time_point next_try() const noexcept { return next_try_; }

    /// Takes the results for the next try. After their turn, in which keep() takes back those that
    /// failed again, call tried().
    std::vector<Request> take();
    void tried(Clock::Steady::time_point now);

private:
    static constexpr std::chrono::milliseconds kPauseFirst{1'000};
    /// Long, because after a failed try all sessions in memory must be loaded again.
    static constexpr std::chrono::milliseconds kPauseMax{8'000};

    /// Bounded, because each result ends a question, message, process or held hook. The number of
    /// these is limited, and each begins with a write, so none begins while writes fail. In any
    /// case keep() refuses results beyond limits::kCommandQueueMax.
    std::deque<Request> waiting_;
    std::size_t untried_ = 0;  ///< number of results at the front that were not tried yet
    bool one_by_one_ = false;  ///< true after a failure
    std::chrono::milliseconds pause_ = kPauseFirst;
    Clock::Steady::time_point next_try_{};
};

}  // namespace headway::server
