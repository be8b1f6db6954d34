// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/curl_loop.hpp"
#include "server/webhook_messages.hpp"
#include "server/webhook_target.hpp"
#include "server/webhook_transfer.hpp"

namespace headway::server {

/// Sends messages to webhooks, on the thread of libcurl: one try of each that it is given, at once.
/// Which message is next and when, the supervisor knows.
class WebhookSender final : private CurlLoop::User {
public:
    /// Called on the thread of libcurl, exactly once for each accepted job; must not block.
    using Deliver = std::function<void(WebhookResult)>;
    using Report = WebhookTarget::Report;

    /// The loop must outlive it.
    WebhookSender(CurlLoop& loop, std::vector<WebhookTarget> targets, Deliver deliver,
                  Report report);
    WebhookSender(const WebhookSender&) = delete;
    WebhookSender& operator=(const WebhookSender&) = delete;
    ~WebhookSender() override;  ///< stop()

    /// Any thread; never waits for the network. False, and no result comes: it is stopped, or there
    /// is no such endpoint, or none that anything can be sent to.
    bool submit(WebhookJob job);
    /// What is on its way is cancelled, and nothing is accepted any more. Any thread but that of
    /// libcurl; once more does nothing.
    void stop();

private:
    void start(CURLM* multi) override;
    bool ended(CURL* handle, CURLcode code) override;
    CurlLoop::Instant finish() override;
    void close() override;
    void failed(const std::string& why) override;
    void deliver(WebhookResult result);
    const WebhookTarget* find(const std::string& name) const;

    CurlLoop& loop_;
    const std::vector<WebhookTarget> targets_;
    Deliver deliver_;
    Report report_;
    std::list<WebhookTransfer> active_;  ///< the thread of libcurl only; below targets_: goes first
    std::mutex mutex_;                   ///< guards what follows
    std::vector<WebhookJob> jobs_;       ///< as many as the supervisor gives: two an endpoint
    bool closed_ = false;
};

}  // namespace headway::server
