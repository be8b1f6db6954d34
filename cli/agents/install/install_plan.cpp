// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/install/install_plan.hpp"

#include <algorithm>
#include <system_error>

#include "cli/agents/install/hook_barriers.hpp"
#include "cli/agents/install/own_hooks.hpp"
#include "cli/agents/settings/client_plugins.hpp"
#include "cli/base/text.hpp"

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "written by `headway install`, removed by `headway uninstall`";
constexpr std::string_view kDefaultPlace = "http://127.0.0.1:7717";
constexpr mode_t kScriptMode = 0700;

core::Error plan_fault(const fs::path& path, const std::string& why) {
    return {core::ErrorCode::kInvalidParameter, path.string() + ": " + why, {}};
}

/// It stands in JSON, in scripts and in programs.
bool is_plain_url(std::string_view url) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:/.-_~%[]";
    return url.find_first_not_of(kPlain) == std::string_view::npos;
}

core::Result<> check_way(const AgentRow& row, const HookWay& way) {
    if (!is_plain_url(way.url))
        return plan_fault(way.url, "such a URL is not written into settings");
    const bool needs_program =
        !row.http || way.commands ||
        std::any_of(row.events.begin(), row.events.end(),
                    [](const AgentHookEvent& event) { return event.by_command; });
    if (!needs_program || !way.program.empty()) return {};
    return core::Error{core::ErrorCode::kInvalidParameter,
                       "headway-hook is neither next to this program nor on PATH; " +
                           std::string{row.title} + " calls it for each of its hooks",
                       {}};
}

/// A whole file of ours.
core::Result<std::vector<FileChange>> plan_own_file(const fs::path& path, std::string text,
                                                    mode_t mode) {
    HEADWAY_TRY(const auto there, read_settings(path));
    if (there && !is_own_file(*there)) {
        return plan_fault(path, "it is not of Headway; move it away, or call " +
                                    std::string{"`headway-hook` from it"});
    }
    FileChange change{path, there, std::move(text), mode, true};
    if (!change.changes()) return std::vector<FileChange>{};
    if (std::string why = why_not_writable(path); !why.empty())
        return core::Error{core::ErrorCode::kInvalidParameter, std::move(why), {}};
    return std::vector<FileChange>{std::move(change)};
}

/// The file of each event.
core::Result<std::vector<FileChange>> plan_scripts(const AgentRow& row, const fs::path& folder,
                                                   const HookWay& way) {
    std::vector<FileChange> changes;
    for (const AgentHookEvent& event : row.events) {
        HEADWAY_TRY(auto one,
                    plan_own_file(folder / event.name, hook_script(row, way), kScriptMode));
        changes.insert(changes.end(), one.begin(), one.end());
    }
    return changes;
}

/// A requirement and a goal stay until they are taken back, and take the form of the others.
core::Result<std::vector<FileChange>> plan_settings(const AgentRow& row, const fs::path& path,
                                                    HookWay way, bool required) {
    HEADWAY_TRY(auto before, read_settings(path));
    const auto matcher = required ? std::nullopt : required_matcher(row, before.value_or(""));
    if (matcher) way.require = *matcher;
    const bool keep = !required && !matcher;
    if (!way.until_given) way.until = goal_of_own_hooks(row, before.value_or(""));
    auto after = with_own_hooks(row, before.value_or(""), hook_entries(row, way), keep);
    if (!after) return plan_fault(path, after.error().detail);
    FileChange change{path, std::move(before), *std::move(after), 0600, true};
    if (!change.before) *change.after += "\n";
    if (!change.changes()) return std::vector<FileChange>{};
    if (std::string why = why_not_writable(path); !why.empty())
        return core::Error{core::ErrorCode::kInvalidParameter, std::move(why), {}};
    return std::vector<FileChange>{std::move(change)};
}

/// True if a backup of the file has this content.
core::Result<bool> was_before(const fs::path& path, const std::string& content) {
    for (const fs::path& backup : backups_of(path)) {
        HEADWAY_TRY(const auto kept, read_settings(backup));
        if (kept == content) return true;
    }
    return false;
}

core::Result<std::vector<FileChange>> plan_removal(const AgentRow& row, const fs::path& path) {
    HEADWAY_TRY(auto before, read_settings(path));
    if (!before) return std::vector<FileChange>{};
    FileChange change{path, before, {}, 0600, false};
    if (row.layout == HookLayout::kGroups || row.layout == HookLayout::kFlat) {
        auto after = without_own_hooks(row, *before);
        if (!after) return plan_fault(path, after.error().detail);
        std::error_code none;
        const bool theirs = !backups_of(path).empty() || fs::is_symlink(path, none);
        const bool ours = *after != *before && is_bare(row, *after) && !theirs;
        // Agents complain of an empty file, if it was not so before.
        HEADWAY_TRY(const bool given, was_before(path, *after));
        const bool blank = after->find_first_not_of(" \t\r\n") == after->npos && !given;
        if (!ours) change.after = blank ? std::string{"{}\n"} : *std::move(after);
    } else if (!is_own_file(*before)) {
        return std::vector<FileChange>{};
    } else {
        // Lines that were added to ours are the user's.
        const std::string ours = snippet(row, HookWay{});
        change.backup = std::count(before->begin(), before->end(), '\n') !=
                        std::count(ours.begin(), ours.end(), '\n');
    }
    if (!change.changes()) return std::vector<FileChange>{};
    if (std::string why = why_not_writable(path); !why.empty())
        return core::Error{core::ErrorCode::kInvalidParameter, std::move(why), {}};
    return std::vector<FileChange>{std::move(change)};
}

/// No file of it, nor a folder on the way, is a link where the project is in a checkout.
core::Result<fs::path> checked_path(const AgentRow& row, const InstallPlace& place) {
    HEADWAY_TRY(fs::path path, settings_path(row, place));
    HEADWAY_CHECK(check_no_link(place.project, path));
    if (row.layout == HookLayout::kScripts)
        for (const AgentHookEvent& event : row.events)
            HEADWAY_CHECK(check_no_link(place.project, path / event.name));
    return path;
}

core::Result<std::vector<FileChange>> confined(const InstallPlace& place,
                                               core::Result<std::vector<FileChange>> changes) {
    if (!changes) return changes;
    for (FileChange& change : *changes)
        change.project = place.project;
    return changes;
}

}  // namespace

core::Result<fs::path> settings_path(const AgentRow& row, const InstallPlace& place) {
    if (!place.project.empty()) return place.project / row.project_path;
    const fs::path path{row.user_path};
    const std::string named =
        row.folder_variable.empty()
            ? std::string{}
            : variable_of(place.environment, std::string{row.folder_variable});
    if (!named.empty()) return fs::path{named} / path.lexically_relative(*path.begin());
    const std::string home = variable_of(place.environment, "HOME");
    if (home.empty()) return core::Error{core::ErrorCode::kInvalidParameter, "HOME is not set", {}};
    return fs::path{home} / path;
}

core::Result<std::vector<FileChange>> plan_install(const AgentRow& row, const InstallPlace& place,
                                                   const HookWay& way, bool required) {
    HEADWAY_CHECK(check_way(row, way));
    HEADWAY_TRY(const fs::path path, checked_path(row, place));
    if (row.layout == HookLayout::kScripts) return confined(place, plan_scripts(row, path, way));
    if (row.layout == HookLayout::kPlugin)
        return confined(place, plan_own_file(path, plugin_text(row, way), 0600));
    return confined(place, plan_settings(row, path, way, required));
}

core::Result<std::vector<FileChange>> plan_uninstall(const AgentRow& row,
                                                     const InstallPlace& place) {
    HEADWAY_TRY(const fs::path path, checked_path(row, place));
    if (row.layout != HookLayout::kScripts) return confined(place, plan_removal(row, path));
    std::vector<FileChange> changes;
    for (const AgentHookEvent& event : row.events) {
        HEADWAY_TRY(auto one, plan_removal(row, path / event.name));
        changes.insert(changes.end(), one.begin(), one.end());
    }
    return confined(place, std::move(changes));
}

std::string hook_script(const AgentRow& row, const HookWay& way) {
    return "#!/bin/sh\n# Headway: " + std::string{kMark} + ".\nexec " + hook_command(row, way) +
           "\n";
}

std::string plugin_text(const AgentRow& row, const HookWay& way) {
    std::string text{row.name == "pi" ? client_plugins::kPi : client_plugins::kOpencode};
    const std::size_t at = text.find(kDefaultPlace);
    if (at != std::string::npos) text.replace(at, kDefaultPlace.size(), way.url);
    return text;
}

bool is_own_file(std::string_view text) {
    constexpr std::size_t kHead = 400;
    return text.substr(0, kHead).find(kMark) != std::string_view::npos;
}

std::string snippet(const AgentRow& row, const HookWay& way) {
    if (row.layout == HookLayout::kScripts) return hook_script(row, way);
    if (row.layout == HookLayout::kPlugin) return plugin_text(row, way);
    const auto text = with_own_hooks(row, "", hook_entries(row, way), false);
    return (text ? *text : std::string{}) + "\n";
}

std::string proxy_in_the_way(const Environment& environment) {
    std::string exempt = variable_of(environment, "NO_PROXY");
    if (exempt.empty()) exempt = variable_of(environment, "no_proxy");
    for (const std::string& host : split(exempt, ','))
        if (host == "*" || host.find("127.0.0.1") != std::string::npos) return {};
    for (const char* name : {"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"})
        if (!variable_of(environment, name).empty()) return name;
    return {};
}

std::vector<std::string> hook_warnings(const AgentRow& row, const InstallPlace& place,
                                       const HookWay& way, const std::string& version) {
    std::vector<std::string> warnings;
    const std::string title{row.title};
    if (is_too_new(row, version)) {
        warnings.push_back(title + " " + version + " does not load this plugin");
    } else if (!is_tested(row, version)) {
        const std::string range =
            row.tested_from == row.tested_to
                ? std::string{row.tested_to}
                : std::string{row.tested_from} + " to " + std::string{row.tested_to};
        warnings.push_back(title + " " + version + " is not among the versions that were tested (" +
                           range + ")");
    }
    const bool by_request = row.http && !way.commands;
    if (const std::string proxy = proxy_in_the_way(place.environment);
        by_request && !proxy.empty()) {
        warnings.push_back(proxy +
                           " is set and NO_PROXY does not name 127.0.0.1: the hooks would "
                           "go to the proxy, and be lost without a word");
    }
    const HookBarriers barriers = find_hook_barriers(row, place, way);
    const auto warn = [&](std::string why, std::string_view follows) {
        why += ": ";
        why += title;
        warnings.push_back(why += follows);
    };
    for (const std::string& why : barriers.all)
        warn(why, " will not call these hooks");
    const std::string instead =
        " would call no HTTP hook, so all are written as commands; `headway install " +
        std::string{row.name} + "` writes HTTP hooks once that is mended";
    for (const std::string& why : barriers.http)
        warn(why, instead);
    for (const std::string& note : barriers.notes)
        warnings.push_back(note);
    std::error_code none;
    if (row.name == "claude" && fs::exists("/etc/claude-code/managed-settings.json", none))
        warnings.emplace_back(
            "/etc/claude-code/managed-settings.json is there, and precedes these settings");
    if (way.token && row.http)
        warnings.push_back(
            "the daemon wants a token: start " + title +
            " with HEADWAY_TOKEN set to one with the scope report:" + std::string{row.name} + "-");
    return warnings;
}

}  // namespace headway::cli
