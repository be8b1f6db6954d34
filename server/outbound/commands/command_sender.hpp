// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/outbound/commands/command_run.hpp"
#include "server/outbound/webhooks/webhook_messages.hpp"
#include "server/outbound/webhooks/webhook_target.hpp"
#include "system/file_descriptor.hpp"

namespace headway::server {

/// Gives messages to commands, on a thread of its own that watches all of them together: one try
/// per job, as WebhookSender does over the network.
class CommandSender {
public:
    /// Called on its thread, exactly once for each accepted job; must not block.
    using Deliver = std::function<void(WebhookResult)>;
    using Report = WebhookTarget::Report;

    /// Throws std::system_error when there is no descriptor or thread for it.
    CommandSender(std::vector<WebhookTarget> targets, Deliver deliver, Report report);
    CommandSender(const CommandSender&) = delete;
    CommandSender& operator=(const CommandSender&) = delete;
    ~CommandSender();  ///< stop()

    /// Where the dashboard is, or empty. Before the first job.
    void link_to(std::string base) { link_ = std::move(base); }
    /// Whether jobs of that endpoint are for it.
    bool owns(const std::string& endpoint) const { return find(endpoint) != nullptr; }
    /// Any thread; never waits. False, with no result to follow: it is stopped, too much waits, or
    /// the endpoint is unknown or unusable.
    bool submit(WebhookJob job);
    /// Kills what runs and accepts no more. Any thread but its own; idempotent.
    void stop();

private:
    void run();
    bool take();
    void start(WebhookJob job);
    void wait();
    void turn();
    void deliver(WebhookResult result);
    void wake() const;
    const WebhookTarget* find(const std::string& name) const;

    const std::vector<WebhookTarget> targets_;
    Deliver deliver_;
    Report report_;
    std::string link_;
    system::FileDescriptor wake_;
    std::list<CommandRun> active_;  ///< its thread only
    std::mutex mutex_;              ///< guards what follows
    std::vector<WebhookJob> queue_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace headway::server
