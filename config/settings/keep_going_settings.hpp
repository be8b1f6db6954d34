// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace headway::config {

// The ranges of [keep_going], and of the options of `headway run` that have these names.

inline constexpr std::uint64_t kResumesMin = 1;
/// The largest value of max_resumes, which counts resumes in a row without progress, and also the
/// maximum number of all resumes of a run.
inline constexpr std::uint64_t kResumesMost = 50;
inline constexpr std::chrono::milliseconds kKeepGoingMin{std::chrono::seconds{1}};
inline constexpr std::chrono::milliseconds kKeepGoingMost{std::chrono::hours{24 * 3'650}};
/// The smallest margin: without one, an agent would be restarted without a pause.
inline constexpr std::chrono::milliseconds kMarginMin{100};
inline constexpr std::chrono::milliseconds kMarginMax{std::chrono::hours{1}};

/// How `headway run` keeps agents going. The daemon does not use it.
struct KeepGoingSettings {
    bool enabled = false;  ///< each run of an agent behaves as with --keep-going
    std::uint64_t max_resumes = 5;
    std::chrono::milliseconds until{std::chrono::hours{12}};
    std::chrono::milliseconds margin{std::chrono::minutes{1}};
};

}  // namespace headway::config
