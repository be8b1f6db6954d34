// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headway::cli {

/// Finds reports of history that a fork or a resumed conversation has copied from one stored
/// session to another. A copied line has the time of the original, so it makes the same report.
/// Memory: a few megabytes. Pure.
class CopiedReports {
public:
    /// Number of newest reports that are remembered. A fork copies a conversation that is or was
    /// recently active: a few thousand reports.
    static constexpr std::size_t kRemembered = 65'536;

    /// Drops, from the `reports` of the stored session `id`, those that another stored session has
    /// made before, and remembers the others. `in_copy`: whether the session's report before these
    /// was a copy; at first true. Token use has no time of its own, so it is a copy only after
    /// another copy.
    void drop(std::string_view id, std::vector<std::string>& reports, bool& in_copy);

private:
    std::unordered_map<std::uint64_t, std::uint64_t> makers_;  ///< digest of the id by report
    std::deque<std::uint64_t> order_;                          ///< keys of `makers_`, oldest first
};

}  // namespace headway::cli
