// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/events/judge_payloads.hpp"
#include "server/outbound/judge/judge_messages.hpp"
#include "server/outbound/judge/judge_stream.hpp"
#include "server/outbound/judge/judge_target.hpp"
#include "server/time/clock.hpp"
#include "system/http_call.hpp"

namespace headway::server {

/// The health of an endpoint as one try shows it. The endpoint's breaker uses it.
enum class EndpointHealth : std::uint8_t {
    kUp,      ///< it answers, even if with an error
    kDown,    ///< it fails or refuses the key
    kUnsaid,  ///< not known: the endpoint is busy, or the try was not completed
};

/// How one try ended.
struct TryEnd {
    core::JudgeOutcome outcome = core::JudgeOutcome::kBroken;
    bool may_retry = false;
    EndpointHealth health = EndpointHealth::kDown;
    std::optional<std::chrono::milliseconds> retry_after;  ///< delay that the endpoint requested
    std::string error;  ///< text for people, without secrets; empty if answered
};

/// One try of one question. The multi handle and the target must outlive it. Judge thread only.
class JudgeTransfer : private system::HttpReceiver {
public:
    using Instant = Clock::Steady::time_point;
    static constexpr int kSilencesMax = 12;  ///< longest try, as a multiple of Patience::silence

    struct Patience {
        /// Longest time without a byte, also before the first byte.
        std::chrono::milliseconds silence;
        std::chrono::milliseconds connect;
    };

    /// Adds the transfer; the next turn of the loop starts it.
    JudgeTransfer(CURLM* multi, const JudgeTarget& target, const JudgeJob& job, Patience patience);
    JudgeTransfer(const JudgeTransfer&) = delete;
    JudgeTransfer& operator=(const JudgeTransfer&) = delete;
    /// Aborts a transfer that is in progress, and closes its connection.
    ~JudgeTransfer() override = default;

    CURL* handle() const { return call_.handle(); }
    const JudgeStream& stream() const { return stream_; }
    std::optional<Instant> first_token() const { return first_token_; }

    /// Time at which the transfer times out unless a byte arrives; at most kSilencesMax silences
    /// after the start, since bytes that keep a connection alive may come without end.
    Instant silent_at() const;
    /// The result for libcurl's code.
    TryEnd ended(CURLcode code);
    /// The result when silent_at() has passed.
    TryEnd fell_silent() const;

private:
    bool take_header(std::string_view line) override;
    bool take_body(std::string_view bytes) override;
    TryEnd no_connection(CURLcode code) const;
    TryEnd broken(const std::string& why) const;
    TryEnd by_status(long status);

    const JudgeTarget& target_;
    Patience patience_;
    Instant began_;
    Instant last_byte_;
    std::optional<Instant> first_token_;
    std::string refusal_;  ///< start of the body of a reply with a status other than 200
    JudgeStream stream_;
    system::HttpCall call_;  ///< last member: destroyed before the members to which it writes
};

}  // namespace headway::server
