// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/sub_agents/sub_agents.hpp"

#include <algorithm>

#include "cli/base/text.hpp"
#include "core/calls/tool_class.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kSubAgentIdBytesMax = 100;
constexpr std::size_t kSubAgentTypeBytesMax = 128;
constexpr std::size_t kSubAgentWordsMax = 400;

std::string begin_of(std::string_view text, std::size_t bytes_max) {
    return std::string(cut_bytes(text, bytes_max));
}

/// A tool that starts a sub-agent, or a skill, which may be one.
bool launches_sub_agent(std::string_view tool) {
    return core::class_of_tool(tool) == "class:agent" || tool == "Skill" || tool == "skill";
}

std::string first_text_of(const Json& args, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (!args.text_of(name).empty()) return args.text_of(name);
    }
    return {};
}

}  // namespace

SubAgents::Launch* SubAgents::find(std::string_view name) {
    if (name.empty()) return nullptr;
    const auto newest = std::find_if(
        launches_.rbegin(), launches_.rend(),
        [name](const Launch& launch) { return launch.call == name || launch.task == name; });
    return newest == launches_.rend() ? nullptr : &*newest;
}

/// Null: there is no room, for all of them are at work.
SubAgents::Launch* SubAgents::add(const std::string& call) {
    if (launches_.size() >= kLaunchesMax) {
        const auto spare = std::find_if(launches_.begin(), launches_.end(), [](const Launch& one) {
            return one.ended || one.by == nullptr;
        });
        if (spare == launches_.end()) return nullptr;
        launches_.erase(spare);
    }
    return &launches_.emplace_back(Launch{call});
}

void SubAgents::note_started(const Json& call) {
    if (!launches_sub_agent(call.text_of("tool"))) return;
    const std::string id = begin_of(call.text_of("call_id"), kSubAgentIdBytesMax);
    if (id.empty()) return;
    Launch* launch = find(id);
    // The line of a task may come before that of its call.
    if (launch == nullptr || launch->ended || !launch->goal.empty()) launch = add(id);
    if (launch == nullptr) return;
    const Json& args = call["args"];
    launch->type =
        begin_of(first_text_of(args, {"subagent_type", "agent_type"}), kSubAgentTypeBytesMax);
    launch->goal = begin_of(first_text_of(args, {"description", "prompt", "task", "skill", "name"}),
                            kSubAgentWordsMax);
    launch->goes_on = launch->goes_on || args.flag_of("run_in_background");
}

void SubAgents::note_task(const Task& task) {
    if (task.id.empty()) return;
    const std::string call = begin_of(task.call.empty() ? task.id : task.call, kSubAgentIdBytesMax);
    Launch* launch = find(call);
    if (launch == nullptr || launch->ended) launch = add(call);
    if (launch == nullptr) return;
    launch->task = begin_of(task.id, kSubAgentIdBytesMax);
    launch->goes_on = launch->goes_on || task.goes_on;
}

SubAgents::Speaker SubAgents::speaker(const std::string& call, const std::string& id,
                                      const std::string& agent) {
    const std::string name = begin_of(call, kSubAgentIdBytesMax);
    Launch* const launch = find(name);
    if (launch == nullptr) return {};
    if (launch->ended) return {nullptr, true};
    if (launch->by == nullptr) {
        if (all_ >= kAllMax) return {nullptr, true};
        ++all_;
        const std::string own = begin_of(id.empty() ? launch->task : id, kSubAgentIdBytesMax);
        launch->by = std::make_shared<SubAgent>(
            SubAgent{own.empty() ? name : own, name, agent, launch->type, launch->goal});
    }
    return {launch->by, true};
}

SubAgents::End SubAgents::end(Launch& launch, std::string_view outcome, std::string_view reason) {
    launch.ended = true;
    Json data = {{"outcome", std::string(outcome)}};
    if (!reason.empty()) data["reason"] = begin_of(reason, kSubAgentWordsMax);
    return {launch.by, std::move(data)};
}

std::vector<SubAgents::End> SubAgents::end_of_call(const Json& call) {
    Launch* const launch = find(begin_of(call.text_of("call_id"), kSubAgentIdBytesMax));
    // One without a word so far may work on in the background.
    if (launch == nullptr || launch->ended || launch->goes_on || launch->by == nullptr) return {};
    if (call.flag_of("ok")) return {end(*launch, "completed", {})};
    const Json& error = call["error"];
    const std::string& kind = error.text_of("class");
    const bool cancelled = kind == "denied" || kind == "cancelled";
    return {end(*launch, cancelled ? "cancelled" : "failed", error.text_of("message"))};
}

std::vector<SubAgents::End> SubAgents::end_of_task(const std::string& name, bool cut_off,
                                                   std::string_view failed) {
    Launch* const launch = find(begin_of(name, kSubAgentIdBytesMax));
    if (launch == nullptr || launch->ended || launch->by == nullptr) return {};
    if (cut_off) return {end(*launch, "cancelled", "it was stopped")};
    return {end(*launch, failed.empty() ? "completed" : "failed", failed)};
}

std::vector<SubAgents::End> SubAgents::end_all() {
    std::vector<End> ends;
    for (Launch& launch : launches_) {
        if (launch.ended || launch.by == nullptr) continue;
        ends.push_back(end(launch, "cancelled", "its agent ended before it"));
    }
    launches_.clear();
    return ends;
}

}  // namespace headway::cli
