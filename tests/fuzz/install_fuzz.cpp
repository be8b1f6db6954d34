// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/agents/install/own_hooks.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/work.hpp"

// Settings of agents, as people and other programs write them: what is put in can be taken out
// again, byte for byte, or nothing is put in.

using namespace headway;
using namespace headway::cli;

namespace {

std::vector<const AgentRow*> rows() {
    std::vector<const AgentRow*> found;
    for (const AgentRow& row : agent_rows()) {
        if (row.layout == HookLayout::kGroups || row.layout == HookLayout::kFlat)
            found.push_back(&row);
    }
    return found;
}

HookWay way_of(std::size_t choice) {
    HookWay way;
    way.url = choice & 1U ? "http://127.0.0.1:7717" : "http://[::1]:9";
    way.program = choice & 2U ? "/usr/bin/headway-hook" : "/opt/my \"tools\"/headway-hook";
    way.named = (choice & 1U) == 0;
    way.token = (choice & 4U) != 0;
    way.require = choice & 8U ? "Bash|Edit" : "";
    return way;
}

SettingsText parsed(const std::string& text) {
    auto settings = SettingsText::parse(text);
    tests::require(settings.has_value());
    return *std::move(settings);
}

std::string installed(const AgentRow& row, const std::string& before, const HookWay& way) {
    const auto entries = hook_entries(row, way);
    const auto after = with_own_hooks(row, before, entries, false);
    if (!after) {
        tests::require(after.error().detail.starts_with("line "));
        return {};
    }
    const auto state = own_hooks_state(row, *after, entries);
    tests::require(state && state->missing.empty() && state->others == 0);
    tests::require(state->present == entries.size());
    const auto again = with_own_hooks(row, *after, entries, false);
    tests::require(again && *again == *after);
    return *after;
}

std::string uninstalled(const AgentRow& row, const std::string& text) {
    const auto after = without_own_hooks(row, text);
    tests::require(after.has_value());
    tests::require(own_hooks(row, parsed(*after), true).empty());
    return *after;
}

void there_and_back(const AgentRow& row, const std::string& text, std::size_t choice) {
    const tests::LittleWork work;
    if (const auto settings = SettingsText::parse(text); !settings) {
        tests::require(installed(row, text, way_of(choice)).empty());
        return;
    }
    const std::string before = uninstalled(row, text);
    const std::string with = installed(row, before, way_of(choice));
    if (with.empty()) return;
    std::string expected = before;
    if (row.layout == HookLayout::kFlat) {
        // The file's own version stays.
        const SettingsText settings = parsed(before);
        if (settings.member(settings.root(), "version") == SettingsText::kNone) return;
    }
    tests::require(uninstalled(row, with) == expected);
    // As another version of us would write them, in the place of these.
    const std::string renewed = installed(row, with, way_of(~choice));
    tests::require(!renewed.empty());
    const std::string back = installed(row, renewed, way_of(choice));
    tests::require(uninstalled(row, back) == expected);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<const AgentRow*> kRows = rows();
    tests::Bytes bytes{data, size};
    const AgentRow& row = *kRows[bytes.choose(kRows.size())];
    const std::size_t choice = bytes.choose(32);
    const std::string text{bytes.rest()};
    there_and_back(row, text, choice);
    if (choice == 16) there_and_back(row, "[" + tests::grown(text + ",") + "]", choice);
    return 0;
}
