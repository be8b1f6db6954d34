// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/webhooks/webhook_sender.hpp"

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
    return loop_.post(*this, [this, job = std::move(job)]() mutable { send(std::move(job)); });
}

void WebhookSender::stop() {
    loop_.remove(*this);
}

void WebhookSender::begin(CURLM* multi) {
    multi_ = multi;
}

void WebhookSender::send(WebhookJob job) {
    WebhookResult unsent;
    unsent.job = job;
    drop_bodies(unsent.job);
    if (closed_) {
        deliver(std::move(unsent));
        return;
    }
    try {
        const auto without = settled_for_all(job);
        active_.emplace_back(multi_, *find(job.endpoint), std::move(job), link_, without);
    } catch (const std::exception& failure) {
        unsent.outcome = WebhookOutcome::kAway;
        unsent.reason = failure.what();
        deliver(std::move(unsent));
    }
}

bool WebhookSender::ended(CURL* handle, CURLcode code) {
    const auto place =
        std::find_if(active_.begin(), active_.end(),
                     [&](const WebhookTransfer& one) { return one.handle() == handle; });
    if (place == active_.end()) return false;
    WebhookResult result = place->ended(code);
    if (place->settles(code)) note_settled(result, place->recipients());
    active_.erase(place);
    deliver(std::move(result));
    return true;
}

/// Recipients that have every part of the job, or never will: all others get the mail.
std::vector<std::string> WebhookSender::settled_for_all(const WebhookJob& job) const {
    const auto first = settled_.find(job.id);
    if (first == settled_.end()) return {};
    std::vector<std::string> settled = first->second;
    for (const WebhookPart& other : job.others) {
        const auto found = settled_.find(other.id);
        if (found == settled_.end()) return {};
        const std::vector<std::string>& its = found->second;
        std::erase_if(settled, [&its](const std::string& address) {
            return std::find(its.begin(), its.end(), address) == its.end();
        });
    }
    return settled;
}

/// In memory only: after a restart all get it again, with the same Message-ID. By each part of the
/// job, as they may be sent in other company, or alone.
void WebhookSender::note_settled(const WebhookResult& result, const MailRecipients& recipients) {
    constexpr std::size_t kMailsMax = 256;  // those that wait for a recipient are few
    const bool done = result.outcome == WebhookOutcome::kDelivered;
    if (!done && !recipients.any_for_later()) return;
    const auto note = [&](const std::string& id) {
        if (done) {
            settled_.erase(id);
            return;
        }
        if (settled_.size() >= kMailsMax && !settled_.contains(id))
            settled_.erase(settled_.begin());
        std::vector<std::string>& settled = settled_[id];
        for (std::string& address : recipients.settled()) {
            if (std::find(settled.begin(), settled.end(), address) == settled.end())
                settled.push_back(std::move(address));
        }
    };
    note(result.job.id);
    for (const WebhookPart& other : result.job.others)
        note(other.id);
}

CurlLoop::Instant WebhookSender::finish() {
    return CurlLoop::Instant::max();  // libcurl has the timeouts
}

void WebhookSender::close() {
    closed_ = true;
    for (; !active_.empty(); active_.pop_front())
        deliver(active_.front().cancelled());
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
