// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "config/settings/judge_settings.hpp"
#include "server/outbound/judge/judge_ledger.hpp"
#include "server/outbound/judge/judge_messages.hpp"
#include "server/outbound/transfer/curl_loop.hpp"

namespace headway::server {

class JudgeWorker;

/// Sends questions to OpenAI-compatible endpoints, on the thread of libcurl. While bytes arrive, an
/// answer may take long (JudgeTransfer::silent_at); silence ends the request. Each endpoint has its
/// own fair queue, pauses, circuit breaker and limit on concurrent questions, so that no endpoint
/// waits for another.
///
/// After a connect error, 429 or 5xx, a question is tried again, up to `retries` times. Before each
/// retry the whole endpoint pauses for backoff(). If a try opens the breaker, the question of that
/// try gets the try's error, and the waiting questions get kUnavailable. The times in JudgeUse
/// count from the first try, not from submit().
class JudgeClient {
public:
    /// Called on the thread of libcurl, exactly once for each accepted question. Must not block or
    /// call stop(); may call submit().
    using Deliver = std::function<void(JudgeReply)>;
    /// Logs a line, from the constructor or the thread of libcurl. No line contains secrets.
    using Report = std::function<void(bool is_error, const std::string& line)>;

    /// Reads the keys. The loop must outlive the client. An endpoint without a readable key is
    /// reported, and every question to it gets kRefused.
    JudgeClient(CurlLoop& loop, config::JudgeSettings settings, Deliver deliver, Report report);
    JudgeClient(const JudgeClient&) = delete;
    JudgeClient& operator=(const JudgeClient&) = delete;
    ~JudgeClient();  ///< calls stop()

    /// Any thread; never waits for the network. Returns false, and delivers no reply, if
    /// limits::kJudgeQueueMax questions are open, the client is stopped, or the endpoint does not
    /// exist.
    bool submit(JudgeJob job);
    /// Any thread. Answers all open questions of the session with kCancelled.
    void cancel(const std::string& session);
    /// Answers all open questions with kCancelled and accepts no more. Idempotent; one thread at a
    /// time, never the thread of libcurl.
    void stop();
    /// Any thread.
    JudgeStats stats() const;

private:
    JudgeLedger ledger_;
    CurlLoop& loop_;
    std::unique_ptr<JudgeWorker> worker_;
};

}  // namespace headway::server
