// SPDX-License-Identifier: Apache-2.0
#include "core/meters/call_times.hpp"

#include <algorithm>
#include <optional>
#include <variant>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"

namespace headway::core {

void CallTimes::note(const Event& event) {
    if (const auto* started = std::get_if<ToolStarted>(&event.payload)) begin(*started, event.at);
    if (const auto* finished = std::get_if<ToolFinished>(&event.payload)) end(*finished, event.at);
    if (const auto* asked = std::get_if<ApprovalRequested>(&event.payload)) forget(*asked);
    if (pauses(event)) started_.clear();
}

/// Whatever it takes from here on may be a person's time. A request that names no call may belong
/// to any.
void CallTimes::forget(const ApprovalRequested& asked) {
    if (asked.call_id.empty()) return started_.clear();
    const std::uint64_t id = digest_of(asked.call_id).low;
    std::erase_if(started_, [id](const Started& one) { return one.call == id; });
}

void CallTimes::begin(const ToolStarted& call, Timestamp at) {
    // The time until a person decides is not the tool's.
    if (call.call_id.empty() || call.requires_approval) return;
    if (started_.size() == limits::kInFlightMax) started_.erase(started_.begin());
    started_.push_back({digest_of(call.call_id).low, at});
    HEADWAY_ASSERT(started_.size() <= limits::kInFlightMax);
}

void CallTimes::end(const ToolFinished& call, Timestamp at) {
    std::optional<std::uint64_t> lasted = call.duration_ms;
    if (!call.call_id.empty()) {
        const std::uint64_t id = digest_of(call.call_id).low;
        const auto started = std::find_if(started_.begin(), started_.end(),
                                          [id](const Started& one) { return one.call == id; });
        if (started != started_.end()) {
            const Millis span = std::max(at - started->at, Millis{0});
            if (!lasted) lasted = static_cast<std::uint64_t>(span.count());
            started_.erase(started);
        }
    }
    if (!lasted || call.tool.empty() || !is_expected_name(call.tool)) return;
    auto tool = std::find_if(tools_.begin(), tools_.end(),
                             [&call](const Tool& one) { return one.name == call.tool; });
    if (tool == tools_.end()) {
        if (tools_.size() == limits::kExpectedToolsMax) return;
        tool = tools_.insert(tools_.end(), Tool{call.tool, {}});
    }
    tool->samples.add(*lasted);
    HEADWAY_ASSERT(!tool->samples.counts.empty() && tools_.size() <= limits::kExpectedToolsMax);
}

std::size_t CallTimes::bytes() const noexcept {
    std::size_t bytes = tools_.capacity() * sizeof(Tool) + started_.capacity() * sizeof(Started);
    for (const Tool& tool : tools_)
        bytes += tool.name.capacity() + tool.samples.counts.capacity() * sizeof(SketchBucket);
    return bytes;
}

bool is_expected_name(std::string_view name) noexcept {
    return name.size() <= limits::kExpectedNameBytesMax;
}

}  // namespace headway::core
