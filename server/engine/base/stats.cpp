// SPDX-License-Identifier: Apache-2.0
#include "server/engine/base/stats.hpp"

namespace headway::server {

void count(EngineStats& stats, const core::Event& event) {
    if (std::holds_alternative<core::SessionStarted>(event.payload))
        ++stats.open[static_cast<std::size_t>(core::Verdict::kStarting)];
    if (const auto* change = std::get_if<core::VerdictChanged>(&event.payload)) {
        if (change->to != change->from) ++stats.verdicts[static_cast<std::size_t>(change->to)];
        std::uint64_t& before = stats.open[static_cast<std::size_t>(change->from)];
        if (before > 0) --before;
        if (!core::is_final(change->to)) ++stats.open[static_cast<std::size_t>(change->to)];
    }
    const auto* call = std::get_if<core::ToolFinished>(&event.payload);
    if (call == nullptr || call->ok) return;
    const core::FailureKind kind =
        call->fingerprint ? call->fingerprint->failure : core::FailureKind::kOther;
    ++stats.tool_failures[static_cast<std::size_t>(kind)];
}

}  // namespace headway::server
