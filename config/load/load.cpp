// SPDX-License-Identifier: Apache-2.0
#include "config/load/load.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "config/load/keys.hpp"
#include "config/load/named_table.hpp"
#include "config/load/policy_keys.hpp"
#include "config/load/toml_source.hpp"
#include "config/settings/address.hpp"
#include "config/values/read_file.hpp"
#include "core/text/suggest.hpp"
#include "core/text/visible.hpp"
#include "core/text/words.hpp"

namespace headway::config {
namespace {

namespace fs = std::filesystem;

using Environment = std::map<std::string, std::string>;

// Variables that the client verbs read; not settings of the daemon.
constexpr std::array<std::string_view, 8> kClientVariables{
    "HEADWAY_URL", "HEADWAY_CONFIG",     "HEADWAY_SESSION", "HEADWAY_TOKEN",
    "HEADWAY_RUN", "HEADWAY_TOKEN_FILE", "HEADWAY_CA_FILE", "HEADWAY_HOOK_SOCKET"};
constexpr std::string_view kPrefix = "HEADWAY_";
constexpr std::string_view kFileSuffix = "_FILE";

std::string get(const Environment& environment, const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
}

// The settings so far, and everything that was wrong on the way.
class Merger {
public:
    /// Whether that is the name of a key, or of a value of a table with a free name.
    static bool knows(const std::string& name) {
        return find_key(name) != nullptr || find_named_table(name) != nullptr;
    }

    /// By a name that knows() knows.
    void assign(const std::string& name, const Value& value, const std::string& origin) {
        if (const Key* key = find_key(name)) {
            assign(*key, value, origin);
            return;
        }
        const auto stored = find_named_table(name)->assign(settings_, name, value);
        if (stored) {
            origins_[*stored] = origin;
        } else {
            mistake(origin + ": " + name + ": " + stored.error().detail);
        }
    }

    void assign(const Key& key, const Value& value, const std::string& origin) {
        if (const auto done = key.assign(settings_, value)) {
            origins_[key.name] = origin;
        } else {
            mistake(origin + ": " + key.name + ": " + done.error().detail);
        }
    }

    void mistake(std::string text) { mistakes_.push_back(std::move(text)); }

    core::Result<Loaded> finish(std::optional<fs::path> file) {
        fill_from_preset();
        if (std::string wrong = core::mistake_in(settings_.budget); !wrong.empty()) {
            mistake(std::move(wrong));
        }
        // A value that was refused is missing, too: say only what was wrong with it.
        for (const AnyNamedTable* const table : named_tables()) {
            if (mistakes_.empty()) mistakes_ = table->mistakes_in(settings_);
        }
        if (mistakes_.empty()) {
            const auto fits = check_listener(settings_.server, settings_.access);
            if (!fits) mistake(fits.error().detail);
            const auto others = check_receivers(settings_.webhooks, settings_.server);
            if (fits && !others) mistake(others.error().detail);
            if (settings_.digest.at && !notifies_people()) {
                mistake(
                    "digest.at: the digest is sent to endpoints for people, and there is none; "
                    "add [webhooks.endpoints.NAME] with a format as ntfy, or remove the time");
            }
        }
        if (!mistakes_.empty()) {
            core::Error error{core::ErrorCode::kInvalidConfig, {}, {}};
            for (const std::string& text : mistakes_) {
                // A value may be an agent's words, and goes to a terminal.
                error.detail += (error.detail.empty() ? "" : "\n") + core::visible(text);
            }
            return error;
        }
        settings_.policy.legacy = settings_.legacy_timeouts;
        Loaded loaded{std::move(settings_), {}, std::move(file)};
        for (const Key& key : keys())
            show(loaded.keys, key.name, key.print(loaded.settings));
        for (const AnyNamedTable* const table : named_tables()) {
            for (const NamedValue& value : table->values(loaded.settings))
                show(loaded.keys, value.name, value.value);
        }
        std::sort(loaded.keys.begin(), loaded.keys.end(),
                  [](const KeyOrigin& a, const KeyOrigin& b) { return a.key < b.key; });
        return loaded;
    }

private:
    bool notifies_people() const {
        const auto& all = settings_.webhooks.endpoints;
        return std::any_of(all.begin(), all.end(), [](const WebhookEndpoint& one) {
            return one.format != core::WebhookFormat::kStandard;
        });
    }

    /// Values of the preset, where no other source has one.
    void fill_from_preset() {
        const std::string preset = settings_.policy_preset;
        for (const PresetValue& value : preset_values(preset)) {
            const Key* key = find_key(value.key);
            if (key == nullptr || origins_.contains(key->name)) continue;
            assign(*key, value.text, "preset " + preset);
        }
    }

    void show(std::vector<KeyOrigin>& shown, const std::string& name, const Value& value) const {
        const auto set = origins_.find(name);
        const AnyNamedTable* const table = find_named_table(name);
        shown.push_back({name, value.text(), set == origins_.end() ? "default" : set->second,
                         value.toml(), table == nullptr ? name : table->toml_key(name)});
    }

    Settings settings_;
    std::map<std::string, std::string> origins_;  ///< of what any source has set
    std::vector<std::string> mistakes_;
};

constexpr const char* kFileHere = "headway.toml";

std::optional<fs::path> find_file(const LoadRequest& request) {
    if (request.file) return request.file;
    const std::string named = get(request.environment, "HEADWAY_CONFIG");
    if (!named.empty()) return fs::path(named);

    std::vector<fs::path> places;
    const std::string xdg = get(request.environment, "XDG_CONFIG_HOME");
    const std::string home = get(request.environment, "HOME");
    if (xdg.starts_with('/')) {
        places.push_back(fs::path(xdg) / "headway" / "headway.toml");
    } else if (!home.empty()) {
        places.push_back(fs::path(home) / ".config" / "headway" / "headway.toml");
    }
    places.emplace_back("/etc/headway/headway.toml");
    for (fs::path& place : places) {
        std::error_code ignored;
        if (fs::exists(place, ignored)) return std::move(place);
    }
    return std::nullopt;
}

/// True for a file in the folder in which the command was started that is not `own`. It may be that
/// of a cloned project, and settings name programs, and addresses to which secrets are sent.
bool is_another_here(const std::optional<fs::path>& own) {
    std::error_code ec;
    return fs::exists(kFileHere, ec) && !(own && fs::equivalent(kFileHere, *own, ec));
}

void merge_file(Merger& merger, const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
        merger.mistake(path.string() + ": there is no such file; name another with --config");
        return;
    }
    if (fs::is_directory(status)) {
        merger.mistake(path.string() + ": is a folder; name the file in it with --config");
        return;
    }
    FileValues file = read_toml(path);
    for (std::string& text : file.mistakes)
        merger.mistake(std::move(text));
    for (const FileValue& value : file.values) {
        merger.assign(value.key, value.value, "file " + value.where);
    }
}

std::optional<std::string> read_value_file(const std::string& path) {
    auto text = read_file(path);
    while (text && (text->ends_with('\n') || text->ends_with('\r')))
        text->pop_back();
    return text;
}

void merge_variable(Merger& merger, const Key& key, const Environment& environment) {
    const std::string name = environment_name(key.name);
    const std::string file_name = name + std::string(kFileSuffix);
    const auto direct = environment.find(name);
    const auto file = environment.find(file_name);
    if (direct != environment.end() && file != environment.end()) {
        merger.mistake("env " + name + ": set together with " + file_name + "; unset one");
        return;
    }
    if (direct != environment.end()) merger.assign(key, direct->second, "env " + name);
    if (file == environment.end()) return;
    if (const auto text = read_value_file(file->second)) {
        merger.assign(key, *text, "env " + file_name);
    } else {
        merger.mistake("env " + file_name + ": cannot read \"" + file->second + "\"");
    }
}

void merge_environment(Merger& merger, const Environment& environment) {
    std::vector<std::string> known(kClientVariables.begin(), kClientVariables.end());
    for (const Key& key : keys()) {
        merge_variable(merger, key, environment);
        known.push_back(environment_name(key.name));
        known.push_back(known.back() + std::string(kFileSuffix));
    }
    const std::vector<std::string_view> names(known.begin(), known.end());
    for (const auto& [name, value] : environment) {
        if (!name.starts_with(kPrefix)) continue;
        if (std::find(names.begin(), names.end(), name) != names.end()) continue;
        const bool gone = name == environment_name("policy.risk");
        merger.mistake("env " + name + ": unknown variable" +
                       (gone ? hint_about("policy.risk") : core::did_you_mean(name, names)));
    }
}

/// The switch of the first design: status instead of timers, whatever the settings say.
void merge_first_design(Merger& merger, const Environment& environment) {
    const std::string name = "AUTONOMOUS_STATUS_BASED_TIMEOUT";
    const std::string text = core::lower(get(environment, name));
    constexpr std::array<std::string_view, 5> kNo{"", "0", "false", "no", "off"};
    constexpr std::array<std::string_view, 4> kYes{"1", "true", "yes", "on"};
    if (std::find(kNo.begin(), kNo.end(), text) != kNo.end()) return;
    if (std::find(kYes.begin(), kYes.end(), text) == kYes.end()) {
        merger.mistake("env " + name + ": \"" + get(environment, name) +
                       "\" is not one of 1, true, yes, on, 0, false, no, off");
        return;
    }
    merger.assign(*find_key("legacy_timeouts.mode"), "off", "env " + name);
}

void merge_flags(Merger& merger, const std::map<std::string, std::string>& flags) {
    for (const auto& [name, text] : flags) {
        if (Merger::knows(name)) {
            merger.assign(name, text, "flag");
        } else {
            merger.mistake("flag: unknown key `" + name + "`" + hint_about(name));
        }
    }
}

}  // namespace

core::Result<Loaded> load(const LoadRequest& request) {
    Merger merger;
    std::optional<fs::path> file = find_file(request);
    const bool named = request.file || !get(request.environment, "HEADWAY_CONFIG").empty();
    if (!named && is_another_here(file)) {
        merger.mistake(std::string{kFileHere} +
                       " in this folder may be a project's and is not taken unasked; name it, or "
                       "another file, with --config");
    } else if (file) {
        merge_file(merger, *file);
    }
    merge_environment(merger, request.environment);
    merge_first_design(merger, request.environment);
    merge_flags(merger, request.flags);
    return merger.finish(std::move(file));
}

core::Result<KeepGoingSettings> load_keep_going(const Environment& environment) {
    constexpr std::string_view kSection = "keep_going.";
    Merger merger;
    const std::optional<fs::path> file = find_file({{}, {}, environment});
    const bool named = !get(environment, "HEADWAY_CONFIG").empty();
    if (file && file->is_relative()) {
        merger.mistake("HEADWAY_CONFIG is no absolute path, so [keep_going] is not read from it");
    } else if (file && (named || ::access(file->c_str(), R_OK) == 0)) {
        FileValues values = read_toml(*file);
        for (std::string& text : values.mistakes)
            merger.mistake(std::move(text));
        for (const FileValue& value : values.values) {
            if (value.key.starts_with(kSection))
                merger.assign(value.key, value.value, "file " + value.where);
        }
    }
    for (const Key& key : keys()) {
        if (key.name.starts_with(kSection)) merge_variable(merger, key, environment);
    }
    HEADWAY_TRY(const Loaded loaded, merger.finish({}));
    return loaded.settings.keep_going;
}

namespace {

fs::path chosen_directory(const StorageSettings& settings, const Environment& environment) {
    const std::string home = get(environment, "HOME");
    if (settings.state_dir.starts_with("~/") && !home.empty()) {
        return fs::path(home) / settings.state_dir.substr(2);
    }
    if (!settings.state_dir.empty()) return settings.state_dir;

    const std::string systemd = get(environment, "STATE_DIRECTORY");
    if (!systemd.empty()) return systemd.substr(0, systemd.find(':'));  // may be a list
    const std::string xdg = get(environment, "XDG_STATE_HOME");
    if (xdg.starts_with('/')) return fs::path(xdg) / "headway";
    if (!home.empty()) return fs::path(home) / ".local" / "state" / "headway";
    return "/var/lib/headway";
}

}  // namespace

/// Absolute, since a socket in it becomes a URL, and the daemon and its clients may stand in
/// different folders.
fs::path state_directory(const StorageSettings& settings, const Environment& environment) {
    const fs::path chosen = chosen_directory(settings, environment);
    std::error_code ec;
    fs::path absolute = fs::absolute(chosen, ec);
    return ec ? chosen : absolute;
}

std::string without_password(std::string_view url) {
    std::string shown{url};
    const std::size_t scheme = shown.find("://");
    if (scheme == std::string::npos) return shown;
    const std::size_t start = scheme + 3;
    const std::size_t end = std::min(shown.find_first_of("/?", start), shown.size());
    const std::size_t at = shown.rfind('@', end);
    const std::size_t colon = shown.find(':', start);
    if (at != std::string::npos && at >= start && colon < at)
        shown.replace(colon + 1, at - colon - 1, "***");
    for (std::size_t word = shown.find("password="); word != std::string::npos;
         word = shown.find("password=", word + 1)) {
        const std::size_t value = word + 9;
        const std::size_t stop = std::min(shown.find('&', value), shown.size());
        shown.replace(value, stop - value, "***");
    }
    return shown;
}

fs::path operator_socket(const Settings& settings, const Environment& environment) {
    if (settings.server.socket.empty()) return {};
    return state_directory(settings.storage, environment) / settings.server.socket;
}

fs::path report_socket(const Settings& settings, const Environment& environment) {
    const std::string& name = settings.server.report_socket;
    if (name.empty()) return {};
    const std::string runtime = get(environment, "RUNTIME_DIRECTORY");
    if (runtime.starts_with('/')) return fs::path(runtime.substr(0, runtime.find(':'))) / name;
    return state_directory(settings.storage, environment) / name;
}

}  // namespace headway::config
