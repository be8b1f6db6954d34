// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/install/own_hooks.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "cli/agents/settings/hook_command.hpp"
#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"

namespace headway::cli {
namespace {

using Id = SettingsText::Id;

bool is_own(const AgentRow& row, const SettingsText& settings, Id hook) {
    const auto text = [&](const char* name) {
        return settings.string_of(settings.member(hook, name));
    };
    return is_hook_url(text("url"), row.name) || is_hook_command(text("command"), row.name) ||
           is_hook_command(text("bash"), row.name);
}

bool is_required(const SettingsText& settings, const OwnHook& own) {
    return is_required_url(settings.string_of(settings.member(own.hook, "url"))) ||
           is_required_command(settings.string_of(settings.member(own.hook, "command")));
}

/// Members of this name; all of them, or the one that counts.
std::vector<Id> members_named(const SettingsText& settings, Id object, std::string_view name,
                              bool all) {
    std::vector<Id> found;
    const Id last = settings.member(object, name);
    if (last == SettingsText::kNone) return found;
    if (!all) return {last};
    for (const Id child : settings.children(object))
        if (settings.name_of(child) == name) found.push_back(child);
    return found;
}

void add_group(const AgentRow& row, const SettingsText& settings, Id group,
               const std::string& event, bool all, std::vector<OwnHook>& found) {
    if (!settings.is_object(group)) return;
    const std::size_t before = found.size();
    std::size_t hooks = 0;
    for (const Id list : members_named(settings, group, "hooks", all)) {
        if (!settings.is_array(list)) continue;
        for (const Id hook : settings.children(list)) {
            ++hooks;
            if (is_own(row, settings, hook)) found.push_back({event, hook, group, true});
        }
    }
    for (std::size_t i = before; i < found.size(); ++i)
        found[i].whole = found.size() - before == hooks;
}

/// Our entries that exist, compared with those that shall be.
struct Comparison {
    std::vector<HookEntry> missing;
    std::vector<OwnHook> stale;
    std::size_t present = 0;
};

Comparison compare(const AgentRow& row, const SettingsText& settings,
                   const std::vector<HookEntry>& entries, bool keep_required) {
    Comparison result;
    const std::vector<OwnHook> there = own_hooks(row, settings);
    std::vector<Json> values;
    values.reserve(there.size());
    for (const OwnHook& own : there)
        values.push_back(Json::parse(settings.compact(own.entry)).value_or(Json()));
    std::vector<bool> found(there.size());
    for (const HookEntry& entry : entries) {
        const Json wanted = Json::parse(entry.json).value_or(Json());
        std::size_t at = 0;
        while (at < there.size() && (found[at] || !there[at].whole ||
                                     there[at].event != entry.event || values[at] != wanted))
            ++at;
        if (at == there.size()) {
            result.missing.push_back(entry);
        } else {
            ++result.present;
            found[at] = true;
        }
    }
    for (std::size_t at = 0; at < there.size(); ++at) {
        const bool kept = found[at] || (keep_required && is_required(settings, there[at]));
        if (!kept) result.stale.push_back(there[at]);
    }
    return result;
}

/// An entry of an older form gives its place to the new one. Nothing: there is none such.
std::optional<std::string> with_one_renewed(const SettingsText& settings, const Comparison& now) {
    for (const HookEntry& entry : now.missing) {
        for (const OwnHook& own : now.stale) {
            if (own.whole && own.event == entry.event)
                return settings.with_replaced(own.entry, entry.json);
        }
    }
    return {};
}

std::vector<Id> ids_to_remove(const std::vector<OwnHook>& hooks) {
    std::vector<Id> ids;
    ids.reserve(hooks.size());
    for (const OwnHook& own : hooks)
        ids.push_back(own.whole ? own.entry : own.hook);
    return ids;
}

/// Which of two members with one name counts is not the same for all programs.
core::Result<> check_single(const SettingsText& settings, Id object, std::string_view name) {
    const std::vector<Id> found = members_named(settings, object, name, true);
    if (found.size() < 2) return {};
    return core::Error{core::ErrorCode::kInvalidParameter,
                       settings.place_of(found[1]) + ": " + json_text(name) +
                           " is there before; leave one of them",
                       {}};
}

/// Each name that is to be edited must occur once.
core::Result<> check_names(const SettingsText& settings, const std::vector<HookEntry>& entries) {
    if (settings.root() == SettingsText::kNone) return {};
    HEADWAY_CHECK(check_single(settings, settings.root(), "hooks"));
    const Id hooks = settings.member(settings.root(), "hooks");
    if (!settings.is_object(hooks)) return {};
    for (const HookEntry& entry : entries)
        HEADWAY_CHECK(check_single(settings, hooks, entry.event));
    return {};
}

core::Result<std::string> with_version(const AgentRow& row, std::string text) {
    if (row.layout != HookLayout::kFlat) return text;
    HEADWAY_TRY(const SettingsText settings, SettingsText::parse(text));
    if (settings.member(settings.root(), "version") != SettingsText::kNone) return text;
    return settings.with_member({}, "version", "1");
}

}  // namespace

std::vector<OwnHook> own_hooks(const AgentRow& row, const SettingsText& settings, bool all) {
    std::vector<OwnHook> found;
    for (const Id hooks : members_named(settings, settings.root(), "hooks", all)) {
        if (!settings.is_object(hooks)) continue;
        std::map<std::string, Id> last;  // of members with one name
        for (const Id list : settings.children(hooks))
            last[settings.name_of(list)] = list;
        for (const Id list : settings.children(hooks)) {
            const std::string event = settings.name_of(list);
            const bool hidden = !all && last[event] != list;
            if (hidden || !settings.is_array(list)) continue;
            for (const Id entry : settings.children(list)) {
                if (row.layout != HookLayout::kFlat) {
                    add_group(row, settings, entry, event, all, found);
                } else if (is_own(row, settings, entry)) {
                    found.push_back({event, entry, entry, true});
                }
            }
        }
    }
    return found;
}

core::Result<std::string> with_own_hooks(const AgentRow& row, const std::string& text,
                                         const std::vector<HookEntry>& entries,
                                         bool keep_required) {
    HEADWAY_TRY(SettingsText settings, SettingsText::parse(text));
    HEADWAY_CHECK(check_names(settings, entries));
    Comparison now = compare(row, settings, entries, keep_required);
    // At most once for each entry.
    while (const auto renewed = with_one_renewed(settings, now)) {
        HEADWAY_TRY(settings, SettingsText::parse(*renewed));
        now = compare(row, settings, entries, keep_required);
    }
    for (const HookEntry& entry : now.missing) {
        const auto longer = settings.with_element({"hooks", std::string{entry.event}}, entry.json);
        if (!longer) return longer.error();
        HEADWAY_TRY(settings, SettingsText::parse(*longer));
    }
    now = compare(row, settings, entries, keep_required);
    if (now.stale.empty()) return with_version(row, settings.text());
    return with_version(row, settings.without(ids_to_remove(now.stale)));
}

std::optional<std::string> required_matcher(const AgentRow& row, const std::string& text) {
    const auto settings = SettingsText::parse(text);
    if (!settings) return {};
    std::optional<std::string> matcher;
    for (const OwnHook& own : own_hooks(row, *settings)) {
        if (!is_required(*settings, own)) continue;
        if (matcher || !own.whole) return {};
        matcher = settings->string_of(settings->member(own.entry, "matcher"));
    }
    return matcher && !matcher->empty() ? matcher : std::nullopt;
}

core::Result<std::string> without_own_hooks(const AgentRow& row, const std::string& text) {
    HEADWAY_TRY(const SettingsText settings, SettingsText::parse(text));
    return settings.without(ids_to_remove(own_hooks(row, settings, true)));
}

std::string goal_of_own_hooks(const AgentRow& row, const std::string& text) {
    const auto settings = SettingsText::parse(text);
    if (!settings) return {};
    for (const OwnHook& own : own_hooks(row, *settings)) {
        for (const char* name : {"command", "bash"}) {
            std::string goal =
                goal_in_command(settings->string_of(settings->member(own.hook, name)));
            if (!goal.empty()) return goal;
        }
    }
    return {};
}

HookWay way_of_own_hooks(const AgentRow& row, const std::string& text, HookWay way) {
    const auto settings = SettingsText::parse(text);
    if (!settings) return way;
    const std::vector<OwnHook> there = own_hooks(row, *settings);
    way.commands = row.http && !there.empty();
    way.until = goal_of_own_hooks(row, text);
    for (const OwnHook& own : there) {
        if (settings->member(own.hook, "url") != SettingsText::kNone) way.commands = false;
    }
    for (const OwnHook& own : there) {
        const auto text_at = [&](const char* name) {
            return settings->string_of(settings->member(own.hook, name));
        };
        const std::string url = text_at("url");
        std::string named = url.substr(0, url.find("/v1/hooks/"));
        if (named.empty())
            named = url_in_command(text_at(text_at("bash").empty() ? "command" : "bash"));
        way.named = !named.empty() && named != kDefaultUrl;
        way.url = named.empty() ? std::string{kDefaultUrl} : named;
        const Id shown = settings->member(own.hook, "allowedEnvVars");
        const bool shows = shown != SettingsText::kNone &&
                           settings->compact(shown).find("HEADWAY_TOKEN") != std::string::npos;
        if (!url.empty()) way.token = shows;
        if (!url.empty() || !row.http) break;  // a command shows its token by itself
    }
    return way;
}

bool is_bare(const AgentRow& row, const std::string& text) {
    const auto settings = SettingsText::parse(text);
    if (!settings) return false;
    if (settings->root() == SettingsText::kNone) return true;
    const std::vector<Id> members = settings->children(settings->root());
    return row.layout == HookLayout::kFlat && settings->is_object(settings->root()) &&
           members.size() == 1 && settings->name_of(members.front()) == "version";
}

core::Result<OwnHooksState> own_hooks_state(const AgentRow& row, const std::string& text,
                                            const std::vector<HookEntry>& entries) {
    HEADWAY_TRY(const SettingsText settings, SettingsText::parse(text));
    const Comparison now = compare(row, settings, entries, true);
    OwnHooksState state{now.present, {}, now.stale.size()};
    for (const HookEntry& entry : now.missing)
        state.missing.emplace_back(entry.event);
    return state;
}

}  // namespace headway::cli
