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

/// Passes messages to commands, with one try for each job, as WebhookSender does over the network.
/// One thread watches all commands.
class CommandSender {
public:
    /// Called on the sender's thread, exactly once for each accepted job; must not block.
    using Deliver = std::function<void(WebhookResult)>;
    using Report = WebhookTarget::Report;

    /// Throws std::system_error when no descriptor or thread can be created.
    CommandSender(std::vector<WebhookTarget> targets, Deliver deliver, Report report);
    CommandSender(const CommandSender&) = delete;
    CommandSender& operator=(const CommandSender&) = delete;
    ~CommandSender();  ///< calls stop()

    /// Sets the dashboard's URL; empty: none. To be called before the first job.
    void link_to(std::string base) { link_ = std::move(base); }
    /// True if this sender handles the jobs of that endpoint.
    bool owns(const std::string& endpoint) const { return find(endpoint) != nullptr; }
    /// Any thread; never waits. Returns false, and delivers no result, if the sender is stopped,
    /// too many jobs wait, or the endpoint is unknown or unusable.
    bool submit(WebhookJob job);
    /// Kills running commands and accepts no more jobs. Any thread except the sender's; idempotent.
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
    std::list<CommandRun> active_;  ///< sender's thread only
    std::mutex mutex_;              ///< guards the members below
    std::vector<WebhookJob> queue_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace headway::server
