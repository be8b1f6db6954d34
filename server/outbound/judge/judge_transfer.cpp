// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/judge/judge_transfer.hpp"

#include <algorithm>
#include <string_view>

#include "core/base/limits.hpp"

namespace headway::server {
namespace {

using core::JudgeOutcome;

/// Bytes of an error page that are kept; its message is cut to limits::kJudgeErrorBytesMax.
constexpr std::size_t kRefusalBytesMax = 8192;

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
    : target_(target), patience_(patience), began_(Clock::steady()), last_byte_(began_) {
    const config::JudgeEndpoint& endpoint = target.endpoint();
    call_.prepare({.url = target.url(),
                   .headers = target.headers(),
                   .body = api::encode_chat_request(
                       {endpoint.model, job.system, job.user, job.max_tokens, job.temperature}),
                   .ca_file = endpoint.ca_file,
                   .verified = endpoint.tls_verify,
                   .connect_timeout = patience.connect,
                   .reply_bytes_max = core::limits::kJudgeAnswerBytesMax},
                  *this);
    call_.join(multi);
}

bool JudgeTransfer::take_header(std::string_view) {
    last_byte_ = Clock::steady();
    return true;
}

bool JudgeTransfer::take_body(std::string_view bytes) {
    last_byte_ = Clock::steady();
    if (call_.status() != 200) {
        refusal_.append(
            bytes.substr(0, kRefusalBytesMax - std::min(kRefusalBytesMax, refusal_.size())));
        return true;
    }
    stream_.feed(bytes);
    if (!first_token_ && !stream_.text().empty()) first_token_ = last_byte_;
    return stream_.error().empty();
}

JudgeTransfer::Instant JudgeTransfer::silent_at() const {
    if (stream_.whole()) return last_byte_ + core::limits::kJudgeLinger;
    return std::min(last_byte_, began_ + (kSilencesMax - 1) * patience_.silence) +
           patience_.silence;
}

TryEnd JudgeTransfer::fell_silent() const {
    if (stream_.whole()) return {JudgeOutcome::kAnswered, false, EndpointHealth::kUp, {}, ""};
    if (!call_.connected()) return no_connection(CURLE_OPERATION_TIMEDOUT);
    if (last_byte_ > began_ + (kSilencesMax - 1) * patience_.silence)
        return broken("no whole answer for " + seconds_text(kSilencesMax * patience_.silence));
    return broken("no byte for " + seconds_text(patience_.silence));
}

TryEnd JudgeTransfer::ended(CURLcode code) {
    const long status = call_.status();
    if (call_.oversized()) {
        return {JudgeOutcome::kOversized,
                false,
                EndpointHealth::kUp,
                {},
                target_.endpoint().name + " sent more than " +
                    std::to_string(core::limits::kJudgeAnswerBytesMax >> 10) + " KiB"};
    }
    if (!call_.thrown().empty()) return broken("out of memory");
    if (status != 0 && status != 200) return by_status(status);
    if (code == CURLE_OK) {
        stream_.end();
        if (!first_token_ && !stream_.text().empty()) first_token_ = last_byte_;
    }
    if (stream_.whole()) return {JudgeOutcome::kAnswered, false, EndpointHealth::kUp, {}, ""};
    if (!stream_.error().empty()) return broken(stream_.error());
    if (status == 0) return no_connection(code);
    return broken(std::string{"the connection died in the answer: "} + curl_easy_strerror(code));
}

TryEnd JudgeTransfer::no_connection(CURLcode code) const {
    const std::string why = call_.why(code);
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

TryEnd JudgeTransfer::by_status(long status) {
    TryEnd end;
    end.error = target_.endpoint().name + ": HTTP " + std::to_string(status);
    const std::string words =
        target_.clean(message_of(refusal_), core::limits::kJudgeErrorBytesMax);
    if (!words.empty()) end.error += ": " + words;
    if (status == 429 || status >= 500) {
        end.outcome = JudgeOutcome::kFailing;
        end.may_retry = true;
        end.health = status == 429 ? EndpointHealth::kUnsaid : EndpointHealth::kDown;
        end.retry_after = call_.retry_after(
            std::chrono::floor<std::chrono::seconds>(core::limits::kJudgeRetryAfterMax));
        return end;
    }
    end.outcome = JudgeOutcome::kRefused;
    end.health = status == 401 || status == 403 ? EndpointHealth::kDown : EndpointHealth::kUp;
    end.error += hint_for(status);
    return end;
}

}  // namespace headway::server
