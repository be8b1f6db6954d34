// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fields.hpp"
#include "core/events/event_type.hpp"
#include "core/text/text.hpp"

// Events about questions to a judge, a language model outside the session (api/API.md, "The
// judge"). The rules of session_payloads.hpp apply. Answers are a closed enumeration, and no answer
// can decide an approval, or open or end a session.

namespace headway::core {

/// Why a judge was asked.
enum class CheckCause : std::uint8_t {
    kAsked,    ///< a client asked: POST /check-status
    kSuspect,  ///< the verdict was `suspect`
    kAudit,    ///< many rounds passed without hard progress and without a suspicion
               ///< (docs/detection.md, section 10)
    kConfirm,  ///< another judge answered B; this is the second opinion
    kStop,     ///< the policy requires confirmation before a stop
};

template <>
struct EnumNames<CheckCause> {
    static constexpr std::array<std::string_view, 5> kNames{"asked", "suspect", "audit", "confirm",
                                                            "stop"};
};

/// Answers to a status check: the letters A to D of the judge's prompt.
enum class CheckAnswer : std::uint8_t { kProgressing, kLooping, kBlocked, kFailed };

template <>
struct EnumNames<CheckAnswer> {
    static constexpr std::array<std::string_view, 4> kNames{"progressing", "looping", "blocked",
                                                            "failed"};
};

constexpr char letter_of(CheckAnswer answer) {
    return static_cast<char>('A' + static_cast<int>(answer));
}

/// Outcome of a question to a judge. Only kAnswered can change a verdict.
enum class JudgeOutcome : std::uint8_t {
    kAnswered,
    kDiscarded,    ///< the answer was invalid, see read_status_answer()
    kUnreachable,  ///< no connection, or an untrusted TLS peer, after all retries
    kRefused,      ///< HTTP 4xx except 429: the key, the model or the request is wrong; not retried
    kFailing,      ///< HTTP 429 or 5xx after all retries
    kBroken,       ///< the connection was lost or fell silent before the end of the answer
    kOversized,    ///< the answer was too long
    kUnavailable,  ///< not asked: the circuit breaker was open, the queue was full, or there was no
                   ///< judge
    kCancelled,    ///< the session ended, or the daemon stopped
};

template <>
struct EnumNames<JudgeOutcome> {
    static constexpr std::array<std::string_view, 9> kNames{
        "answered", "discarded", "unreachable", "refused",  "failing",
        "broken",   "oversized", "unavailable", "cancelled"};
};

/// Time, tokens and cost of one question. Tokens that the endpoint does not report are 0.
struct JudgeUse {
    /// Time from the question to the end of the answer, with retries.
    std::uint64_t elapsed_ms = 0;
    /// Time from the question to the first token; 0 = no token received.
    std::uint64_t first_token_ms = 0;
    std::uint64_t prompt_tokens = 0;
    std::uint64_t completion_tokens = 0;
    double cost_usd = 0;  ///< cost computed from the configured prices
    std::uint64_t tries = 0;
    bool operator==(const JudgeUse&) const = default;
    static constexpr auto fields() {
        return field_list(field("elapsed_ms", &JudgeUse::elapsed_ms),
                          field("first_token_ms", &JudgeUse::first_token_ms),
                          field("prompt_tokens", &JudgeUse::prompt_tokens),
                          field("completion_tokens", &JudgeUse::completion_tokens),
                          field("cost_usd", &JudgeUse::cost_usd), field("tries", &JudgeUse::tries));
    }
};

/// A status check is under way.
struct CheckRequested {
    static constexpr EventType kType = EventType::kCheckRequested;
    std::string check_id;  ///< the client's id, or `<session>.c<n>`
    CheckCause cause = CheckCause::kAsked;
    std::string judge;    ///< the judge's name in the configuration
    std::string by;       ///< the requester, if known
    std::string confirm;  ///< endpoint that gives the second opinion after an answer B, or empty
    bool operator==(const CheckRequested&) const = default;
    static constexpr auto fields() {
        return field_list(field("check_id", &CheckRequested::check_id),
                          field("cause", &CheckRequested::cause),
                          field("judge", &CheckRequested::judge), field("by", &CheckRequested::by),
                          field("confirm", &CheckRequested::confirm));
    }
};

/// A status check has ended, with or without an answer.
struct CheckCompleted {
    static constexpr EventType kType = EventType::kCheckCompleted;
    std::string check_id;
    JudgeOutcome outcome = JudgeOutcome::kAnswered;
    std::optional<CheckAnswer> answer;    ///< the judge's answer; only with kAnswered
    Text reason;                          ///< the judge's words, for people only
    std::vector<std::uint64_t> evidence;  ///< existing events of the session that support the
                                          ///< answer
    double confidence = 0;                ///< 0 to 1
    std::string error;                    ///< why there is no answer
    std::string judge;                    ///< the judge's name in the configuration
    std::string model;
    JudgeUse use;
    bool operator==(const CheckCompleted&) const = default;
    static constexpr auto fields() {
        using C = CheckCompleted;
        return field_list(field("check_id", &C::check_id), field("outcome", &C::outcome),
                          field("answer", &C::answer), field("reason", &C::reason),
                          field("evidence", &C::evidence), field("confidence", &C::confidence),
                          field("error", &C::error), field("judge", &C::judge),
                          field("model", &C::model), field("use", &C::use));
    }
};

}  // namespace headway::core
