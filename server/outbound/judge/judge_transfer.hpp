// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <curl/curl.h>
#include "core/events/judge_payloads.hpp"
#include "server/outbound/judge/judge_messages.hpp"
#include "server/outbound/judge/judge_stream.hpp"
#include "server/outbound/judge/judge_target.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// What a try proves about the endpoint, for its breaker.
enum class EndpointHealth : std::uint8_t {
    kUp,      ///< it answers, if only with an error
    kDown,    ///< it fails or refuses the key
    kUnsaid,  ///< busy, or the try was not completed
};

/// How one try ended.
struct TryEnd {
    core::JudgeOutcome outcome = core::JudgeOutcome::kBroken;
    bool may_retry = false;
    EndpointHealth health = EndpointHealth::kDown;
    std::optional<std::chrono::milliseconds> retry_after;  ///< as the endpoint asked
    std::string error;                                     ///< empty when answered; free of secrets
};

/// One try of one question: an easy handle in a multi handle. Judge thread only. The multi handle
/// and the target must outlive it.
class JudgeTransfer {
public:
    using Instant = Clock::Steady::time_point;

    struct Patience {
        std::chrono::milliseconds silence;  ///< without a byte, also before the first
        std::chrono::milliseconds connect;
    };

    /// Adds the transfer; the next turn of the loop starts it.
    JudgeTransfer(CURLM* multi, const JudgeTarget& target, const JudgeJob& job, Patience patience);
    JudgeTransfer(const JudgeTransfer&) = delete;
    JudgeTransfer& operator=(const JudgeTransfer&) = delete;
    /// Aborts the transfer; a connection in use is closed.
    ~JudgeTransfer();

    CURL* handle() const { return handle_.get(); }
    const JudgeStream& stream() const { return stream_; }
    std::optional<Instant> first_token() const { return first_token_; }

    /// When the transfer times out unless a byte comes.
    Instant silent_at() const;
    /// The result by libcurl's code.
    TryEnd ended(CURLcode code);
    /// The result when silent_at() has passed.
    TryEnd fell_silent() const;

private:
    struct FreeEasy {
        void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
    };

    static std::size_t on_body(char* bytes, std::size_t size, std::size_t count,
                               void* user) noexcept;
    static std::size_t on_header(char* bytes, std::size_t size, std::size_t count,
                                 void* user) noexcept;

    void set_request();
    void set_connection();
    bool count(std::size_t bytes);
    void take_header(std::string_view line);
    bool take_body(std::string_view bytes);
    TryEnd no_connection(CURLcode code) const;
    TryEnd broken(const std::string& why) const;
    TryEnd by_status();

    CURLM* multi_;
    const JudgeTarget& target_;
    Patience patience_;
    std::string body_;  ///< of the request; libcurl reads it here
    std::unique_ptr<CURL, FreeEasy> handle_;
    std::array<char, CURL_ERROR_SIZE> curl_error_{};
    Instant last_byte_;
    std::optional<Instant> first_token_;
    std::size_t bytes_ = 0;  ///< of the reply, headers included
    long status_ = 0;        ///< of the reply, the last one behind 100 Continue; 0: none yet
    bool oversized_ = false;
    bool out_of_memory_ = false;
    std::string refusal_;  ///< the body of a reply that is not 200, its first part
    JudgeStream stream_;
};

}  // namespace headway::server
