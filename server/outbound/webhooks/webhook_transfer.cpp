// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/webhooks/webhook_transfer.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "api/text/plain_text.hpp"
#include "config/values/duration.hpp"
#include "core/base/limits.hpp"
#include "core/redaction/sanitize.hpp"
#include "server/outbound/transfer/address_policy.hpp"
#include "server/outbound/webhooks/webhook_request.hpp"

namespace headway::server {
namespace {

namespace limits = core::limits;

/// Webhooks go to public addresses only.
std::string refusal(const sockaddr& address) {
    const std::string_view kind = private_kind(address);
    if (kind.empty()) return {};
    return print_address(address) + ", a " + std::string{kind} + " address";
}

bool is_mail(const config::WebhookEndpoint& endpoint) {
    return endpoint.format == core::WebhookFormat::kEmail;
}

/// The same options apply to a mail server, except for the protocol and its user.
void set_mail_server(CURL* handle, const WebhookTarget& target) {
    const config::WebhookEndpoint& endpoint = target.endpoint();
    system::set_option(handle, CURLOPT_USE_SSL,
                       static_cast<long>(endpoint.tls ? CURLUSESSL_ALL : CURLUSESSL_NONE));
    if (endpoint.user.empty()) return;
    system::set_option(handle, CURLOPT_USERNAME, endpoint.user.c_str());
    system::set_option(handle, CURLOPT_PASSWORD, target.secret().c_str());
}

/// Makes a call ready: its destination and what its connection may do.
void prepare(system::HttpCall& call, system::HttpReceiver& receiver, const WebhookTarget& target,
             std::vector<std::string> headers = {}, std::optional<std::string> body = {}) {
    const config::WebhookEndpoint& endpoint = target.endpoint();
    // Alone: a kept connection may belong to a judge, whose addresses are not checked.
    call.prepare({.url = endpoint.url,
                  .protocols = is_mail(endpoint) ? "smtp,smtps" : "http,https",
                  .headers = std::move(headers),
                  .body = std::move(body),
                  .ca_file = endpoint.ca_file,
                  .alone = true,
                  .connect_timeout = endpoint.connect_timeout,
                  .timeout = endpoint.timeout,
                  .reply_bytes_max = limits::kWebhookReplyBytesMax,
                  .refusal = endpoint.allow_private_addresses ? nullptr : &refusal},
                 receiver);
    if (is_mail(endpoint)) set_mail_server(call.handle(), target);
}

/// The reason for a missing answer.
std::string no_answer(CURLcode code, const system::HttpCall& call,
                      const config::WebhookEndpoint& endpoint) {
    const std::string why =
        core::sanitized(api::as_utf8(call.why(code)), "", limits::kWebhookReasonBytesMax);
    switch (code) {
        case CURLE_COULDNT_CONNECT:
            if (call.refused().empty()) return "cannot be reached: " + why;
            return "leads to " + call.refused() +
                   "; if that is meant, set its allow_private_addresses = \"on\"";
        case CURLE_OPERATION_TIMEDOUT:
            return "no answer in time (timeout " + config::print_duration(endpoint.timeout) +
                   ", connect_timeout " + config::print_duration(endpoint.connect_timeout) + ")";
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_ISSUER_ERROR:
            return "is not trusted: " + why + "; set its ca_file";
        case CURLE_USE_SSL_FAILED:
            return "offers no TLS: " + why + "; without it, tls = \"off\", others could read along";
        case CURLE_LOGIN_DENIED:
            return "does not take its user and password: " + why;
        default:
            return "cannot be reached: " + why;
    }
}

std::string reason_of(long status, core::WebhookFormat format) {
    const bool standard = format == core::WebhookFormat::kStandard;
    std::string reason = "HTTP " + std::to_string(status);
    if (status / 100 == 3) reason += "; redirects are not followed, set url to where it leads";
    if (status == 401 || status == 403) {
        reason += standard ? "; does the receiver have the same secret?"
                           : "; check its url and its secret";
    }
    if (status == 404 || status == 405) reason += "; check its url";
    if (status == 410) reason += ": it wants no more messages";
    return reason;
}

WebhookOutcome outcome_of(long status) {
    if (status >= 200 && status < 300) return WebhookOutcome::kDelivered;
    if (status == 410) return WebhookOutcome::kGone;
    const bool message = status == 400 || status == 409 || status == 413 || status == 422;
    return message ? WebhookOutcome::kRefused : WebhookOutcome::kAway;
}

}  // namespace

WebhookTransfer::WebhookTransfer(CURLM* multi, const WebhookTarget& target, WebhookJob job,
                                 std::string_view link, const std::vector<std::string>& without)
    : target_(target), job_(std::move(job)), started_(Clock::steady()) {
    WebhookRequest request = request_for(target, job_, link);
    drop_bodies(job_);
    if (is_mail(target.endpoint())) {
        prepare(call_, *this, target);
        set_mail(std::move(request.body), without);
    } else {
        std::vector<std::string> headers{"Content-Type: application/json"};
        headers.insert(headers.end(), std::make_move_iterator(request.headers.begin()),
                       std::make_move_iterator(request.headers.end()));
        prepare(call_, *this, target, std::move(headers), std::move(request.body));
    }
    call_.join(multi);
}

void WebhookTransfer::set_mail(std::string text, const std::vector<std::string>& without) {
    using system::set_option;
    CURL* const handle = call_.handle();
    const config::WebhookEndpoint& endpoint = target_.endpoint();
    mail_ = std::move(text);
    set_option(handle, CURLOPT_MAIL_FROM, ("<" + endpoint.from + ">").c_str());
    for (const std::string& address : endpoint.to) {
        if (std::find(without.begin(), without.end(), address) != without.end()) continue;
        addressees_.add("<" + address + ">");
        ++addressed_;
    }
    rest_ = !without.empty();
    // One that is refused does not keep the mail from the others.
    set_option(handle, CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);
    set_option(handle, CURLOPT_VERBOSE, 1L);  // for on_dialog(); nothing is printed
    set_option(handle, CURLOPT_DEBUGFUNCTION, &WebhookTransfer::on_dialog);
    set_option(handle, CURLOPT_DEBUGDATA, static_cast<void*>(this));
    set_option(handle, CURLOPT_MAIL_RCPT, addressees_.get());
    set_option(handle, CURLOPT_UPLOAD, 1L);
    set_option(handle, CURLOPT_READFUNCTION, &WebhookTransfer::on_upload);
    set_option(handle, CURLOPT_READDATA, static_cast<void*>(this));
    set_option(handle, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(mail_.size()));
}

/// It also sees the password, and looks only at the recipients.
int WebhookTransfer::on_dialog(CURL*, curl_infotype kind, char* bytes, std::size_t size,
                               void* user) noexcept {
    auto& self = *static_cast<WebhookTransfer*>(user);
    try {
        if (kind == CURLINFO_HEADER_OUT) self.recipients_.sent({bytes, size});
        if (kind == CURLINFO_HEADER_IN) self.recipients_.received({bytes, size});
    } catch (const std::exception&) {
        return 0;  // no memory: it is not said who was refused
    }
    return 0;
}

std::size_t WebhookTransfer::on_upload(char* buffer, std::size_t size, std::size_t count,
                                       void* user) noexcept {
    auto& self = *static_cast<WebhookTransfer*>(user);
    const std::size_t bytes = std::min(size * count, self.mail_.size() - self.uploaded_);
    std::copy_n(self.mail_.data() + self.uploaded_, bytes, buffer);
    self.uploaded_ += bytes;
    return bytes;
}

WebhookResult WebhookTransfer::result() const {
    WebhookResult result;
    result.job = job_;
    result.elapsed = std::chrono::duration_cast<core::Millis>(Clock::steady() - started_);
    return result;
}

WebhookResult WebhookTransfer::cancelled() const {
    return result();
}

/// Each of those that were left was refused by name. Where a mail breaks off in between, or its
/// text is refused, another might still get it.
bool WebhookTransfer::only_rest_refused(CURLcode code) const {
    return code == CURLE_SEND_ERROR && rest_ && addressed_ > 0 &&
           recipients_.refused().size() == addressed_;
}

/// The code of libcurl decides about a mail: an answer of 2xx may be that to an earlier command.
/// 4xx is the server's word for later, 5xx for never.
WebhookResult WebhookTransfer::mail_result(CURLcode code, WebhookResult result) const {
    const std::string refused = recipients_.words();
    if (settles(code)) {
        // For later: this message alone is tried again, for those alone. One person who is put off
        // does not hold up the endpoint.
        result.outcome =
            recipients_.any_for_later() ? WebhookOutcome::kRefused : WebhookOutcome::kDelivered;
        if (!refused.empty()) result.reason = refused + "; the others have it";
        return result;
    }
    const bool answered = code == CURLE_SEND_ERROR || code == CURLE_WEIRD_SERVER_REPLY;
    const bool never = answered && result.status / 100 == 5;
    result.outcome = never ? WebhookOutcome::kRefused : WebhookOutcome::kAway;
    if (answered && result.status >= 400) {
        result.reason = (refused.empty() ? "SMTP " + std::to_string(result.status) : refused) +
                        (never ? ": the mail server refuses it; check from and to"
                               : ": the mail server asks to try again later");
    } else {
        result.status = 0;
        result.reason = no_answer(code, call_, target_.endpoint());
    }
    return result;
}

WebhookResult WebhookTransfer::ended(CURLcode code) const {
    WebhookResult result = this->result();
    result.status = call_.status();
    if (is_mail(target_.endpoint())) return mail_result(code, std::move(result));
    if (result.status < 200) {  // no answer, or only "100 Continue"
        result.outcome = WebhookOutcome::kAway;
        const CURLcode failure = code == CURLE_OK ? CURLE_GOT_NOTHING : code;
        result.reason = no_answer(failure, call_, target_.endpoint());
        return result;
    }
    // The rest of the reply is irrelevant.
    result.outcome = outcome_of(result.status);
    if (result.outcome != WebhookOutcome::kDelivered)
        result.reason = reason_of(result.status, target_.endpoint().format);
    if (result.status != 429 && result.status != 503) return result;
    result.retry_after =
        call_.retry_after(std::chrono::floor<std::chrono::seconds>(limits::kWebhookRetryAfterMax));
    return result;
}

core::Result<std::string> try_connection(const WebhookTarget& target) {
    const config::WebhookEndpoint& endpoint = target.endpoint();
    const auto wrong = [](std::string what) {
        return core::Error{core::ErrorCode::kInvalidConfig, std::move(what), {}};
    };
    if (!target.problem().empty()) return wrong(target.problem());
    const std::string then = "; `headway webhooks test " + endpoint.name + "` sends a message";
    if (!endpoint.argv.empty()) return "may run " + endpoint.argv.front() + then;
    system::HttpReceiver nothing;
    system::HttpCall call;
    prepare(call, nothing, target);
    system::set_option(call.handle(), CURLOPT_CONNECT_ONLY, 1L);
    if (const CURLcode code = call.perform(); code != CURLE_OK)
        return wrong("its url " + no_answer(code, call, endpoint));
    return "connects to " + call.address() + then;
}

}  // namespace headway::server
