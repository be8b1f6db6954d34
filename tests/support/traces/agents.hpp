// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/support/traces/trace.hpp"

// Honest models of agents that get somewhere. They do not repeat a question whose answer they just
// got, except for the reasons that real ones have: to see what an edit left, to check a flaky test,
// to look up what was read long ago.

namespace headway::tests {

enum class Personality : std::uint8_t {
    kRefactorer,
    kBugHunter,
    kResearcher,
    kOps,
    kShellOnly,
    kAcknowledged,  ///< tools that say "ok" and lookups that find nothing
    kService,       ///< customers, orders, refunds
};
inline constexpr std::size_t kPersonalities = 7;
inline constexpr std::array<std::string_view, kPersonalities> kPersonalityNames{
    "refactorer", "bug hunter", "researcher", "ops", "shell only", "acknowledged", "service"};

/// Works until the recorder has `calls` calls, or a few more.
void work(Personality who, Gen& gen, Recorder& recorder, std::size_t calls);

/// A productive trace of about `calls` calls; the same work with other volatile values for another
/// `noise`.
Trace productive_trace(Personality who, std::uint64_t seed, std::size_t calls, std::uint64_t noise);

// By file: what programmers do, and what the others do.
void work_as_programmer(Personality who, Gen& gen, Recorder& recorder, std::size_t calls);
void work_as_clerk(Personality who, Gen& gen, Recorder& recorder, std::size_t calls);

}  // namespace headway::tests
