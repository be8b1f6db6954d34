// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "config/load/sections.hpp"
#include "config/values/parse.hpp"
#include "core/base/limits.hpp"

namespace headway::config {
namespace {

using core::ApprovalRules;

core::Result<Value::List> read_required(const Value& value) {
    // TOML's form in a variable or an option would be the name of a tool that does not exist,
    // and the setting would protect nothing.
    if (value.is<std::string>() && value.text().find_first_of("[]\"'") != std::string::npos)
        return mistake("names go apart by commas, without brackets or quotes: deploy,rm");
    for (const std::string& item : value.items()) {
        // No tool has such a name, and the tools that were meant would go unprotected.
        if (item.find(',') != std::string::npos)
            return mistake("one name an item: [\"deploy\", \"rm\"]");
    }
    return parse_tools(value, core::limits::kRequiredToolsMax);
}

template <auto Member>
Key tools_key(std::string name, std::string help) {
    return value_row<read_required, &Settings::approvals, Member>(
        Kind::kTextList, "tool names", std::move(name), kReload, std::move(help));
}

}  // namespace

void add_approval_keys(std::vector<Key>& table) {
    table.push_back(tools_key<&ApprovalRules::require_tools>(
        "approvals.require_tools",
        "Tools whose calls a person has to allow, by their exact names (bash is not Bash), or "
        "class:shell and the like."));
    table.push_back(tools_key<&ApprovalRules::approve_on_expiry>(
        "approvals.approve_on_expiry",
        "Tools whose calls time may approve where an agent asks for it (on_expiry approve)."));
    table.push_back(time_row<1'000, 365 * kDayMs, &Settings::approvals,
                             &ApprovalRules::approve_on_expiry_after>(
        "approvals.approve_on_expiry_after", kReload,
        "The least time that a person has to reject such a call."));
    table.push_back(time_row<0, kDayMs, &Settings::approvals, &ApprovalRules::agent_dialog_wait>(
        "approvals.agent_dialog_wait", kReload,
        "How long a request for an agent's own permission dialog waits; 0s: no such request."));
    table.push_back(switch_row<kOffOn, 1, &Settings::approvals, &ApprovalRules::copilot_dialogs>(
        "approvals.copilot_dialogs", kReload,
        "The same for Copilot CLI, which asks about every call that its own rules allow, too."));
    table.push_back(time_row<0, 365 * kDayMs, &Settings::approvals, &ApprovalRules::execute_within>(
        "approvals.execute_within", kReload,
        "An approved call that has not run after this raises an alarm; 0s never."));
}

}  // namespace headway::config
