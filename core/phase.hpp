// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.hpp"
#include "core/time.hpp"

namespace headway::core {

/// One phase of a task and what was done in it (first design "PhaseContext").
struct PhaseRecord {
    std::optional<std::uint64_t> number;
    std::string name;
    std::string description;
    std::optional<std::uint64_t> expected_ms;
    Timestamp started_at = kNever;
    Timestamp ended_at = kNever;  ///< kNever while it lasts
    std::uint64_t tool_calls = 0;
    std::uint64_t failures = 0;
    std::uint64_t files_changed = 0;  ///< times that a path reached a new content
    std::uint64_t tests_passed = 0;   ///< test runs without a failure
    std::optional<bool> ok;           ///< as whoever completed it said
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

/// Names of phases since something was proven or the user spoke: to come back to one of them, as a
/// loop that only renames what it does would, is no new phase. After kMax names none is new.
struct RecentPhases {
    static constexpr std::size_t kMax = 8;
    std::vector<std::uint64_t> names;  ///< digests, the phase that lasts included
    std::uint64_t started_n = 0;       ///< the last phase.started that was new; 0 = none
    bool operator==(const RecentPhases&) const = default;
    static constexpr auto fields() {
        return field_list(field("names", &RecentPhases::names),
                          field("started_n", &RecentPhases::started_n));
    }
};

/// Over all phases, also those too old to be kept.
struct PhaseTotals {
    std::uint64_t total = 0;  ///< phases of the task, as announced; 0 = nobody said
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
