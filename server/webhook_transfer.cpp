// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_transfer.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <new>
#include <utility>

#include "config/duration.hpp"
#include "core/limits.hpp"
#include "core/sanitize.hpp"
#include "server/address_policy.hpp"
#include "server/curl_loop.hpp"
#include "server/curl_options.hpp"
#include "server/webhook_signature.hpp"

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

/// Sets the destination and what the connection may do.
void set_connection(CURL* handle, const config::WebhookEndpoint& endpoint, std::string& blocked) {
    set_common_options(handle, endpoint.connect_timeout, endpoint.ca_file);
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
        default:
            return "cannot be reached: " + why;
    }
}

std::string reason_of(long status) {
    std::string reason = "HTTP " + std::to_string(status);
    if (status / 100 == 3) reason += "; redirects are not followed, set url to where it leads";
    if (status == 401 || status == 403) reason += "; does the receiver have the same secret?";
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

WebhookTransfer::WebhookTransfer(CURLM* multi, const WebhookTarget& target, WebhookJob job)
    : multi_(multi),
      target_(target),
      job_(std::move(job)),
      body_(std::exchange(job_.body, {})),
      handle_(curl_easy_init()),
      started_(Clock::steady()) {
    if (handle_ == nullptr) throw std::bad_alloc();
    set_connection(handle_.get(), target.endpoint(), blocked_);
    set_request();
    if (curl_multi_add_handle(multi_, handle_.get()) != CURLM_OK) throw std::bad_alloc();
}

WebhookTransfer::~WebhookTransfer() {
    curl_multi_remove_handle(multi_, handle_.get());
}

void WebhookTransfer::add_header(const std::string& line) {
    curl_slist* const longer = curl_slist_append(headers_.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(headers_.release());  // `longer` owns it
    headers_.reset(longer);
}

void WebhookTransfer::set_request() {
    CURL* const handle = handle_.get();
    const std::int64_t seconds =
        std::chrono::floor<std::chrono::seconds>(job_.at).time_since_epoch().count();
    add_header("Content-Type: application/json");
    add_header("webhook-id: " + job_.id);
    add_header("webhook-timestamp: " + std::to_string(seconds));
    add_header("webhook-signature: " +
               webhook_signature(target_.secrets(), job_.id, seconds, body_));
    add_header("Expect:");  // no 100-continue round trip
    set_option(handle, CURLOPT_HTTPHEADER, headers_.get());
    set_option(handle, CURLOPT_USERAGENT, "headway");
    set_option(handle, CURLOPT_POSTFIELDS, body_.c_str());
    set_option(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
    set_option(handle, CURLOPT_ERRORBUFFER, curl_error_.data());
    for (const CURLoption option : {CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION})
        set_option(handle, option, &WebhookTransfer::on_bytes);
    for (const CURLoption option : {CURLOPT_WRITEDATA, CURLOPT_HEADERDATA})
        set_option(handle, option, static_cast<void*>(this));
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

WebhookResult WebhookTransfer::ended(CURLcode code) const {
    WebhookResult result = this->result();
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &result.status);
    if (result.status < 200) {  // no answer, or only "100 Continue"
        result.outcome = WebhookOutcome::kAway;
        const CURLcode failure = code == CURLE_OK ? CURLE_GOT_NOTHING : code;
        result.reason = no_answer(failure, curl_error_.data(), blocked_, target_.endpoint());
        return result;
    }
    // The rest of the reply is irrelevant.
    result.outcome = outcome_of(result.status);
    if (result.outcome != WebhookOutcome::kDelivered) result.reason = reason_of(result.status);
    if (result.status != 429 && result.status != 503) return result;
    curl_off_t seconds = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RETRY_AFTER, &seconds);
    // Bounded before the multiplication. libcurl converts the date form by its own clock.
    constexpr curl_off_t kMost = limits::kWebhookRetryAfterMax.count() / 1000;
    if (seconds > 0) result.retry_after = std::chrono::seconds{std::min(seconds, kMost)};
    return result;
}

core::Result<std::string> try_connection(const WebhookTarget& target) {
    need_curl();
    const config::WebhookEndpoint& endpoint = target.endpoint();
    const auto wrong = [](std::string what) {
        return core::Error{core::ErrorCode::kInvalidConfig, std::move(what), {}};
    };
    if (!target.problem().empty()) return wrong(target.problem());
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle{curl_easy_init(),
                                                                     curl_easy_cleanup};
    if (!handle) throw std::bad_alloc();
    std::string blocked;
    std::array<char, CURL_ERROR_SIZE> words{};
    set_connection(handle.get(), endpoint, blocked);
    set_option(handle.get(), CURLOPT_ERRORBUFFER, words.data());
    set_option(handle.get(), CURLOPT_CONNECT_ONLY, 1L);
    const CURLcode code = curl_easy_perform(handle.get());
    if (code != CURLE_OK) {
        return wrong("its url " + no_answer(code, words.data(), blocked, endpoint));
    }
    char* address = nullptr;
    curl_easy_getinfo(handle.get(), CURLINFO_PRIMARY_IP, &address);
    return "connects to " + std::string{address == nullptr ? "" : address} +
           "; `headway webhooks test " + endpoint.name + "` sends a message";
}

}  // namespace headway::server
