// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "config/settings/settings.hpp"
#include "server/engine/base/settings.hpp"
#include "server/engine/projections/webhook_scheduler.hpp"
#include "server/http/sockets/net.hpp"
#include "server/outbound/commands/command_sender.hpp"
#include "server/outbound/judge/judge_client.hpp"
#include "server/outbound/transfer/curl_loop.hpp"
#include "server/outbound/webhooks/webhook_sender.hpp"

namespace headway::server {

class Dispatcher;

/// All outbound calls: judges and webhooks are called on the thread of libcurl, commands on a
/// separate thread. Each part exists only if it is configured. Results are passed to the dispatcher
/// on the I/O thread. I/O thread only, except that the engine calls the functions that judge_link()
/// and webhook_link() return.
class Outgoing {
public:
    using Report = std::function<void(bool is_error, const std::string& line)>;

    Outgoing(net::io_context& io, Report report) : io_(io), report_(std::move(report)) {}

    /// Reads the secrets and starts the parts. To be called before judge_link() and webhook_link();
    /// the dispatcher must outlive this object.
    void start(const config::Settings& settings, Dispatcher& dispatcher);

    /// Sets the daemon's address. Links in messages contain this address unless another one is
    /// configured. To be called before the engine runs.
    void listens_at(const std::string& url);

    const core::WebhookRules& webhook_rules() const { return rules_; }
    JudgeLink judge_link();
    WebhookScheduler::Send webhook_link();

    /// Stops deliveries without waiting: messages in flight are sent again after the next start.
    void stop_webhooks();
    /// Also stops the judges: open checks are asked again after the next start.
    void stop();

private:
    template <class Result>
    void post(void (Dispatcher::*take)(Result), Result result);
    CurlLoop& loop();
    void start_judge(const config::JudgeSettings& settings);
    void start_webhooks(const config::WebhookSettings& settings);

    net::io_context& io_;
    Report report_;
    Dispatcher* dispatcher_ = nullptr;
    core::WebhookRules rules_;
    std::unique_ptr<CurlLoop> loop_;           ///< null if nothing uses it
    std::unique_ptr<JudgeClient> judge_;       ///< null if no judge is configured
    std::unique_ptr<WebhookSender> webhooks_;  ///< null if no webhook is configured
    std::unique_ptr<CommandSender> commands_;  ///< null if no command is configured
    std::string link_;                         ///< base of links, as configured
};

}  // namespace headway::server
