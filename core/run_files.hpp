// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/event.hpp"
#include "core/run_payloads.hpp"

namespace headway::core {

/// The contents that the sessions of each run have given to files, to see what no session sees
/// alone: two of them that take back each other's work (detection.md D23). A run is a session with
/// all that it opened, directly or not. What comes of it is an event in a journal, so that replay
/// does not need this. At most limits::kRunFilesMax paths of all runs; the oldest give way. A plain
/// value; one owner.
class RunFiles {
public:
    /// Takes a finished call of `session` in `run`. When it put back a content that another session
    /// of the run had replaced, and they have been at it for kRunConflictReversals in a row, says
    /// so. Contents that the run has not seen before end the count.
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
        std::vector<std::pair<std::string, std::uint64_t>> by;  ///< session and event of each
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
    std::deque<std::uint64_t> order_;  ///< of trails_, the oldest first
};

/// So many reversals in a row are worth an event; fewer happen when two work on one file.
inline constexpr std::uint64_t kRunConflictReversals = 3;

}  // namespace headway::core
