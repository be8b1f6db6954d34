// SPDX-License-Identifier: Apache-2.0
#include "server/outgoing.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "server/dispatcher.hpp"

namespace headway::server {

void Outgoing::start(const config::Settings& settings, Dispatcher& dispatcher) {
    dispatcher_ = &dispatcher;
    if (settings.judge.endpoints.empty() && settings.webhooks.endpoints.empty()) return;
    loop_ = std::make_unique<CurlLoop>();
    if (!settings.judge.endpoints.empty()) start_judge(settings.judge);
    if (!settings.webhooks.endpoints.empty()) start_webhooks(settings.webhooks);
}

/// The one way out, which is as bounded as what was accepted.
template <class Result>
void Outgoing::post(void (Dispatcher::*take)(Result), Result result) {
    net::post(io_.get_executor(), [this, take, result = std::move(result)]() mutable {
        (dispatcher_->*take)(std::move(result));
    });
}

void Outgoing::start_judge(const config::JudgeSettings& settings) {
    judge_ = std::make_unique<JudgeClient>(
        *loop_, settings, [this](JudgeReply reply) { post(&Dispatcher::judged, std::move(reply)); },
        report_);
    dispatcher_->show_judges([this] { return judge_->stats(); });
}

void Outgoing::start_webhooks(const config::WebhookSettings& settings) {
    auto targets = webhook_targets(settings, report_);
    rules_ = server::webhook_rules(settings, targets);
    webhooks_ = std::make_unique<WebhookSender>(
        *loop_, std::move(targets),
        [this](WebhookResult result) { post(&Dispatcher::webhook_done, std::move(result)); },
        report_);
}

JudgeLink Outgoing::judge_link() {
    JudgeLink link;
    link.ask = [this](JudgeJob job) {
        JudgeReply refused;
        refused.id = job.id;
        refused.session = job.session;
        refused.endpoint = job.endpoint;
        refused.outcome = core::JudgeOutcome::kUnavailable;
        refused.error = judge_ ? "too many questions wait, or this judge is not configured any more"
                               : "no judge is configured any more";
        if (judge_ && judge_->submit(std::move(job))) return;
        post(&Dispatcher::judged, std::move(refused));
    };
    link.cancel = [this](const std::string& session) {
        if (judge_) judge_->cancel(session);
    };
    return link;
}

WebhookDesk::Send Outgoing::webhook_link() {
    return [this](WebhookJob job) { return webhooks_ && webhooks_->submit(std::move(job)); };
}

void Outgoing::stop_webhooks() {
    if (webhooks_) webhooks_->stop();
}

void Outgoing::stop() {
    stop_webhooks();
    if (judge_) judge_->stop();
}

}  // namespace headway::server
