// SPDX-License-Identifier: Apache-2.0
#include "server/engine/hook_batch.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "core/hook_answer.hpp"
#include "core/text.hpp"

namespace headway::server {
namespace {

/// Tools of one agent whose calls have hooks of their own; agents have a few dozen.
constexpr std::size_t kToolsMax = 128;

bool knows(const std::vector<std::uint64_t>& digests, const std::string& text) {
    return std::find(digests.begin(), digests.end(), core::digest_of(text).low) != digests.end();
}

bool tells_anew(const Resident& resident, const core::ToolFinished& call, bool untold) {
    const HookMemory& memory = *resident.hooks;
    if (knows(memory.finished_calls, call.call_id)) return false;
    if (!untold) return true;
    return core::in_flight(resident.session.state(), call.call_id) ||
           knows(memory.announced_tools, call.tool);
}

}  // namespace

void note_announced_tool(Resident& resident, const std::string& tool) {
    if (tool.empty() || knows(resident.hooks->announced_tools, tool)) return;
    auto& known = resident.hooks.change().announced_tools;
    if (known.size() >= kToolsMax) known.erase(known.begin());
    known.push_back(core::digest_of(tool).low);
}

void settle_batch(Resident& resident, HookCommand& command) {
    std::vector<core::Event> kept;
    const auto& untold = command.untold;
    for (std::size_t place = 0; place < command.events.size(); ++place) {
        core::Event& event = command.events[place];
        const auto* call = std::get_if<core::ToolFinished>(&event.payload);
        const bool is_untold = std::find(untold.begin(), untold.end(), place) != untold.end();
        if (call == nullptr || tells_anew(resident, *call, is_untold))
            kept.push_back(std::move(event));
    }
    command.events = std::move(kept);
    if (!resident.hooks->finished_calls.empty()) resident.hooks.change().finished_calls.clear();
}

}  // namespace headway::server
