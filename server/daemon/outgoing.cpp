// SPDX-License-Identifier: Apache-2.0
#include "server/daemon/outgoing.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <iterator>
#include <utility>

#include "server/endpoints/routing/dispatcher.hpp"

namespace headway::server {

void Outgoing::start(const config::Settings& settings, Dispatcher& dispatcher) {
    dispatcher_ = &dispatcher;
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

CurlLoop& Outgoing::loop() {
    if (!loop_) loop_ = std::make_unique<CurlLoop>();
    return *loop_;
}

void Outgoing::start_judge(const config::JudgeSettings& settings) {
    judge_ = std::make_unique<JudgeClient>(
        loop(), settings, [this](JudgeReply reply) { post(&Dispatcher::judged, std::move(reply)); },
        report_);
    dispatcher_->show_judges([this] { return judge_->stats(); });
}

void Outgoing::start_webhooks(const config::WebhookSettings& settings) {
    auto targets = webhook_targets(settings, report_);
    rules_ = server::webhook_rules(settings, targets);
    DecisionLinks& links = dispatcher_->access().decision_links();
    std::vector<std::string> deciding;
    for (WebhookTarget& target : targets) {
        target.decide_with(links);
        if (target.links() != nullptr) deciding.push_back(target.endpoint().name);
    }
    links.allow(std::move(deciding));
    link_ = settings.link;
    const auto first_command = std::stable_partition(
        targets.begin(), targets.end(),
        [](const WebhookTarget& target) { return target.endpoint().argv.empty(); });
    std::vector<WebhookTarget> commands{std::make_move_iterator(first_command),
                                        std::make_move_iterator(targets.end())};
    targets.erase(first_command, targets.end());
    const auto deliver = [this](WebhookResult result) {
        post(&Dispatcher::webhook_done, std::move(result));
    };
    if (!targets.empty())
        webhooks_ = std::make_unique<WebhookSender>(loop(), std::move(targets), deliver, report_);
    if (!commands.empty())
        commands_ = std::make_unique<CommandSender>(std::move(commands), deliver, report_);
}

void Outgoing::listens_at(const std::string& url) {
    const std::string& link = link_.empty() ? url : link_;
    if (webhooks_) webhooks_->link_to(link);
    if (commands_) commands_->link_to(link);
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

WebhookScheduler::Send Outgoing::webhook_link() {
    return [this](WebhookJob job) {
        if (commands_ && commands_->owns(job.endpoint)) return commands_->submit(std::move(job));
        return webhooks_ && webhooks_->submit(std::move(job));
    };
}

void Outgoing::stop_webhooks() {
    if (webhooks_) webhooks_->stop();
    if (commands_) commands_->stop();
}

void Outgoing::stop() {
    stop_webhooks();
    if (judge_) judge_->stop();
}

}  // namespace headway::server
