// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/fields.hpp"
#include "core/text/text.hpp"

namespace headway::core {

/// Purpose of a call, judged by its name and its shell command. Values are stored: append only.
enum class CallKind : std::uint8_t {
    kOther,
    kRead,    ///< reads something: read, search, list
    kEdit,    ///< claims to change files or other state
    kVerify,  ///< tests, builds, linters: the result measures the work
    kPoll,    ///< asks for the status of something that runs elsewhere
    kSleep,   ///< only waits for a time
    kPlan,    ///< plans, to-do lists, thoughts: never progress by itself
    kCommit,  ///< moves the head of a version control branch
};
template <>
struct EnumNames<CallKind> {
    static constexpr std::array<std::string_view, 8> kNames{"other", "read",  "edit", "verify",
                                                            "poll",  "sleep", "plan", "commit"};
};

/// Why a call failed (docs/detection.md, section 9). Values are stored: append only.
enum class FailureKind : std::uint8_t {
    kNone,
    kOther,
    kTransient,    ///< rate limits, overload, 5xx, connections refused or reset
    kAuth,         ///< 401, 403, credentials, permissions
    kUnknownTool,  ///< the tool does not exist or is not available
    kNotFound,
    kMismatch,   ///< the text to replace does not exist
    kAssertion,  ///< failed tests, compiler and linter errors
    kTruncated,  ///< the model's turn was cut, empty or could not be parsed
    kContext,    ///< the prompt did not fit the model's window
    kRefused,    ///< the model's API rejected the request as such: 400, 404, 422
    kTimeout,    ///< a tool was stopped by its own limit
    kNetwork,    ///< a tool could not reach its target
};
template <>
struct EnumNames<FailureKind> {
    static constexpr std::array<std::string_view, 13> kNames{
        "none",      "other",     "transient", "auth",    "unknown_tool", "not_found", "mismatch",
        "assertion", "truncated", "context",   "refused", "timeout",      "network"};
};

/// Further properties of a call and its answer. Bits of CallFingerprint::shape; stored: append
/// only.
enum class Shape : std::uint32_t {
    kSilent = 1U << 0,  ///< the call failed without output: this is the answer "no", not a failure
    kAcknowledged = 1U << 1,  ///< the short answer only confirms the action
    kActs = 1U << 2,          ///< acts on a screen, page or game; only another call shows the
                              ///< effect
    kLooks = 1U << 3,         ///< a shell command that only queries a state
    kSleeps = 1U << 4,        ///< a shell command that sleeps before it does more
    kCosmetic = 1U << 5,      ///< an edit that changes only comments and white space
    kRestores = 1U << 6,      ///< restores files from version control
    kNothing = 1U << 7,       ///< has no effect: touch, an empty commit
    kWhole = 1U << 8,         ///< writes a whole file, not a part of one
    kGuard = 1U << 9,         ///< a shell command that starts with a test: test, which, grep -q
    kOver = 1U << 10,         ///< the answer names a final state that no waiting changes: cancelled
    kBusy = 1U << 11,         ///< the answer reports a busy resource: a lock, a rate limit
    kCommand = 1U << 12,      ///< a shell command
    kRests = 1U << 13,        ///< a shell command that first sleeps for at least 10 s
    kBlind = 1U << 14,        ///< an edit that names only its file: its content is unknown
    kPauses = 1U << 15,       ///< waits for a time and then queries: a long poll, a wait in a game
    kNothingYet = 1U << 16,   ///< the answer is empty, or reports that nothing has arrived
    kMoves = 1U << 17,        ///< a step in a game whose one-line answer shows no position
    kAbsent = 1U << 18,       ///< a probe of a target that is not there: ping, a page that is
                              ///< missing or refused
    kPasses = 1U << 19,       ///< a check that passes: its answer reports that all is well
    kAnswered = 1U << 20,     ///< a search that failed in part, but found something: find, grep
    /// A step relative to the present place of a machine or in a list: jog, next.
    kSteps = 1U << 21,
    kReplaces = 1U << 22,  ///< an edit that replaces existing text
};

/// The value of CallFingerprint::path for a query of all changes, such as git diff.
inline constexpr std::uint64_t kAllChanges = 1;

/// The fingerprint of a finished tool call (docs/detection.md, section 2). The decoder computes it
/// once, and it is stored with the event, so that a replay compares the same values. 64-bit members
/// are the low halves of 128-bit digests; 0 = none.
struct CallFingerprint {
    Digest question;                ///< tool and canonical arguments
    Digest outcome;                 ///< canonical result or error, and success
    std::uint64_t raw_outcome = 0;  ///< the outcome before masking
    std::uint64_t diagnostic = 0;   ///< kind and first diagnostic line of a failure or a failed
                                    ///< test run
    std::uint64_t content = 0;      ///< content written by an edit that reports no digest
    /// The path that the call names, or the target that it probes; 0 = none.
    std::uint64_t path = 0;
    CallKind kind = CallKind::kOther;
    FailureKind failure = FailureKind::kNone;
    bool typed_failure = false;  ///< the client reported the kind of failure; it was not read from
                                 ///< the message
    bool trivial = false;        ///< an empty result or a bare acknowledgement: no information
    bool running = false;        ///< the result reports that something is still running
    bool measured = false;  ///< the timings in the result are the answer, so they are not masked
    /// Failed tests and errors that a verifying call counted.
    std::optional<std::uint64_t> failing;
    std::uint64_t result_bytes = 0;
    /// The SHA-256 of the exact arguments, in two halves (args_of()). Approvals identify a call by
    /// this digest. Unlike in `question`, nothing is masked. Zero = unknown.
    Digest args_start;
    Digest args_end;
    std::uint32_t shape = 0;  ///< bits of Shape
    /// Digest of the answer's words, whatever their order; for a failure, without the words of the
    /// call. Lists that differ only in order have equal digests, and so have equal errors about
    /// different names. 0 = none: the answer has too few words or is too long, or calls of this
    /// kind get no such digest.
    std::uint64_t kin = 0;
    /// Digest of the call's action, without counters of attempts and words for people; the low half
    /// of `question` if nothing is left out. 0 = the call did nothing, failed, or may only have
    /// queried a state.
    std::uint64_t deed = 0;

    bool is(Shape one) const { return (shape & static_cast<std::uint32_t>(one)) != 0; }
    void set(Shape one, bool value) {
        if (value) shape |= static_cast<std::uint32_t>(one);
    }
    /// True if the call alone is not evidence of a loop: a guard that failed without output, an
    /// action that was only acknowledged, or an edit with unknown content.
    bool weak() const {
        return (is(Shape::kSilent) && is(Shape::kGuard)) ||
               (is(Shape::kActs) && is(Shape::kAcknowledged)) || is(Shape::kBlind);
    }

    bool operator==(const CallFingerprint&) const = default;
    static constexpr auto fields() {
        using P = CallFingerprint;
        return field_list(
            field("question", &P::question), field("outcome", &P::outcome),
            field("raw_outcome", &P::raw_outcome), field("diagnostic", &P::diagnostic),
            field("content", &P::content), field("path", &P::path), field("kind", &P::kind),
            field("failure", &P::failure), field("typed_failure", &P::typed_failure),
            field("trivial", &P::trivial), field("running", &P::running),
            field("measured", &P::measured), field("failing", &P::failing),
            field("result_bytes", &P::result_bytes), field("args_start", &P::args_start),
            field("args_end", &P::args_end), field("shape", &P::shape), field("kin", &P::kin),
            field("deed", &P::deed));
    }
};

}  // namespace headway::core
