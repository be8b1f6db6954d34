// SPDX-License-Identifier: Apache-2.0
#include "config/approval_keys.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "config/duration.hpp"
#include "core/limits.hpp"

namespace headway::config {
namespace {

using core::ApprovalRules;

constexpr std::int64_t kDay = 24LL * 3'600'000;

core::Error mistake(std::string detail) {
    return {core::ErrorCode::kInvalidConfig, std::move(detail), {}};
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> names;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view name = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
        name = name.substr(0, name.find_last_not_of(' ') + 1);
        if (!name.empty()) names.emplace_back(name);
    }
    return names;
}

template <auto Member>
Key tools_key(std::string name, std::string help) {
    Key key{std::move(name), Kind::kTextList, "tool names", true, std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        // TOML's form in a variable or an option would be the name of a tool that does not exist,
        // and the setting would protect nothing.
        if (text.find_first_of("[]\"'") != std::string_view::npos)
            return mistake("names go apart by commas, without brackets or quotes: deploy,rm");
        std::vector<std::string> names = split(text);
        if (names.size() > core::limits::kRequiredToolsMax) return mistake("more than 256 tools");
        settings.approvals.*Member = std::move(names);
        return {};
    };
    key.print = [](const Settings& s) {
        std::string text;
        for (const std::string& tool : s.approvals.*Member)
            text.append(text.empty() ? "" : ",").append(tool);
        return text;
    };
    return key;
}

// Bounds in milliseconds.
template <auto Member, std::int64_t Min, std::int64_t Max>
Key time_key(std::string name, std::string help) {
    std::string range =
        print_duration(milliseconds{Min}) + ".." + print_duration(milliseconds{Max});
    Key key{std::move(name), Kind::kDuration, std::move(range), true, std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_TRY(const milliseconds value, parse_duration(text));
        if (value < milliseconds{Min} || value > milliseconds{Max}) {
            return mistake("\"" + std::string(text) + "\" is out of range; use " +
                           print_duration(milliseconds{Min}) + " to " +
                           print_duration(milliseconds{Max}));
        }
        settings.approvals.*Member = value;
        return {};
    };
    key.print = [](const Settings& s) { return print_duration(s.approvals.*Member); };
    return key;
}

}  // namespace

void add_approval_keys(std::vector<Key>& table) {
    table.push_back(tools_key<&ApprovalRules::require_tools>(
        "approvals.require_tools",
        "Tools whose calls a person has to allow, by their exact names (bash is not Bash)."));
    table.push_back(tools_key<&ApprovalRules::approve_on_expiry>(
        "approvals.approve_on_expiry",
        "Tools whose calls time may approve where an agent asks for it (on_expiry approve)."));
    table.push_back(time_key<&ApprovalRules::approve_on_expiry_after, 1'000, 365 * kDay>(
        "approvals.approve_on_expiry_after",
        "The least time that a person has to reject such a call."));
    table.push_back(time_key<&ApprovalRules::execute_within, 0, 365 * kDay>(
        "approvals.execute_within",
        "An approved call that has not run after this raises an alarm; 0s never."));
}

}  // namespace headway::config
