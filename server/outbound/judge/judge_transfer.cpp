// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/judge/judge_transfer.hpp"

#include <algorithm>
#include <charconv>
#include <new>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "server/outbound/transfer/curl_options.hpp"

namespace headway::server {
namespace {

using core::JudgeOutcome;

/// Bytes of an error page that are kept; its message is cut to limits::kJudgeErrorBytesMax.
constexpr std::size_t kRefusalBytesMax = 8192;
/// The kernel notices a vanished peer of an idle connection after about 30 + 3 x 10 s.
constexpr long kKeepAliveIdleSeconds = 30;
constexpr long kKeepAliveIntervalSeconds = 10;

/// The message in the body of an error reply.
std::string message_of(const std::string& body) {
    api::JsonDocument document;
    const auto part = api::decode_chat_part(document, body);
    if (part && part->error) return *part->error;
    return body;
}

std::string hint_for(long status) {
    if (status == 401 || status == 403) return "; check its API key";
    if (status == 404) return "; check its base_url and model";
    if (status / 100 == 3) return "; redirects are not followed, set base_url to where it leads";
    return "";
}

std::string seconds_text(std::chrono::milliseconds time) {
    if (time.count() % 1000 == 0) return std::to_string(time.count() / 1000) + " s";
    return std::to_string(time.count()) + " ms";
}

}  // namespace

JudgeTransfer::JudgeTransfer(CURLM* multi, const JudgeTarget& target, const JudgeJob& job,
                             Patience patience)
    : multi_(multi),
      target_(target),
      patience_(patience),
      body_(api::encode_chat_request(
          {target.endpoint().model, job.system, job.user, job.max_tokens, job.temperature})),
      handle_(curl_easy_init()),
      last_byte_(Clock::steady()) {
    if (handle_ == nullptr) throw std::bad_alloc();
    set_request();
    set_connection();
    if (curl_multi_add_handle(multi_, handle_.get()) != CURLM_OK) throw std::bad_alloc();
}

JudgeTransfer::~JudgeTransfer() {
    curl_multi_remove_handle(multi_, handle_.get());
}

void JudgeTransfer::set_request() {
    CURL* const handle = handle_.get();
    set_option(handle, CURLOPT_URL, target_.url().c_str());
    set_option(handle, CURLOPT_POSTFIELDS, body_.c_str());
    set_option(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
    set_option(handle, CURLOPT_HTTPHEADER, target_.headers());
    set_option(handle, CURLOPT_USERAGENT, "headway");
    set_option(handle, CURLOPT_ERRORBUFFER, curl_error_.data());
    set_option(handle, CURLOPT_WRITEFUNCTION, &JudgeTransfer::on_body);
    set_option(handle, CURLOPT_WRITEDATA, static_cast<void*>(this));
    set_option(handle, CURLOPT_HEADERFUNCTION, &JudgeTransfer::on_header);
    set_option(handle, CURLOPT_HEADERDATA, static_cast<void*>(this));
}

void JudgeTransfer::set_connection() {
    CURL* const handle = handle_.get();
    const config::JudgeEndpoint& endpoint = target_.endpoint();
    set_common_options(handle, patience_.connect, endpoint.ca_file);
    set_option(handle, CURLOPT_TCP_KEEPALIVE, 1L);
    set_option(handle, CURLOPT_TCP_KEEPIDLE, kKeepAliveIdleSeconds);
    set_option(handle, CURLOPT_TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
    set_option(handle, CURLOPT_SSL_VERIFYPEER, endpoint.tls_verify ? 1L : 0L);
    set_option(handle, CURLOPT_SSL_VERIFYHOST, endpoint.tls_verify ? 2L : 0L);
}

// Called by libcurl, which is C: must not throw. A different count than the given one ends the
// transfer.
std::size_t JudgeTransfer::on_body(char* bytes, std::size_t size, std::size_t count,
                                   void* user) noexcept {
    auto& self = *static_cast<JudgeTransfer*>(user);
    const std::string_view data{bytes, size * count};
    try {
        return self.count(data.size()) && self.take_body(data) ? data.size() : 0;
    } catch (const std::exception&) {
        self.out_of_memory_ = true;
        return 0;
    }
}

std::size_t JudgeTransfer::on_header(char* bytes, std::size_t size, std::size_t count,
                                     void* user) noexcept {
    auto& self = *static_cast<JudgeTransfer*>(user);
    self.take_header({bytes, size * count});
    return self.count(size * count) ? size * count : 0;
}

bool JudgeTransfer::count(std::size_t bytes) {
    last_byte_ = Clock::steady();
    bytes_ += bytes;
    oversized_ = bytes_ > core::limits::kJudgeAnswerBytesMax;
    return !oversized_;
}

/// Keeps the status for take_body(), which must not ask libcurl: it is called by it.
void JudgeTransfer::take_header(std::string_view line) {
    const std::size_t space = line.find(' ');
    if (!line.starts_with("HTTP/") || space == std::string_view::npos) return;
    std::from_chars(line.data() + space + 1, line.data() + line.size(), status_);
}

bool JudgeTransfer::take_body(std::string_view bytes) {
    if (status_ != 200) {
        refusal_.append(
            bytes.substr(0, kRefusalBytesMax - std::min(kRefusalBytesMax, refusal_.size())));
        return true;
    }
    stream_.feed(bytes);
    if (!first_token_ && !stream_.text().empty()) first_token_ = last_byte_;
    return stream_.error().empty();
}

JudgeTransfer::Instant JudgeTransfer::silent_at() const {
    const auto patience = stream_.whole() ? core::limits::kJudgeLinger : patience_.silence;
    return last_byte_ + patience;
}

TryEnd JudgeTransfer::fell_silent() const {
    if (stream_.whole()) return {JudgeOutcome::kAnswered, false, EndpointHealth::kUp, {}, ""};
    curl_off_t connected = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_PRETRANSFER_TIME_T, &connected);
    if (connected == 0) return no_connection(CURLE_OPERATION_TIMEDOUT);
    return broken("no byte for " + seconds_text(patience_.silence));
}

TryEnd JudgeTransfer::ended(CURLcode code) {
    if (oversized_) {
        return {JudgeOutcome::kOversized,
                false,
                EndpointHealth::kUp,
                {},
                target_.endpoint().name + " sent more than " +
                    std::to_string(core::limits::kJudgeAnswerBytesMax >> 10) + " KiB"};
    }
    if (out_of_memory_) return broken("out of memory");
    if (status_ != 0 && status_ != 200) return by_status();
    if (code == CURLE_OK) {
        stream_.end();
        if (!first_token_ && !stream_.text().empty()) first_token_ = last_byte_;
    }
    if (stream_.whole()) return {JudgeOutcome::kAnswered, false, EndpointHealth::kUp, {}, ""};
    if (!stream_.error().empty()) return broken(stream_.error());
    if (status_ == 0) return no_connection(code);
    return broken(std::string{"the connection died in the answer: "} + curl_easy_strerror(code));
}

TryEnd JudgeTransfer::no_connection(CURLcode code) const {
    const std::string why = curl_error_[0] != '\0' ? curl_error_.data() : curl_easy_strerror(code);
    const std::string text = target_.clean(why, core::limits::kJudgeErrorBytesMax);
    const std::string& name = target_.endpoint().name;
    switch (code) {
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_CONNECT:
        case CURLE_OPERATION_TIMEDOUT:  // libcurl has a time limit for connecting only
        case CURLE_SSL_CONNECT_ERROR:
            return {JudgeOutcome::kUnreachable,
                    true,
                    EndpointHealth::kDown,
                    {},
                    name + " cannot be reached: " + text};
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_ISSUER_ERROR:
        case CURLE_SSL_CERTPROBLEM:
            return {JudgeOutcome::kUnreachable,
                    false,
                    EndpointHealth::kDown,
                    {},
                    name + " is not trusted: " + text + "; set its ca_file"};
        case CURLE_URL_MALFORMAT:
        case CURLE_UNSUPPORTED_PROTOCOL:
            return {JudgeOutcome::kRefused,
                    false,
                    EndpointHealth::kDown,
                    {},
                    name + " cannot be asked: " + text + "; set base_url to an http or https URL"};
        default:
            return broken("the connection died before an answer: " + why);
    }
}

TryEnd JudgeTransfer::broken(const std::string& why) const {
    return {JudgeOutcome::kBroken,
            false,
            EndpointHealth::kDown,
            {},
            target_.endpoint().name + ": " + target_.clean(why, core::limits::kJudgeErrorBytesMax)};
}

TryEnd JudgeTransfer::by_status() {
    TryEnd end;
    end.error = target_.endpoint().name + ": HTTP " + std::to_string(status_);
    const std::string words =
        target_.clean(message_of(refusal_), core::limits::kJudgeErrorBytesMax);
    if (!words.empty()) end.error += ": " + words;
    if (status_ == 429 || status_ >= 500) {
        end.outcome = JudgeOutcome::kFailing;
        end.may_retry = true;
        end.health = status_ == 429 ? EndpointHealth::kUnsaid : EndpointHealth::kDown;
        curl_off_t seconds = 0;
        curl_easy_getinfo(handle_.get(), CURLINFO_RETRY_AFTER, &seconds);
        // Bounded before the multiplication. libcurl converts the date form by its own clock.
        constexpr curl_off_t kMost = core::limits::kJudgeRetryAfterMax.count() / 1000;
        if (seconds > 0) end.retry_after = std::chrono::seconds{std::min(seconds, kMost)};
        return end;
    }
    end.outcome = JudgeOutcome::kRefused;
    end.health = status_ == 401 || status_ == 403 ? EndpointHealth::kDown : EndpointHealth::kUp;
    end.error += hint_for(status_);
    return end;
}

}  // namespace headway::server
