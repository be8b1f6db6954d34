// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/judge/judge_worker.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"

namespace headway::server {
namespace {

using core::JudgeOutcome;
using std::chrono::milliseconds;

/// Upper bound of a wait; a spurious wake-up is cheap and publishes when a breaker turns half open.
constexpr milliseconds kJudgeIdleTurn{60'000};

std::uint64_t ms_between(Clock::Steady::time_point from, Clock::Steady::time_point to) {
    const auto time = std::chrono::duration_cast<milliseconds>(to - from).count();
    return time < 0 ? 0 : static_cast<std::uint64_t>(time);
}

double cost_usd(const config::JudgeEndpoint& endpoint, const api::ChatUsage& usage) {
    constexpr double kMillion = 1e6;
    return (static_cast<double>(usage.prompt_tokens) * endpoint.prompt_usd_per_million +
            static_cast<double>(usage.completion_tokens) * endpoint.completion_usd_per_million) /
           kMillion;
}

}  // namespace

JudgeWorker::JudgeWorker(config::JudgeSettings settings, JudgeLedger& ledger, Deliver deliver,
                         Report report)
    : settings_(std::move(settings)),
      ledger_(ledger),
      deliver_(std::move(deliver)),
      report_(std::move(report)),
      random_(std::random_device{}()) {
    for (config::JudgeEndpoint& endpoint : settings_.endpoints)
        endpoints_.push_back({JudgeTarget{std::move(endpoint), report_}, {}, {}, {}, 0});
    settings_.endpoints.clear();  // moved to the targets
}

JudgeWorker::~JudgeWorker() = default;

void JudgeWorker::begin(CURLM* multi) {
    multi_ = multi;
}

CurlLoop::Instant JudgeWorker::finish() {
    end_silent();
    start_due();
    show();
    return next_turn();
}

void JudgeWorker::close() {
    closed_ = true;
    cancel_all();
    show();
}

/// In practice for lack of memory. Every question still gets its answer.
void JudgeWorker::failed(const std::string& why) {
    report_(true, "judge: stopped, no more questions are asked: " + why);
}

JudgeWorker::Endpoint& JudgeWorker::endpoint_of(const JudgeJob& job) {
    const auto found = std::find_if(endpoints_.begin(), endpoints_.end(), [&](const Endpoint& e) {
        return e.target.endpoint().name == job.endpoint;
    });
    HEADWAY_ASSERT(found != endpoints_.end());
    return *found;
}

void JudgeWorker::ask(JudgeJob job) {
    Endpoint& endpoint = endpoint_of(job);
    Question question{std::move(job), 0, {}};
    if (closed_) {
        answer_without(endpoint, question, JudgeOutcome::kCancelled, "");
        return;
    }
    if (!endpoint.target.problem().empty()) {
        answer_without(endpoint, question, JudgeOutcome::kRefused, endpoint.target.problem());
        return;
    }
    const std::string session = question.job.session;
    endpoint.waiting.push_back(session, std::move(question));
    if (endpoint.breaker.state(Clock::steady()) == BreakerState::kOpen) turn_away_waiting(endpoint);
}

void JudgeWorker::cancel(const std::string& session) {
    for (Endpoint& endpoint : endpoints_) {
        for (const Question& question : endpoint.waiting.take(session))
            answer_without(endpoint, question, JudgeOutcome::kCancelled, "");
    }
    for (auto active = active_.begin(); active != active_.end();) {
        const auto next = std::next(active);
        if (active->question.job.session == session) {
            end_try(active, {JudgeOutcome::kCancelled, false, EndpointHealth::kUnsaid, {}, ""});
        }
        active = next;
    }
}

void JudgeWorker::start_due() {
    const Instant now = Clock::steady();
    for (Endpoint& endpoint : endpoints_) {
        while (!endpoint.waiting.empty() && now >= endpoint.not_before &&
               endpoint.in_flight < endpoint.target.endpoint().concurrency) {
            const auto permit = endpoint.breaker.admit(now);
            if (permit == CircuitBreaker::Permit::kNone) break;
            start_one(endpoint, *endpoint.waiting.pop(), permit);
        }
    }
}

void JudgeWorker::start_one(Endpoint& endpoint, Question question, CircuitBreaker::Permit permit) {
    ++question.tries;
    if (!question.first_try) question.first_try = Clock::steady();
    std::unique_ptr<JudgeTransfer> transfer;
    try {
        transfer = std::make_unique<JudgeTransfer>(
            multi_, endpoint.target, question.job,
            JudgeTransfer::Patience{settings_.silence_timeout, settings_.connect_timeout});
    } catch (const std::exception& failure) {
        endpoint.breaker.abandoned(permit);
        answer_without(endpoint, question, JudgeOutcome::kUnavailable, failure.what());
        return;
    }
    ++endpoint.in_flight;
    active_.push_back({std::move(question), &endpoint, permit, std::move(transfer)});
}

bool JudgeWorker::ended(CURL* handle, CURLcode code) {
    const auto active = std::find_if(active_.begin(), active_.end(), [&](const Active& candidate) {
        return candidate.transfer->handle() == handle;
    });
    if (active == active_.end()) return false;
    end_try(active, active->transfer->ended(code));
    return true;
}

void JudgeWorker::end_silent() {
    const Instant now = Clock::steady();
    for (auto active = active_.begin(); active != active_.end();) {
        const auto next = std::next(active);
        if (active->transfer->silent_at() <= now) end_try(active, active->transfer->fell_silent());
        active = next;
    }
}

void JudgeWorker::end_try(ActiveList::iterator active, TryEnd end) {
    Active ended = std::move(*active);
    active_.erase(active);
    Endpoint& endpoint = *ended.endpoint;
    --endpoint.in_flight;
    const Instant now = Clock::steady();
    bool retry = end.may_retry && ended.question.tries <= settings_.retries;
    weigh(endpoint, ended.permit, end, retry);
    // If the breaker has opened, this error is the answer: it says more than "unavailable".
    const bool opened = endpoint.breaker.state(now) == BreakerState::kOpen;
    retry = retry && !opened;
    if (retry || end.retry_after) {
        const auto pause = backoff(ended.question.tries, random_(), end.retry_after);
        endpoint.not_before = std::max(endpoint.not_before, now + pause);
    }
    if (opened) turn_away_waiting(endpoint);
    if (retry) {
        ended.transfer.reset();
        const std::string session = ended.question.job.session;
        endpoint.waiting.push_front(session, std::move(ended.question));
        return;
    }
    const JudgeStream& stream = ended.transfer->stream();
    JudgeReply reply;
    reply.outcome = end.outcome;
    reply.error = std::move(end.error);
    reply.text = stream.text();
    reply.model = endpoint.target.clean(stream.model(), core::limits::kJudgeModelBytesMax);
    reply.use.prompt_tokens = stream.usage().prompt_tokens;
    reply.use.completion_tokens = stream.usage().completion_tokens;
    reply.use.cost_usd = cost_usd(endpoint.target.endpoint(), stream.usage());
    if (const auto token = ended.transfer->first_token()) {
        // 0 means that none came.
        reply.use.first_token_ms =
            std::max<std::uint64_t>(1, ms_between(*ended.question.first_try, *token));
    }
    ended.transfer.reset();  // frees its connection for the next question
    answer(endpoint, ended.question, std::move(reply));
}

/// Busy (429) is a failure only if the retries did not help.
void JudgeWorker::weigh(Endpoint& endpoint, CircuitBreaker::Permit permit, const TryEnd& end,
                        bool retry) {
    const bool busy =
        end.outcome == JudgeOutcome::kFailing && end.health == EndpointHealth::kUnsaid;
    if (end.health == EndpointHealth::kUp) {
        endpoint.breaker.succeeded(permit);
    } else if (end.health == EndpointHealth::kDown || (busy && !retry)) {
        endpoint.breaker.failed(permit, Clock::steady());
    } else {
        endpoint.breaker.abandoned(permit);
    }
}

void JudgeWorker::turn_away_waiting(Endpoint& endpoint) {
    const std::string why = endpoint.target.endpoint().name +
                            " failed too often in a row; it is asked again when its pause is over";
    while (const auto question = endpoint.waiting.pop())
        answer_without(endpoint, *question, JudgeOutcome::kUnavailable, why);
}

void JudgeWorker::answer_without(const Endpoint& endpoint, const Question& question,
                                 JudgeOutcome outcome, std::string error) {
    JudgeReply reply;
    reply.outcome = outcome;
    reply.error = std::move(error);
    answer(endpoint, question, std::move(reply));
}

void JudgeWorker::answer(const Endpoint& endpoint, const Question& question, JudgeReply reply) {
    reply.id = question.job.id;
    reply.session = question.job.session;
    reply.endpoint = question.job.endpoint;
    if (reply.model.empty()) reply.model = endpoint.target.endpoint().model;
    reply.use.tries = question.tries;
    if (question.first_try) {
        reply.use.elapsed_ms = ms_between(*question.first_try, Clock::steady());
    }
    ledger_.settle(reply);
    try {
        deliver_(std::move(reply));
    } catch (const std::exception& failure) {
        report_(true, std::string{"judge: a reply was not taken: "} + failure.what());
    }
}

void JudgeWorker::cancel_all() {
    for (Endpoint& endpoint : endpoints_) {
        while (const auto question = endpoint.waiting.pop())
            answer_without(endpoint, *question, JudgeOutcome::kCancelled, "");
    }
    while (!active_.empty()) {
        end_try(active_.begin(),
                {JudgeOutcome::kCancelled, false, EndpointHealth::kUnsaid, {}, ""});
    }
}

void JudgeWorker::show() {
    const Instant now = Clock::steady();
    std::size_t index = 0;
    for (const Endpoint& endpoint : endpoints_) {
        ledger_.show(index++, endpoint.waiting.size(), endpoint.in_flight,
                     endpoint.breaker.state(now));
    }
}

CurlLoop::Instant JudgeWorker::next_turn() const {
    const Instant now = Clock::steady();
    Instant next = now + kJudgeIdleTurn;
    for (const Endpoint& endpoint : endpoints_) {
        if (endpoint.breaker.state(now) == BreakerState::kOpen) {
            next = std::min(next, endpoint.breaker.reopens_at());
        } else if (!endpoint.waiting.empty() && endpoint.not_before > now) {
            next = std::min(next, endpoint.not_before);
        }
    }
    for (const Active& active : active_)
        next = std::min(next, active.transfer->silent_at());
    return next;
}

}  // namespace headway::server
