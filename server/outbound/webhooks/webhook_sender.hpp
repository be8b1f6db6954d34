// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "server/outbound/transfer/curl_loop.hpp"
#include "server/outbound/webhooks/webhook_messages.hpp"
#include "server/outbound/webhooks/webhook_target.hpp"
#include "server/outbound/webhooks/webhook_transfer.hpp"

namespace headway::server {

/// Sends messages to webhooks on the thread of libcurl: one immediate try per job. The engine
/// decides about order, time and retries.
class WebhookSender final : private CurlLoop::User {
public:
    /// Called on the thread of libcurl, exactly once for each accepted job; must not block.
    using Deliver = std::function<void(WebhookResult)>;
    using Report = WebhookTarget::Report;

    /// `loop` must outlive the sender.
    WebhookSender(CurlLoop& loop, std::vector<WebhookTarget> targets, Deliver deliver,
                  Report report);
    WebhookSender(const WebhookSender&) = delete;
    WebhookSender& operator=(const WebhookSender&) = delete;
    ~WebhookSender() override;  ///< calls stop()

    /// Sets the dashboard's URL, which may be empty. To be called before the first job.
    void link_to(std::string base) { link_ = std::move(base); }
    /// Any thread; never waits for the network. Returns false, and delivers no result, if the
    /// sender is stopped or the endpoint is unknown or unusable.
    bool submit(WebhookJob job);
    /// Cancels the messages in flight and accepts no more. Any thread except libcurl's; idempotent.
    void stop();

private:
    void begin(CURLM* multi) override;
    bool ended(CURL* handle, CURLcode code) override;
    CurlLoop::Instant finish() override;
    void close() override;
    void failed(const std::string& why) override;
    void send(WebhookJob job);
    void deliver(WebhookResult result);
    std::vector<std::string> settled_for_all(const WebhookJob& job) const;
    void note_settled(const WebhookResult& result, const MailRecipients& recipients);
    const WebhookTarget* find(const std::string& name) const;

    CurlLoop& loop_;
    const std::vector<WebhookTarget> targets_;
    Deliver deliver_;
    Report report_;
    std::string link_;
    // Thread of libcurl only.
    CURLM* multi_ = nullptr;
    /// For each message id, the recipients to whom a retried message need not be sent.
    std::map<std::string, std::vector<std::string>> settled_;
    std::list<WebhookTransfer> active_;  ///< declared after targets_: destroyed first
    bool closed_ = false;
};

}  // namespace headway::server
