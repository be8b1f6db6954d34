// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/sketch.hpp"
#include "core/base/time.hpp"
#include "core/events/event.hpp"

namespace headway::core {

/// Durations of the calls of one running session, by tool. When the session ends, they are added to
/// the expectations. They are not part of the fold and kept only in memory: a restart of the daemon
/// loses them, so only calls after the last restart are counted. The class is bounded and reads no
/// clock.
class CallTimes {
public:
    struct Tool {
        std::string name;
        Samples samples;
    };

    /// True if note() may change anything.
    static bool notes(const Event& event) noexcept {
        return std::holds_alternative<ToolStarted>(event.payload) ||
               std::holds_alternative<ToolFinished>(event.payload) ||
               std::holds_alternative<ApprovalRequested>(event.payload) || pauses(event);
    }
    /// Notes the start or the end of a call; other events change nothing. A call's duration is its
    /// `duration_ms`, else the time from its start to its end. A call without `duration_ms` is left
    /// out if a person was asked or paused the session while it ran.
    void note(const Event& event);

    /// The tools in the order of their first calls, at most limits::kExpectedToolsMax; further
    /// tools are left out.
    const std::vector<Tool>& tools() const noexcept { return tools_; }
    /// Approximate heap memory.
    std::size_t bytes() const noexcept;

private:
    struct Started {
        std::uint64_t call = 0;  ///< digest of the call's id
        Timestamp at = kNever;
    };

    static bool pauses(const Event& event) noexcept {
        const auto* directive = std::get_if<DirectiveIssued>(&event.payload);
        return directive != nullptr && directive->kind == DirectiveKind::kPause;
    }
    void begin(const ToolStarted& call, Timestamp at);
    void forget(const ApprovalRequested& asked);
    void end(const ToolFinished& call, Timestamp at);

    std::vector<Tool> tools_;
    std::vector<Started> started_;  ///< oldest first, at most limits::kInFlightMax
};

/// True if expectations are kept for a tool or an agent type of this name. Names are limited
/// because agents choose them and each becomes a key on disk.
bool is_expected_name(std::string_view name) noexcept;

}  // namespace headway::core
