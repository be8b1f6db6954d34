// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/webhooks/webhook_request.hpp"

#include "api/notify/formats.hpp"
#include "core/approvals/approvals.hpp"
#include "core/text/text.hpp"
#include "server/outbound/webhooks/webhook_signature.hpp"

namespace headway::server {
namespace {

using Format = core::WebhookFormat;
namespace notify = api::notify;

/// The id for several messages is made of theirs, so that the same ones have the same again.
std::string id_of(const WebhookJob& job) {
    if (job.others.empty()) return job.id;
    std::string ids = job.id;
    for (const WebhookPart& other : job.others)
        ids.append("\n").append(other.id);
    return "msg_" + core::to_hex(core::digest_of(ids));
}

/// The request can be decided by the link of its message.
void link_decision(const WebhookTarget& target, const WebhookPart& part, std::string_view base,
                   notify::Notice& notice) {
    if (target.links() == nullptr || notice.args_digest.empty() || base.empty()) return;
    const std::string id = core::approval_id(part.session, part.n);
    const std::string& endpoint = target.endpoint().name;
    const std::string code =
        target.links()->code_of({endpoint, id, notice.tool, notice.args_digest, notice.asked_at});
    if (code.empty()) return;
    notice.link = base;
    notice.link += "/decide?id=" + notify::url_encoded(id) +
                   "&from=" + notify::url_encoded(endpoint) + "&code=" + code;
    notice.decides = true;
}

notify::Letter letter_of(const WebhookTarget& target, const WebhookJob& job,
                         std::string_view link) {
    std::vector<notify::Notice> notices;
    const auto add = [&](const WebhookPart& part) {
        notices.push_back(notify::read_notice({part.type, part.session, part.n, part.body}, link));
        link_decision(target, part, link, notices.back());
    };
    add(job);
    for (const WebhookPart& other : job.others)
        add(other);
    notify::Letter letter = notify::compose(notices, job.backlog, link);
    letter.id = id_of(job);
    letter.at = job.at;
    return letter;
}

std::string command_input(const notify::Letter& letter, const WebhookJob& job) {
    std::vector<std::string_view> bodies{job.body};
    for (const WebhookPart& other : job.others)
        bodies.push_back(other.body);
    return notify::command_body(letter, bodies);
}

WebhookRequest standard_request(const WebhookTarget& target, const WebhookJob& job) {
    const std::int64_t seconds =
        std::chrono::floor<std::chrono::seconds>(job.at).time_since_epoch().count();
    return {
        {"webhook-id: " + job.id, "webhook-timestamp: " + std::to_string(seconds),
         "webhook-signature: " + webhook_signature(target.secrets(), job.id, seconds, job.body)},
        job.body};
}

}  // namespace

WebhookRequest request_for(const WebhookTarget& target, const WebhookJob& job,
                           std::string_view link) {
    const config::WebhookEndpoint& endpoint = target.endpoint();
    if (endpoint.format == Format::kStandard) return standard_request(target, job);
    const notify::Letter letter = letter_of(target, job, link);
    switch (endpoint.format) {
        case Format::kSlack:
            return {{}, notify::slack_body(letter)};
        case Format::kDiscord:
            return {{}, notify::discord_body(letter)};
        case Format::kNtfy: {
            WebhookRequest request{{}, notify::ntfy_body(letter, endpoint.topic)};
            if (!target.secret().empty())
                request.headers.push_back("Authorization: Bearer " + target.secret());
            return request;
        }
        case Format::kTelegram:
            return {{}, notify::telegram_body(letter, endpoint.chat)};
        case Format::kEmail:
            return {{}, notify::email_text(letter, endpoint.from, endpoint.to)};
        default:
            return {{}, command_input(letter, job)};
    }
}

}  // namespace headway::server
