// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_sender.hpp"

#include <algorithm>
#include <utility>

namespace headway::server {

WebhookSender::WebhookSender(CurlLoop& loop, std::vector<WebhookTarget> targets, Deliver deliver,
                             Report report)
    : loop_(loop),
      targets_(std::move(targets)),
      deliver_(std::move(deliver)),
      report_(std::move(report)) {
    loop_.add(*this);
}

WebhookSender::~WebhookSender() {
    stop();
}

const WebhookTarget* WebhookSender::find(const std::string& name) const {
    const auto found =
        std::find_if(targets_.begin(), targets_.end(),
                     [&](const WebhookTarget& target) { return target.endpoint().name == name; });
    return found == targets_.end() ? nullptr : &*found;
}

bool WebhookSender::submit(WebhookJob job) {
    const WebhookTarget* const target = find(job.endpoint);
    if (target == nullptr || !target->problem().empty()) return false;
    {
        const std::lock_guard lock{mutex_};
        if (closed_) return false;
        jobs_.push_back(std::move(job));
    }
    loop_.wake();
    return true;
}

void WebhookSender::stop() {
    {
        const std::lock_guard lock{mutex_};
        closed_ = true;
    }
    loop_.remove(*this);
}

void WebhookSender::start(CURLM* multi) {
    std::vector<WebhookJob> jobs;
    {
        const std::lock_guard lock{mutex_};
        jobs.swap(jobs_);
    }
    for (WebhookJob& job : jobs) {
        const WebhookTarget& target = *find(job.endpoint);
        WebhookResult failed;
        failed.job = job;
        failed.job.body.clear();
        try {
            active_.emplace_back(multi, target, std::move(job));
        } catch (const std::exception& failure) {
            failed.outcome = WebhookOutcome::kAway;
            failed.reason = failure.what();
            deliver(std::move(failed));
        }
    }
}

bool WebhookSender::ended(CURL* handle, CURLcode code) {
    const auto place =
        std::find_if(active_.begin(), active_.end(),
                     [&](const WebhookTransfer& one) { return one.handle() == handle; });
    if (place == active_.end()) return false;
    WebhookResult result = place->ended(code);
    active_.erase(place);
    deliver(std::move(result));
    return true;
}

CurlLoop::Instant WebhookSender::finish() {
    return CurlLoop::Instant::max();  // libcurl has the timeouts
}

void WebhookSender::close() {
    for (; !active_.empty(); active_.pop_front())
        deliver(active_.front().cancelled());
    std::vector<WebhookJob> jobs;
    {
        const std::lock_guard lock{mutex_};
        closed_ = true;
        jobs.swap(jobs_);
    }
    for (WebhookJob& job : jobs) {
        WebhookResult cancelled;
        cancelled.job = std::move(job);
        deliver(std::move(cancelled));
    }
}

/// Unsent messages stay in the outbox for the next start.
void WebhookSender::failed(const std::string& why) {
    report_(true, "webhooks: stopped, nothing is sent any more: " + why);
}

void WebhookSender::deliver(WebhookResult result) {
    try {
        deliver_(std::move(result));
    } catch (const std::exception& failure) {
        report_(true, std::string{"webhooks: a result was not taken: "} + failure.what());
    }
}

}  // namespace headway::server
