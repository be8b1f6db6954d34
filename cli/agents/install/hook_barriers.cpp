// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/install/hook_barriers.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

#include "cli/agents/settings/settings_text.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDropInsMax = 100;  // files of a folder that an administrator fills

enum class Scope : std::uint8_t { kUser, kProject, kManaged };

struct Source {
    fs::path path;
    Scope scope = Scope::kUser;
    Json settings{};
};

void add_source(std::vector<Source>& sources, const fs::path& path, Scope scope) {
    const bool known = std::any_of(sources.begin(), sources.end(),
                                   [&](const Source& other) { return other.path == path; });
    if (known) return;
    const auto text = read_settings(path);
    if (!text || !*text) return;
    const auto parsed = SettingsText::parse(**text);
    if (!parsed || parsed->root() == SettingsText::kNone) return;
    auto settings = Json::parse(parsed->compact(parsed->root()));
    if (settings) sources.push_back({path, scope, *std::move(settings)});
}

/// The folder of a project whose settings count beside the user's.
fs::path project_folder(const InstallPlace& place) {
    return place.project.empty() ? place.folder : place.project;
}

void add_folder(std::vector<Source>& sources, const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> files;
    for (fs::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
        if (at->path().extension() == ".json") files.push_back(at->path());
        if (files.size() == kDropInsMax) break;
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files)
        add_source(sources, file, Scope::kManaged);
}

fs::path named_or(const InstallPlace& place, const char* variable, const char* otherwise) {
    const std::string named = variable_of(place.environment, variable);
    return named.empty() ? fs::path{otherwise} : fs::path{named};
}

std::vector<Source> sources_of(const AgentRow& row, const InstallPlace& place) {
    std::vector<Source> sources;
    const InstallPlace of_user{place.environment, {}, {}};
    const auto user = settings_path(row, of_user);
    const fs::path project = project_folder(place);
    if (row.name == "copilot" && user) {
        for (const char* name : {"settings.json", "config.json"})
            add_source(sources, user->parent_path().parent_path() / name, Scope::kUser);
    }
    if (user) add_source(sources, *user, Scope::kUser);
    if (!project.empty()) add_source(sources, project / row.project_path, Scope::kProject);
    if (row.name == "claude") {
        if (!project.empty())
            add_source(sources, project / ".claude/settings.local.json", Scope::kProject);
        const fs::path managed =
            named_or(place, "CLAUDE_CODE_MANAGED_SETTINGS_PATH", "/etc/claude-code");
        add_source(sources, managed / "managed-settings.json", Scope::kManaged);
        add_folder(sources, managed / "managed-settings.d");
    }
    const char* const system = row.name == "qwen"     ? "/etc/qwen-code/settings.json"
                               : row.name == "gemini" ? "/etc/gemini-cli/settings.json"
                                                      : nullptr;
    if (system != nullptr) {
        const char* const variable = row.name == "qwen" ? "QWEN_CODE_SYSTEM_SETTINGS_PATH"
                                                        : "GEMINI_CLI_SYSTEM_SETTINGS_PATH";
        add_source(sources, named_or(place, variable, system), Scope::kManaged);
    }
    return sources;
}

std::string has(const Source& source, std::string_view setting) {
    return source.path.string() + " has " + std::string{setting};
}

void find_switches(const std::vector<Source>& sources, HookBarriers& found) {
    for (const Source& source : sources) {
        const Json& settings = source.settings;
        if (settings.flag_of("disableAllHooks"))
            found.all.push_back(has(source, "disableAllHooks"));
        if (settings.flag_of("allowManagedHooksOnly")) {
            const bool counts = source.scope == Scope::kManaged;
            (counts ? found.all : found.notes)
                .push_back(has(source, "allowManagedHooksOnly") +
                           (counts ? "" : ", which counts in managed settings only"));
        }
        const Json& plugins = settings["strictPluginOnlyCustomization"];
        const bool of_hooks = settings.flag_of("strictPluginOnlyCustomization") ||
                              std::any_of(plugins.begin(), plugins.end(), [](const Json& surface) {
                                  return surface.text() == "hooks";
                              });
        if (of_hooks && source.scope == Scope::kManaged)
            found.all.push_back(has(source, "strictPluginOnlyCustomization for hooks"));
    }
}

/// Lists of one name in several files, put together. Nothing: no file has one. One that is no list
/// allows nothing.
struct MergedList {
    std::vector<std::string> values;
    std::string files;

    void add(const Source& source, const Json& list) {
        files += (files.empty() ? "" : ", ") + source.path.string();
        for (const Json& value : list)
            values.push_back(value.text());
    }
    bool has(std::string_view value) const {
        return std::find(values.begin(), values.end(), value) != values.end();
    }
    bool names(std::string_view url) const {
        return std::any_of(values.begin(), values.end(),
                           [url](const std::string& pattern) { return names_url(pattern, url); });
    }
};

std::optional<MergedList> merged(const std::vector<Source>& sources, std::string_view name) {
    std::optional<MergedList> list;
    for (const Source& source : sources) {
        const Json* const found = source.settings.find(name);
        if (found == nullptr) continue;
        if (!list) list.emplace();
        list->add(source, *found);
    }
    return list;
}

std::string hook_url(const AgentRow& row, const HookWay& way) {
    return way.url + "/v1/hooks/" + std::string{row.name};
}

std::string url_not_named(const std::string& setting, const std::string& files,
                          const std::string& url) {
    return setting + " in " + files + " does not name " + url;
}

void find_claude_lists(const AgentRow& row, const std::vector<Source>& sources, const HookWay& way,
                       HookBarriers& found) {
    const std::string url = hook_url(row, way);
    const auto urls = merged(sources, "allowedHttpHookUrls");
    if (urls && !urls->names(url))
        found.http.push_back(url_not_named("allowedHttpHookUrls", urls->files, url));
    const auto variables = merged(sources, "httpHookAllowedEnvVars");
    if (!variables) return;
    for (const char* name : {"HEADWAY_SESSION", "HEADWAY_URL", "HEADWAY_TOKEN"}) {
        const bool needed = name != std::string_view{"HEADWAY_TOKEN"} || way.token;
        if (needed && !variables->has(name))
            found.http.push_back("httpHookAllowedEnvVars in " + variables->files +
                                 " does not name " + name);
    }
}

/// An empty list allows everything. A list of the project counts only where no other file has one.
void find_qwen_lists(const AgentRow& row, const std::vector<Source>& sources, const HookWay& way,
                     HookBarriers& found) {
    MergedList of_project;
    MergedList of_others;
    for (const Source& source : sources) {
        const Json& list = source.settings["security"]["allowedHttpHookUrls"];
        if (list.empty()) continue;
        (source.scope == Scope::kProject ? of_project : of_others).add(source, list);
    }
    const MergedList& counts = of_others.values.empty() ? of_project : of_others;
    const std::string url = hook_url(row, way);
    if (!counts.values.empty() && !counts.names(url))
        found.http.push_back(url_not_named("security.allowedHttpHookUrls", counts.files, url));
}

void find_gemini_switches(const std::vector<Source>& sources, HookBarriers& found) {
    for (const Source& source : sources) {
        const Json& hooks = source.settings["hooksConfig"];
        const Json* const enabled = hooks.find("enabled");
        if (enabled != nullptr && enabled->is_boolean() && !hooks.flag_of("enabled"))
            found.all.push_back(has(source, "hooksConfig.enabled = false"));
        for (const Json& name : hooks["disabled"]) {
            if (name.text() == "headway")
                found.all.push_back(has(source, "\"headway\" in hooksConfig.disabled"));
        }
    }
}

/// "name=value" of a line of TOML without blanks and comments, with the name of its table.
std::string toml_setting(std::string_view line, std::string& table) {
    std::string bare;
    for (const char c : line.substr(0, line.find('#')))
        if (c != ' ' && c != '\t' && c != '\r' && c != '"') bare += c;
    if (bare.starts_with('[')) {
        table = bare.substr(1, bare.find(']') - 1) + ".";
        return {};
    }
    return table + bare;
}

void find_codex_switches(const AgentRow& row, const InstallPlace& place, HookBarriers& found) {
    std::vector<fs::path> files{"/etc/codex/requirements.toml", "/etc/codex/managed_config.toml",
                                "/etc/codex/config.toml"};
    const auto user = settings_path(row, InstallPlace{place.environment, {}, {}});
    if (user) files.push_back(user->parent_path() / "config.toml");
    for (const fs::path& file : files) {
        const auto text = read_settings(file);
        if (!text || !*text) continue;
        std::string table;
        for (const std::string& line : split(**text, '\n')) {
            const std::string setting = toml_setting(line, table);
            for (const char* off : {"allow_managed_hooks_only=true", "features.hooks=false",
                                    "features.codex_hooks=false"}) {
                if (setting == off) found.all.push_back(file.string() + " has " + off);
            }
        }
    }
}

}  // namespace

bool names_url(std::string_view pattern, std::string_view url) {
    // The last star and where it was tried last: time is at most the product of the lengths.
    std::size_t p = 0;
    std::size_t u = 0;
    std::size_t star = std::string_view::npos;
    std::size_t tried = 0;
    while (u < url.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            tried = u;
        } else if (p < pattern.size() && pattern[p] == url[u]) {
            ++p;
            ++u;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            u = ++tried;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

HookBarriers find_hook_barriers(const AgentRow& row, const InstallPlace& place,
                                const HookWay& way) {
    HookBarriers found;
    if (row.name == "codex") find_codex_switches(row, place, found);
    const bool groups = row.layout == HookLayout::kGroups || row.layout == HookLayout::kFlat;
    if (!groups) return found;
    const std::vector<Source> sources = sources_of(row, place);
    find_switches(sources, found);
    if (row.name == "claude") find_claude_lists(row, sources, way, found);
    if (row.name == "qwen") find_qwen_lists(row, sources, way, found);
    if (row.name == "gemini") find_gemini_switches(sources, found);
    return found;
}

}  // namespace headway::cli
