// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/fields.hpp"
#include "core/text.hpp"

namespace headway::core {

/// What a call is for, as far as its name and its shell command tell. Values are stored: append
/// only.
enum class CallKind : std::uint8_t {
    kOther,
    kRead,    ///< looks at something: read, search, list
    kEdit,    ///< claims to change files or other state
    kVerify,  ///< tests, builds, linters: its result measures the work
    kPoll,    ///< asks how something that runs elsewhere is doing
    kSleep,   ///< does nothing but let time pass
    kPlan,    ///< plans, to-do lists, thoughts: never progress by itself
    kCommit,  ///< moves the head of version control
};
template <>
struct EnumNames<CallKind> {
    static constexpr std::array<std::string_view, 8> kNames{"other", "read",  "edit", "verify",
                                                            "poll",  "sleep", "plan", "commit"};
};

/// Why a call failed (detection.md 2.1 err*). Values are stored: append only.
enum class FailureKind : std::uint8_t {
    kNone,
    kOther,
    kTransient,    ///< rate limits, overload, 5xx, connections refused or reset
    kAuth,         ///< 401, 403, credentials, permissions
    kUnknownTool,  ///< the tool does not exist or is not available
    kNotFound,
    kMismatch,   ///< what was to be replaced is not there
    kAssertion,  ///< red tests, compiler and linter errors
    kTruncated,  ///< the model's turn was cut, empty or could not be parsed
    kContext,    ///< the prompt did not fit the model's window
    kRefused,    ///< the model's API refused the request itself: 400, 404, 422
    kTimeout,    ///< a tool was cut off by its own limit
    kNetwork,    ///< a tool did not reach what it was sent to
};
template <>
struct EnumNames<FailureKind> {
    static constexpr std::array<std::string_view, 13> kNames{
        "none",      "other",     "transient", "auth",    "unknown_tool", "not_found", "mismatch",
        "assertion", "truncated", "context",   "refused", "timeout",      "network"};
};

/// What the rules compare of a finished tool call: made once, where the JSON is, and stored with
/// the event, so that a replay compares what the session was judged by. 64-bit members are the low
/// halves of 128-bit digests; 0 = there is none.
struct CallPrint {
    Digest question;                ///< tool and canonical arguments
    Digest outcome;                 ///< canonical result or error, and whether it went well
    std::uint64_t raw_outcome = 0;  ///< the same before anything volatile was masked
    std::uint64_t diagnostic = 0;   ///< kind and first diagnostic line of a failure or a red run
    std::uint64_t content = 0;      ///< of an edit that names no digest: what it writes
    std::uint64_t path = 0;         ///< of what the call touches, when it names one
    CallKind kind = CallKind::kOther;
    FailureKind failure = FailureKind::kNone;
    bool typed_failure = false;  ///< the client said so; else read from the message
    bool trivial = false;        ///< an empty result or a bare acknowledgement: tells nothing
    bool running = false;        ///< the result says that something is still under way
    bool measured = false;       ///< timings are the answer, so they are not volatile
    std::optional<std::uint64_t> failing;  ///< tests and errors that a verifying call counted
    std::uint64_t result_bytes = 0;
    /// The two halves of the SHA-256 of the exact arguments, by which approvals know a call
    /// (args_of()). Nothing is masked in it, as it is in `question`. Zero in prints from before and
    /// where no approval is near.
    Digest args_start;
    Digest args_end;

    bool operator==(const CallPrint&) const = default;
    static constexpr auto fields() {
        using P = CallPrint;
        return field_list(field("question", &P::question), field("outcome", &P::outcome),
                          field("raw_outcome", &P::raw_outcome),
                          field("diagnostic", &P::diagnostic), field("content", &P::content),
                          field("path", &P::path), field("kind", &P::kind),
                          field("failure", &P::failure), field("typed_failure", &P::typed_failure),
                          field("trivial", &P::trivial), field("running", &P::running),
                          field("measured", &P::measured), field("failing", &P::failing),
                          field("result_bytes", &P::result_bytes),
                          field("args_start", &P::args_start), field("args_end", &P::args_end));
    }
};

}  // namespace headway::core
