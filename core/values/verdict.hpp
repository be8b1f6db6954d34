// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/time.hpp"
#include "core/values/cause.hpp"

namespace headway::core {

/// Headway's judgement of a session (docs/detection.md, section 6). Values are stored: append only.
enum class Verdict : std::uint8_t {
    kStarting,
    kProgressing,
    kExploring,
    kSlow,
    kWaiting,
    kBlocked,
    kSuspect,
    kStuck,
    kSilent,
    kCompleted,
    kFailed,
    kCancelled,
    kHalted,
};

template <>
struct EnumNames<Verdict> {
    static constexpr std::array<std::string_view, 13> kNames{
        "starting", "progressing", "exploring", "slow",   "waiting",   "blocked", "suspect",
        "stuck",    "silent",      "completed", "failed", "cancelled", "halted"};
};

inline constexpr std::size_t kVerdictCount = EnumNames<Verdict>::kNames.size();

/// True for a verdict of an ended session, which takes no further events.
constexpr bool is_final(Verdict verdict) {
    return verdict >= Verdict::kCompleted;
}

/// A verdict with its reason and evidence. Immutable and shared by pointer, because each report
/// makes a new view, and every view refers to a judgement.
struct Judgement {
    Verdict verdict = Verdict::kStarting;
    std::string reason;    ///< one sentence for people; may be empty while starting
    std::string detector;  ///< the rule that caused the verdict, or empty
    /// Event numbers that support the verdict, at most limits::kEvidenceMax.
    std::vector<std::uint64_t> evidence;
    Timestamp since = kNever;
    std::vector<std::string> detectors;  ///< all detectors with a claim, `detector` first
    double confidence = 0;               ///< confidence in a suspicion or a worse verdict, 0 to 1
    std::string loop;                    ///< 16 hexadecimal digits, or empty
    /// A person should look. With `waiting`: the external thing that the agent waits for has not
    /// changed for a long time. With `blocked`: a provider's failure lasts although such failures
    /// usually pass by themselves.
    bool needs_somebody = false;
    Cause cause = Cause::kNone;  ///< the cause of `blocked`
    /// With `blocked`: when the provider will accept requests again, if reported; kNever = unknown.
    Timestamp retry_at = kNever;

    bool operator==(const Judgement&) const = default;
    static constexpr auto fields() {
        return field_list(
            field("status", &Judgement::verdict), field("reason", &Judgement::reason),
            field("detector", &Judgement::detector), field("evidence", &Judgement::evidence),
            field("since", &Judgement::since), field("detectors", &Judgement::detectors),
            field("confidence", &Judgement::confidence), field("loop", &Judgement::loop),
            field("needs_somebody", &Judgement::needs_somebody), field("cause", &Judgement::cause),
            field("retry_at", &Judgement::retry_at));
    }
};

using JudgementPtr = std::shared_ptr<const Judgement>;

}  // namespace headway::core
