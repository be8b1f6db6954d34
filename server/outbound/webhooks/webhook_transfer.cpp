// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/webhooks/webhook_transfer.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <new>
#include <utility>

#include "config/values/duration.hpp"
#include "core/base/limits.hpp"
#include "core/redaction/sanitize.hpp"
#include "server/outbound/transfer/address_policy.hpp"
#include "server/outbound/transfer/curl_options.hpp"
#include "server/outbound/webhooks/webhook_request.hpp"

namespace headway::server {
namespace {

namespace limits = core::limits;

/// Opens a socket to public addresses only; puts a refused address into the text. Called by
/// libcurl, which is C.
curl_socket_t open_public(void* blocked, curlsocktype, curl_sockaddr* address) noexcept {
    try {
        const std::string_view kind = private_kind(address->addr);
        if (!kind.empty()) {
            *static_cast<std::string*>(blocked) =
                print_address(address->addr) + ", a " + std::string{kind} + " address";
            return CURL_SOCKET_BAD;
        }
    } catch (const std::exception&) {
        return CURL_SOCKET_BAD;
    }
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

bool is_mail(const config::WebhookEndpoint& endpoint) {
    return endpoint.format == core::WebhookFormat::kEmail;
}

/// To a mail server the same options apply but for the protocol, and its user.
void set_mail_server(CURL* handle, const WebhookTarget& target) {
    const config::WebhookEndpoint& endpoint = target.endpoint();
    set_option(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    set_option(handle, CURLOPT_USE_SSL,
               static_cast<long>(endpoint.tls ? CURLUSESSL_ALL : CURLUSESSL_NONE));
    if (endpoint.user.empty()) return;
    set_option(handle, CURLOPT_USERNAME, endpoint.user.c_str());
    set_option(handle, CURLOPT_PASSWORD, target.secret().c_str());
}

/// Sets the destination and what the connection may do.
void set_connection(CURL* handle, const WebhookTarget& target, std::string& blocked) {
    const config::WebhookEndpoint& endpoint = target.endpoint();
    set_common_options(handle, endpoint.connect_timeout, endpoint.ca_file);
    if (is_mail(endpoint)) set_mail_server(handle, target);
    set_option(handle, CURLOPT_URL, endpoint.url.c_str());
    set_option(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(endpoint.timeout.count()));
    // An existing connection may belong to a judge, whose addresses are not checked.
    set_option(handle, CURLOPT_FRESH_CONNECT, 1L);
    set_option(handle, CURLOPT_FORBID_REUSE, 1L);
    if (endpoint.allow_private_addresses) return;
    set_option(handle, CURLOPT_OPENSOCKETFUNCTION, &open_public);
    set_option(handle, CURLOPT_OPENSOCKETDATA, static_cast<void*>(&blocked));
}

/// The reason of a missing answer.
std::string no_answer(CURLcode code, const char* words, const std::string& blocked,
                      const config::WebhookEndpoint& endpoint) {
    const std::string why = core::sanitized(words[0] != '\0' ? words : curl_easy_strerror(code), "",
                                            limits::kWebhookReasonBytesMax);
    switch (code) {
        case CURLE_COULDNT_CONNECT:
            if (blocked.empty()) return "cannot be reached: " + why;
            return "leads to " + blocked +
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
    : multi_(multi),
      target_(target),
      job_(std::move(job)),
      handle_(curl_easy_init()),
      started_(Clock::steady()) {
    if (handle_ == nullptr) throw std::bad_alloc();
    WebhookRequest request = request_for(target, job_, link);
    body_ = std::move(request.body);
    drop_bodies(job_);
    set_connection(handle_.get(), target, blocked_);
    set_option(handle_.get(), CURLOPT_ERRORBUFFER, curl_error_.data());
    for (const CURLoption option : {CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION})
        set_option(handle_.get(), option, &WebhookTransfer::on_bytes);
    for (const CURLoption option : {CURLOPT_WRITEDATA, CURLOPT_HEADERDATA})
        set_option(handle_.get(), option, static_cast<void*>(this));
    if (is_mail(target.endpoint())) {
        set_mail(without);
    } else {
        set_post(request.headers);
    }
    if (curl_multi_add_handle(multi_, handle_.get()) != CURLM_OK) throw std::bad_alloc();
}

WebhookTransfer::~WebhookTransfer() {
    curl_multi_remove_handle(multi_, handle_.get());
}

void WebhookTransfer::add_line(List& list, const std::string& line) {
    curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(list.release());  // `longer` owns it
    list.reset(longer);
}

void WebhookTransfer::set_post(const std::vector<std::string>& headers) {
    CURL* const handle = handle_.get();
    add_line(headers_, "Content-Type: application/json");
    for (const std::string& header : headers)
        add_line(headers_, header);
    add_line(headers_, "Expect:");  // no 100-continue round trip
    set_option(handle, CURLOPT_HTTPHEADER, headers_.get());
    set_option(handle, CURLOPT_USERAGENT, "headway");
    set_option(handle, CURLOPT_POSTFIELDS, body_.c_str());
    set_option(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
}

void WebhookTransfer::set_mail(const std::vector<std::string>& without) {
    CURL* const handle = handle_.get();
    const config::WebhookEndpoint& endpoint = target_.endpoint();
    set_option(handle, CURLOPT_MAIL_FROM, ("<" + endpoint.from + ">").c_str());
    for (const std::string& address : endpoint.to) {
        if (std::find(without.begin(), without.end(), address) != without.end()) continue;
        add_line(headers_, "<" + address + ">");
        ++addressed_;
    }
    rest_ = !without.empty();
    // One that is refused does not keep the mail from the others.
    set_option(handle, CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1L);
    set_option(handle, CURLOPT_VERBOSE, 1L);  // for on_dialog(); nothing is printed
    set_option(handle, CURLOPT_DEBUGFUNCTION, &WebhookTransfer::on_dialog);
    set_option(handle, CURLOPT_DEBUGDATA, static_cast<void*>(this));
    set_option(handle, CURLOPT_MAIL_RCPT, headers_.get());
    set_option(handle, CURLOPT_UPLOAD, 1L);
    set_option(handle, CURLOPT_READFUNCTION, &WebhookTransfer::on_upload);
    set_option(handle, CURLOPT_READDATA, static_cast<void*>(this));
    set_option(handle, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(body_.size()));
}

/// It also sees the password, and looks at nothing but the recipients.
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
    const std::size_t bytes = std::min(size * count, self.body_.size() - self.uploaded_);
    std::copy_n(self.body_.data() + self.uploaded_, bytes, buffer);
    self.uploaded_ += bytes;
    return bytes;
}

/// Drops the reply's body, because only its status matters. A different count than the given one
/// ends the transfer.
std::size_t WebhookTransfer::on_bytes(char*, std::size_t size, std::size_t count,
                                      void* user) noexcept {
    auto& self = *static_cast<WebhookTransfer*>(user);
    self.bytes_ += size * count;
    return self.bytes_ > limits::kWebhookReplyBytesMax ? 0 : size * count;
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

/// Of a mail the code of libcurl counts: an answer of 2xx may be that to an earlier command. 4xx is
/// the server's word for later, 5xx for never.
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
        result.reason = no_answer(code, curl_error_.data(), blocked_, target_.endpoint());
    }
    return result;
}

WebhookResult WebhookTransfer::ended(CURLcode code) const {
    WebhookResult result = this->result();
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &result.status);
    if (is_mail(target_.endpoint())) return mail_result(code, std::move(result));
    if (result.status < 200) {  // no answer, or only "100 Continue"
        result.outcome = WebhookOutcome::kAway;
        const CURLcode failure = code == CURLE_OK ? CURLE_GOT_NOTHING : code;
        result.reason = no_answer(failure, curl_error_.data(), blocked_, target_.endpoint());
        return result;
    }
    // The rest of the reply is irrelevant.
    result.outcome = outcome_of(result.status);
    if (result.outcome != WebhookOutcome::kDelivered)
        result.reason = reason_of(result.status, target_.endpoint().format);
    if (result.status != 429 && result.status != 503) return result;
    curl_off_t seconds = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RETRY_AFTER, &seconds);
    // Bounded before the multiplication. libcurl converts the date form by its own clock.
    constexpr curl_off_t kMost = limits::kWebhookRetryAfterMax.count() / 1000;
    if (seconds > 0) result.retry_after = std::chrono::seconds{std::min(seconds, kMost)};
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
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle{curl_easy_init(),
                                                                     curl_easy_cleanup};
    if (!handle) throw std::bad_alloc();
    std::string blocked;
    std::array<char, CURL_ERROR_SIZE> words{};
    set_connection(handle.get(), target, blocked);
    set_option(handle.get(), CURLOPT_ERRORBUFFER, words.data());
    set_option(handle.get(), CURLOPT_CONNECT_ONLY, 1L);
    const CURLcode code = curl_easy_perform(handle.get());
    if (code != CURLE_OK) {
        return wrong("its url " + no_answer(code, words.data(), blocked, endpoint));
    }
    char* address = nullptr;
    curl_easy_getinfo(handle.get(), CURLINFO_PRIMARY_IP, &address);
    return "connects to " + std::string{address == nullptr ? "" : address} + then;
}

}  // namespace headway::server
