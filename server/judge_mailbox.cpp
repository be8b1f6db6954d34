// SPDX-License-Identifier: Apache-2.0
#include "server/judge_mailbox.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/assert.hpp"
#include "core/limits.hpp"

namespace headway::server {
namespace {

auto by_name(std::vector<JudgeEndpointStats>& endpoints, const std::string& name) {
    return std::find_if(endpoints.begin(), endpoints.end(),
                        [&](const JudgeEndpointStats& e) { return e.name == name; });
}

}  // namespace

JudgeMailbox::JudgeMailbox(const std::vector<config::JudgeEndpoint>& endpoints) {
    for (const config::JudgeEndpoint& endpoint : endpoints)
        stats_.endpoints.emplace_back().name = endpoint.name;
}

JudgeMailbox::Posted JudgeMailbox::posted() {
    return std::exchange(woken_, true) ? Posted::kQuiet : Posted::kWakeUp;
}

JudgeMailbox::Posted JudgeMailbox::submit(JudgeJob job) {
    const std::lock_guard lock{mutex_};
    if (closed_ || stats_.open >= core::limits::kJudgeQueueMax ||
        by_name(stats_.endpoints, job.endpoint) == stats_.endpoints.end()) {
        ++stats_.turned_away;
        return Posted::kNo;
    }
    ++stats_.open;
    ++open_[job.session];
    jobs_.push_back(std::move(job));
    return posted();
}

JudgeMailbox::Posted JudgeMailbox::cancel(const std::string& session) {
    const std::lock_guard lock{mutex_};
    if (!open_.contains(session)) return Posted::kNo;
    // Takes out the undelivered questions now, so that a later one is not cancelled.
    const auto kept = std::stable_partition(
        jobs_.begin(), jobs_.end(), [&](const JudgeJob& job) { return job.session != session; });
    dropped_.insert(dropped_.end(), std::make_move_iterator(kept),
                    std::make_move_iterator(jobs_.end()));
    jobs_.erase(kept, jobs_.end());
    cancelled_.insert(session);
    return posted();
}

void JudgeMailbox::close() {
    const std::lock_guard lock{mutex_};
    closed_ = true;
}

JudgeStats JudgeMailbox::stats() const {
    const std::lock_guard lock{mutex_};
    return stats_;
}

JudgeMailbox::Delivery JudgeMailbox::take() {
    Delivery taken;
    const std::lock_guard lock{mutex_};
    woken_ = false;
    taken.closed = closed_;
    taken.jobs.swap(jobs_);
    taken.dropped.swap(dropped_);
    taken.cancelled.assign(cancelled_.begin(), cancelled_.end());
    cancelled_.clear();
    return taken;
}

void JudgeMailbox::settle(const JudgeReply& reply) {
    const std::lock_guard lock{mutex_};
    const auto session = open_.find(reply.session);
    HEADWAY_ASSERT(session != open_.end() && stats_.open > 0);
    --stats_.open;
    if (--session->second == 0) open_.erase(session);
    const auto endpoint = by_name(stats_.endpoints, reply.endpoint);
    HEADWAY_ASSERT(endpoint != stats_.endpoints.end());
    ++endpoint->outcomes[static_cast<std::size_t>(reply.outcome)];
    endpoint->tries += reply.use.tries;
    endpoint->prompt_tokens += reply.use.prompt_tokens;
    endpoint->completion_tokens += reply.use.completion_tokens;
    endpoint->cost_usd += reply.use.cost_usd;
    if (reply.outcome != core::JudgeOutcome::kAnswered) return;
    endpoint->answered_ms += reply.use.elapsed_ms;
    endpoint->first_token_ms += reply.use.first_token_ms;
}

void JudgeMailbox::show(std::size_t endpoint, std::size_t waiting, std::size_t in_flight,
                        BreakerState breaker) {
    const std::lock_guard lock{mutex_};
    JudgeEndpointStats& stats = stats_.endpoints.at(endpoint);
    stats.waiting = waiting;
    stats.in_flight = in_flight;
    stats.breaker = breaker;
}

}  // namespace headway::server
