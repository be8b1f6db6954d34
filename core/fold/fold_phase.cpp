// SPDX-License-Identifier: Apache-2.0
#include "core/fold/fold_phase.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

std::string phase_text(const std::string& text) {
    const std::string_view cut = cut_text(text, limits::kPhaseTextBytesMax);
    HEADWAY_ASSERT(cut.size() <= limits::kPhaseTextBytesMax);
    return std::string{cut};
}

void close_phase(SessionState& state, std::optional<bool> ok, Timestamp at) {
    if (state.current_phase->name.empty()) return;
    state.current_phase.change().ended_at = at;
    state.current_phase.change().ok = ok;
    ++state.phase_totals.completed;
    if (state.past_phases.size() == limits::kPhasesMax) {
        state.past_phases.erase(state.past_phases.begin());
    }
    HEADWAY_ASSERT(!state.current_phase->name.empty());
    state.past_phases.push_back(std::move(state.current_phase.change()));
    HEADWAY_ASSERT(state.past_phases.size() <= limits::kPhasesMax);
    state.current_phase.reset();
}

}  // namespace

void begin_phase(SessionState& state, const PhaseStarted& phase, Timestamp at) {
    close_phase(state, std::nullopt, at);
    HEADWAY_ASSERT(state.current_phase->name.empty());
    state.current_phase.reset();
    PhaseRecord& begun = state.current_phase.change();
    begun.number = phase.number;
    begun.name = phase_text(phase.name);
    begun.description = phase_text(phase.description);
    begun.expected_ms = phase.expected_ms;
    begun.started_at = at;
    if (phase.total) state.phase_totals.total = *phase.total;
}

void complete_phase(SessionState& state, const PhaseCompleted& phase, Timestamp at) {
    PhaseRecord& current = state.current_phase.change();
    if (current.started_at == kNever) current.name = phase_text(phase.name);
    if (!current.number) current.number = phase.number;
    const std::size_t kept = std::min(phase.blockers.size(), limits::kBlockersMax);
    current.blockers.clear();
    for (std::size_t i = 0; i < kept; ++i)
        current.blockers.push_back(phase_text(phase.blockers[i]));
    HEADWAY_ASSERT(current.blockers.size() <= limits::kBlockersMax);
    close_phase(state, phase.ok, at);
    HEADWAY_ASSERT(state.current_phase->name.empty());
}

bool is_new_phase(RecentPhases& recent, const std::string& name) {
    const std::uint64_t digest = digest_of(name).low;
    auto& names = recent.names;
    if (std::find(names.begin(), names.end(), digest) != names.end()) return false;
    if (names.size() == RecentPhases::kMax) return false;
    names.push_back(digest);
    HEADWAY_ASSERT(names.size() <= RecentPhases::kMax);
    return true;
}

void forget_phases(RecentPhases& recent, const std::string& lasting) {
    recent.names.clear();
    if (!lasting.empty()) recent.names.push_back(digest_of(lasting).low);
    HEADWAY_ASSERT(recent.names.size() <= 1);
}

void enter_background(SessionState& state, const std::vector<std::string>& tasks) {
    if (tasks.empty()) return state.background.reset();
    Background& work = state.background.change();
    const std::size_t kept = std::min(tasks.size(), limits::kBackgroundTasksMax);
    work.tasks.clear();
    for (std::size_t i = 0; i < kept; ++i)
        work.tasks.push_back(phase_text(tasks[i]));
    work.more = tasks.size() - kept;
    HEADWAY_ASSERT(!work.tasks.empty() && work.tasks.size() <= limits::kBackgroundTasksMax);
}

void end_phase(SessionState& state, Timestamp at) {
    if (!state.current_phase->name.empty()) state.current_phase.change().ended_at = at;
}

bool model_thinks(const SessionState& state) {
    const std::string phase = lower(state.phase);
    // A message of the agent implies streaming as well, when it is over.
    const bool streams = state.agent_state == AgentState::kStreamingResponse &&
                         state.last_change == EventType::kStateChanged;
    return streams || state.agent_state == AgentState::kProcessingPrompt || phase == "reflection" ||
           phase == "planning";
}

}  // namespace headway::core
