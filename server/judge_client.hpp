// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "config/judge_settings.hpp"
#include "server/curl_loop.hpp"
#include "server/judge_mailbox.hpp"
#include "server/judge_messages.hpp"

namespace headway::server {

class JudgeWorker;

/// Asks OpenAI-compatible endpoints, on the thread of libcurl. How long an answer takes does not
/// matter while its bytes arrive; silence ends it. Each endpoint has its number of questions at
/// once, its line that is fair by session, its pauses and its breaker, and no endpoint waits for
/// another.
///
/// Tries after a connect error, 429 or 5xx: `retries` more, with backoff(), in which the whole
/// endpoint is left alone. A question whose try opens the breaker gets its own reason, those that
/// wait behind it kUnavailable. JudgeUse counts from the first try, not from submit().
class JudgeClient {
public:
    /// Called on the thread of libcurl, exactly once for each accepted question; must not block,
    /// and must not call stop(). May submit.
    using Deliver = std::function<void(JudgeReply)>;
    /// A line for the log, from the constructor or the thread of libcurl. Holds no secrets.
    using Report = std::function<void(bool is_error, const std::string& line)>;

    /// Reads the keys. The loop must outlive it. An endpoint whose key cannot be read is reported,
    /// and answers kRefused to every question.
    JudgeClient(CurlLoop& loop, config::JudgeSettings settings, Deliver deliver, Report report);
    JudgeClient(const JudgeClient&) = delete;
    JudgeClient& operator=(const JudgeClient&) = delete;
    ~JudgeClient();  ///< stop()

    /// Any thread; never waits for the network. False, and no reply comes: limits::kJudgeQueueMax
    /// are open, it is stopped, or there is no such endpoint.
    bool submit(JudgeJob job);
    /// Any thread. All that was submitted for the session so far answers kCancelled.
    void cancel(const std::string& session);
    /// All that is open answers kCancelled, and nothing is accepted any more. Once more does
    /// nothing; one thread at a time, not that of libcurl.
    void stop();
    /// Any thread.
    JudgeStats stats() const;

private:
    JudgeMailbox mailbox_;
    CurlLoop& loop_;
    std::unique_ptr<JudgeWorker> worker_;
};

}  // namespace headway::server
