// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "config/settings/judge_settings.hpp"
#include "server/outbound/judge/judge_ledger.hpp"
#include "server/outbound/judge/judge_messages.hpp"
#include "server/outbound/judge/judge_target.hpp"
#include "server/outbound/judge/judge_transfer.hpp"
#include "server/outbound/transfer/backoff.hpp"
#include "server/outbound/transfer/circuit_breaker.hpp"
#include "server/outbound/transfer/curl_loop.hpp"
#include "server/outbound/transfer/fair_queue.hpp"

namespace headway::server {

/// The part of JudgeClient that runs on the thread of libcurl. It keeps the queue, the breaker and
/// the pauses of each endpoint, and starts and ends the transfers. Thread of libcurl only, except
/// for the constructor.
class JudgeWorker final : public CurlLoop::User {
public:
    using Deliver = std::function<void(JudgeReply)>;
    using Report = JudgeTarget::Report;

    /// The ledger must outlive the worker. close() must be called before the destructor.
    JudgeWorker(config::JudgeSettings settings, JudgeLedger& ledger, Deliver deliver,
                Report report);
    JudgeWorker(const JudgeWorker&) = delete;
    JudgeWorker& operator=(const JudgeWorker&) = delete;
    ~JudgeWorker() override;

    /// Asks a question. Each question gets exactly one reply; after close(), the reply is
    /// kCancelled.
    void ask(JudgeJob job);
    /// Answers all open questions of the session with kCancelled.
    void cancel(const std::string& session);

    void begin(CURLM* multi) override;
    bool ended(CURL* handle, CURLcode code) override;
    CurlLoop::Instant finish() override;
    /// Answers every open question.
    void close() override;
    void failed(const std::string& why) override;

private:
    using Instant = CurlLoop::Instant;

    struct Question {
        JudgeJob job;
        std::uint32_t tries = 0;
        std::optional<Instant> first_try;
    };
    struct Endpoint {
        JudgeTarget target;
        CircuitBreaker breaker;
        FairQueue<Question> waiting;
        Instant not_before{};  ///< end of the pause after a failure, or of the pause that
                               ///< Retry-After demands
        std::size_t in_flight = 0;
    };
    struct Active {
        Question question;
        Endpoint* endpoint = nullptr;
        CircuitBreaker::Permit permit = CircuitBreaker::Permit::kNone;
        std::unique_ptr<JudgeTransfer> transfer;
    };
    using ActiveList = std::list<Active>;
    void start_due();
    void start_one(Endpoint& endpoint, Question question, CircuitBreaker::Permit permit);
    void end_silent();
    void end_try(ActiveList::iterator active, TryEnd end);
    void weigh(Endpoint& endpoint, CircuitBreaker::Permit permit, const TryEnd& end, bool retry);
    void turn_away_waiting(Endpoint& endpoint);
    void answer(const Endpoint& endpoint, const Question& question, JudgeReply reply);
    void answer_without(const Endpoint& endpoint, const Question& question,
                        core::JudgeOutcome outcome, std::string error);
    void cancel_all();
    void show();
    Instant next_turn() const;
    Endpoint& endpoint_of(const JudgeJob& job);

    config::JudgeSettings settings_;
    JudgeLedger& ledger_;
    Deliver deliver_;
    Report report_;
    CURLM* multi_ = nullptr;
    bool closed_ = false;
    std::list<Endpoint> endpoints_;  ///< ordered as in the settings; stable addresses
    ActiveList active_;              ///< declared after endpoints_: destroyed first
    std::mt19937_64 random_;
};

}  // namespace headway::server
