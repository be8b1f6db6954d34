// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/texts/background.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "api/hooks/read.hpp"
#include "api/json/canonical_json.hpp"
#include "core/base/limits.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"

namespace headway::api::hooks {
namespace {

constexpr std::size_t kNameBytesMax = 200;
constexpr std::size_t kWakePromptsMax = 32;  ///< timers of one session

/// Claude Code's labels of tasks, and ours.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kSorts{
    {{"subagent", "agent"}, {"local_agent", "agent"}, {"local_bash", "shell"}}};

bool is_over(JsonValue task) {
    constexpr std::array<std::string_view, 6> kOver{"completed", "failed",  "killed",
                                                    "cancelled", "stopped", "done"};
    const std::string status = name_in(task, "status");
    return std::find(kOver.begin(), kOver.end(), status) != kOver.end();
}

/// The first of these members that says something.
std::string first_text(JsonValue task, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        std::string text = text_in(task, name);
        if (!text.empty()) return text;
    }
    return {};
}

std::string sort_of_task(JsonValue task) {
    std::string sort = name_in(task, "type");
    // Qwen Code lists its agents only, without a type.
    if (sort.empty()) sort = member(task, "agent_type") ? "agent" : "task";
    for (const auto& [theirs, ours] : kSorts)
        if (sort == theirs) sort = ours;
    return sort;
}

std::string name_of_task(JsonValue task, const std::string& sort) {
    if (sort == "agent")
        return background_name(sort, first_text(task, {"description", "agent_type", "id"}));
    return background_name(
        sort, first_text(task, {"command", "name", "description", "tool", "server", "id"}));
}

void read_tasks(JsonValue body, Hook& hook) {
    const auto tasks = array_in(body, "background_tasks");
    if (!tasks) return;
    tasks->each([&](JsonValue task) {
        if (task.kind() != JsonKind::kObject || is_over(task)) return true;
        std::string id = name_in(task, "id");
        if (!hook.agent_id.empty() && id == hook.agent_id) return true;  // itself
        const std::string sort = sort_of_task(task);
        hook.background.push_back(name_of_task(task, sort));
        if (sort == "agent" && !id.empty()) hook.background_agents.push_back(std::move(id));
        return hook.background.size() < core::limits::kListItemsMax;
    });
}

void read_timers(JsonValue timers, Hook& hook) {
    timers.each([&](JsonValue timer) {
        if (timer.kind() != JsonKind::kObject) return true;
        if (!flag_in(timer, "enabled").value_or(true)) return true;
        const bool once = !flag_in(timer, "recurring").value_or(true);
        hook.background.push_back(
            background_name(once ? "wake-up" : "cron", first_text(timer, {"schedule", "id"})));
        std::string prompt = text_in(timer, "prompt");
        if (!prompt.empty() && hook.wake_prompts.size() < kWakePromptsMax)
            hook.wake_prompts.push_back(std::move(prompt));
        return hook.background.size() < core::limits::kListItemsMax;
    });
}

}  // namespace

void read_background(JsonValue body, Hook& hook) {
    read_tasks(body, hook);
    for (const std::string_view name : {"session_crons", "crons"})
        if (const auto timers = array_in(body, name)) read_timers(*timers, hook);
    if (hook.background.size() > core::limits::kListItemsMax)
        hook.background.resize(core::limits::kListItemsMax);
}

std::string background_name(std::string_view sort, std::string_view what) {
    what = core::trimmed(what);
    const std::string_view line = core::trimmed(what.substr(0, what.find('\n')));
    std::string name{sort};
    if (!line.empty()) name.append(": ").append(line);
    return core::shortened(name, kNameBytesMax);
}

bool is_made_prompt(std::string_view prompt) {
    constexpr std::array<std::string_view, 9> kMade{
        "<task-notification>",
        "<scheduled-task>",
        "Stop hook feedback:",
        "Your claude.ai usage limit has reset.",
        "<autonomous-loop",
        "Continue working toward the active thread goal.",
        "<goal_context>",
        "[SYSTEM NOTIFICATION",
        "Read HEARTBEAT.md if it exists"};
    const std::string_view text = core::trimmed(prompt);
    return std::any_of(kMade.begin(), kMade.end(),
                       [text](std::string_view begin) { return text.starts_with(begin); });
}

}  // namespace headway::api::hooks
