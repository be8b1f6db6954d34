// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace headway::core {

/// The class of a tool, judged by the tool's name and written as in policies and approvals:
/// `class:shell`, `class:edit`, `class:read`, `class:web`, `class:agent` or `class:mcp`; empty for
/// others. Agents name the same tool differently: `Bash`, `run_shell_command`, `exec_command`. A
/// tool may have several names: `Read (execute, edit)` has three. Its class is that of the name
/// that may do the most harm. Pure; linear in the name.
std::string_view class_of_tool(std::string_view tool);

/// True for the name of a class, such as `class:shell`.
bool is_tool_class(std::string_view name);

/// The error message for a rule that covers no tool: it is written like a class, such as
/// `Class:shel`, but names none, or it is a pattern, such as `mcp__*`, `Bash(rm:*)` or `Bash|Edit`.
/// Without the error, such a rule would protect nothing. Empty for classes and for names of tools.
/// Pure; linear in the rule.
std::string wrong_tool_rule(std::string_view rule);

/// True if `rule` applies to calls of `tool`: it is a name of the tool, or the class of such a
/// name. Pure.
bool rule_covers(std::string_view rule, std::string_view tool);

/// Like rule_covers(), for a rule that lets calls run: the rule must be the whole name of the tool,
/// or the class of the name that may do the most harm. Pure.
inline bool rule_lets(std::string_view rule, std::string_view tool) {
    return rule == tool || (!rule.empty() && rule == class_of_tool(tool));
}

}  // namespace headway::core
