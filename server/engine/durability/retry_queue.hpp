// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

#include "server/engine/base/task.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// Results that the I/O thread has delivered (WriteTask::delivered) and the store did not take:
/// ends of messages, questions, processes and dialogs. No client repeats them, so each is tried
/// again until it is stored: once the store takes writes again, and after a failure of that with a
/// pause. They go in order, and in turns of their own, which fail no write of a client.
///
/// After a failure they go one by one, and one that fails goes behind the others. So what cannot be
/// stored, as of a damaged session, holds up none of them; they are about different things, of
/// which the order means nothing.
///
/// In memory only: after a restart messages are sent and questions asked again, as after any crash.
/// Engine thread only.
class RetryQueue {
public:
    /// Takes a write whose error is the store's, to try it again. False: it has to be answered.
    bool keep(Request& request, EngineContext& parts);

    bool empty() const noexcept { return waiting_.empty(); }
    bool due(Clock::Steady::time_point now) const { return !empty() && now >= next_try_; }
    /// When they are due; only if there are any.
    Clock::Steady::time_point next_try() const noexcept { return next_try_; }

    /// Those of the next try. After their turn, in which keep() got those that failed again,
    /// tried() is called.
    std::vector<Request> take();
    void tried(Clock::Steady::time_point now);

private:
    static constexpr std::chrono::milliseconds kPauseFirst{1'000};
    /// A try that fails costs a reading of all sessions in memory.
    static constexpr std::chrono::milliseconds kPauseMax{8'000};

    /// Those in flight are bounded where they begin (questions, messages, processes, held hooks),
    /// and none of them begins without a write. As many as the queue takes are kept, in any case.
    std::deque<Request> waiting_;
    std::size_t untried_ = 0;  ///< of these, while others are tried: the first
    bool one_by_one_ = false;  ///< since a failure
    std::chrono::milliseconds pause_ = kPauseFirst;
    Clock::Steady::time_point next_try_{};
};

}  // namespace headway::server
