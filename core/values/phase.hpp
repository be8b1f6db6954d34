// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/time.hpp"

namespace headway::core {

/// One phase of a task, with the work done in it.
struct PhaseRecord {
    std::optional<std::uint64_t> number;
    std::string name;
    std::string description;
    std::optional<std::uint64_t> expected_ms;
    Timestamp started_at = kNever;
    Timestamp ended_at = kNever;  ///< end of the phase; kNever while the phase is open
    std::uint64_t tool_calls = 0;
    std::uint64_t failures = 0;
    std::uint64_t files_changed = 0;  ///< number of times that a file got new content
    std::uint64_t tests_passed = 0;   ///< test runs without a failure
    std::optional<bool> ok;  ///< whether the phase succeeded, as reported at its completion
    std::vector<std::string> blockers;
    bool operator==(const PhaseRecord&) const = default;
    static constexpr auto fields() {
        using P = PhaseRecord;
        return field_list(
            field("number", &P::number), field("name", &P::name),
            field("description", &P::description), field("expected_ms", &P::expected_ms),
            field("started_at", &P::started_at), field("ended_at", &P::ended_at),
            field("tool_calls", &P::tool_calls), field("failures", &P::failures),
            field("files_changed", &P::files_changed), field("tests_passed", &P::tests_passed),
            field("ok", &P::ok), field("blockers", &P::blockers));
    }
};

/// Phases since the last hard progress or user message (docs/detection.md, section 7). Returning to
/// one of them is not counted as a new phase, so a loop that alternates between phases resets
/// no detector. After kMax names, no phase counts as new.
struct RecentPhases {
    static constexpr std::size_t kMax = 8;
    std::vector<std::uint64_t> names;  ///< digests, including the current phase
    std::uint64_t started_n = 0;       ///< number of the phase.started event of the last new phase;
                                       ///< 0 = none
    bool operator==(const RecentPhases&) const = default;
    static constexpr auto fields() {
        return field_list(field("names", &RecentPhases::names),
                          field("started_n", &RecentPhases::started_n));
    }
};

/// Totals of all phases, including those no longer kept.
struct PhaseTotals {
    std::uint64_t total = 0;  ///< phases of the task, as announced; 0 = unknown
    std::uint64_t completed = 0;
    std::uint64_t files_changed = 0;
    std::uint64_t tests_passed = 0;
    bool operator==(const PhaseTotals&) const = default;
    static constexpr auto fields() {
        using P = PhaseTotals;
        return field_list(field("total", &P::total), field("completed", &P::completed),
                          field("files_changed", &P::files_changed),
                          field("tests_passed", &P::tests_passed));
    }
};

}  // namespace headway::core
