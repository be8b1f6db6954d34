// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/events/event.hpp"
#include "core/events/run_payloads.hpp"

namespace headway::core {

/// The contents that the sessions of each run have written to files, kept to find two sessions that
/// revert each other's work (docs/detection.md, section 5). A run is a session with all its
/// descendants. Findings become journal events, so replay does not need this object. At most
/// limits::kRunFilesMax paths over all runs; the oldest are dropped. A plain value with one owner.
class RunFiles {
public:
    /// Observes a finished call of `session` in `run`. A reversal is a call that restores content
    /// that another session of the run had replaced. Returns a conflict from the
    /// kRunConflictReversals-th consecutive reversal on. Content new to the run resets the count.
    std::optional<RunConflict> observe(std::string_view run, std::string_view session,
                                       const Event& event);

    void clear();
    std::size_t size() const noexcept { return trails_.size(); }

private:
    struct Content {
        std::uint64_t digest = 0;
        std::string session;
    };
    struct Trail {
        std::vector<Content> contents;  ///< the newest last, at most limits::kRunContentsMax
        std::uint64_t reversals = 0;
        /// The session and the event of each reversal.
        std::vector<std::pair<std::string, std::uint64_t>> by;
    };
    struct Write {
        std::uint64_t path = 0;
        std::uint64_t digest = 0;
        std::string_view name;
    };

    static std::vector<Write> writes_of(const ToolFinished& call);
    Trail& trail_of(std::uint64_t key);
    std::optional<RunConflict> put(const Write& write, std::string_view run,
                                   std::string_view session, std::uint64_t n);

    std::unordered_map<std::uint64_t, Trail> trails_;
    std::deque<std::uint64_t> order_;  ///< keys of trails_, the oldest first
};

/// Number of consecutive reversals that causes an event. Fewer reversals also occur if two sessions
/// only edit the same file.
inline constexpr std::uint64_t kRunConflictReversals = 3;

}  // namespace headway::core
