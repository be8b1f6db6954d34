// SPDX-License-Identifier: Apache-2.0
#include "core/calls/tool_class.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "core/text/suggest.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

constexpr std::string_view kShell = "class:shell";
constexpr std::string_view kEdit = "class:edit";
constexpr std::string_view kRead = "class:read";
constexpr std::string_view kWeb = "class:web";
constexpr std::string_view kAgent = "class:agent";
constexpr std::string_view kMcp = "class:mcp";
constexpr std::array<std::string_view, 6> kClasses{kShell, kEdit, kRead, kWeb, kAgent, kMcp};
constexpr std::array<std::string_view, 6> kByHarm{kShell, kEdit, kMcp, kWeb, kAgent, kRead};

// Lower-case names without `_`, `-` and blanks, of the agents in docs/agents/.
constexpr std::array<std::string_view, 26> kShellTools{"exec",
                                                       "jsrepl",
                                                       "bash",
                                                       "shell",
                                                       "runshellcommand",
                                                       "execcommand",
                                                       "executecommand",
                                                       "terminal",
                                                       "powershell",
                                                       "sh",
                                                       "zsh",
                                                       "runcommands",
                                                       "localshell",
                                                       "runterminalcommand",
                                                       "unifiedexec",
                                                       "writestdin",
                                                       "bashoutput",
                                                       "killshell",
                                                       "runcommand",
                                                       "runinterminal",
                                                       "monitor",
                                                       "writebash",
                                                       "writepowershell",
                                                       "shellcommand",
                                                       "readbash",
                                                       "execute"};  // of ACP
constexpr std::array<std::string_view, 20> kEditTools{"edit",
                                                      "write",
                                                      "multiedit",
                                                      "notebookedit",
                                                      "applypatch",
                                                      "writefile",
                                                      "replace",
                                                      "createfile",
                                                      "writetofile",
                                                      "replaceinfile",
                                                      "editfile",
                                                      "editor",
                                                      "strreplaceeditor",
                                                      "strreplacebasededittool",
                                                      "create",
                                                      "insert",
                                                      "patch",
                                                      "deletefile",
                                                      "delete",  // of ACP, as the next
                                                      "move"};
constexpr std::array<std::string_view, 21> kReadTools{
    "readfiles",   "searchcodebase",    "read",          "glob",           "grep",
    "ls",          "readfile",          "listdirectory", "list",           "readmanyfiles",
    "searchfiles", "searchfilecontent", "listfiles",     "find",           "viewimage",
    "view",        "notebookread",      "grepsearch",    "codebasesearch", "rg",
    "lsp"};
constexpr std::array<std::string_view, 12> kWebTools{
    "webfetch",        "websearch", "googlewebsearch", "fetch",  "browser", "browseraction",
    "fetchwebcontent", "webrun",    "fetchwebpage",    "search", "openurl", "webread"};
constexpr std::array<std::string_view, 12> kAgentTools{
    "delegatetoagent", "usesubagent", "usesubagents", "task",    "agent",     "spawnagent",
    "subagent",        "delegate",    "delegatetask", "newtask", "sendinput", "spawnagentteam"};

// Claude Code's own tools in an editor: claude-code-acp serves them in place of the built-in ones.
constexpr std::string_view kServed = "mcp__acp__";

std::string bare(std::string_view tool) {
    std::string name;
    for (const char c : tool) {
        if (c != '_' && c != '-' && c != ' ') name.push_back(lower(c));
    }
    return name;
}

std::string_view class_of_name(std::string_view tool) {
    constexpr std::size_t kNameBytesMax = 128;  // longer ones are no tool of an agent
    if (tool.empty() || tool.size() > kNameBytesMax) return {};
    if (tool.starts_with(kServed)) {
        const std::string_view served = class_of_name(tool.substr(kServed.size()));
        if (!served.empty()) return served;
    }
    const std::string name = bare(tool);
    if (tool.starts_with("mcp__") || tool.starts_with("mcp_") || name == "usemcptool") return kMcp;
    if (contains(kShellTools, name)) return kShell;
    if (contains(kEditTools, name)) return kEdit;
    if (contains(kReadTools, name)) return kRead;
    if (contains(kWebTools, name)) return kWeb;
    return contains(kAgentTools, name) ? kAgent : std::string_view{};
}

/// All names of a tool: `Read (execute)` is an agent's `Read` that it says to be an `execute`.
std::vector<std::string_view> names_of(std::string_view tool) {
    constexpr std::size_t kBytesMax = 512;
    std::vector<std::string_view> names;
    const auto add = [&names](std::string_view name) {
        names.push_back(name);
        if (name.starts_with(kServed)) names.push_back(name.substr(kServed.size()));
    };
    const std::size_t kinds = tool.rfind(" (");
    if (tool.size() > kBytesMax || kinds == std::string_view::npos || !tool.ends_with(')')) {
        add(tool);
        return names;
    }
    add(tool.substr(0, kinds));
    std::string_view rest = tool.substr(kinds + 2, tool.size() - kinds - 3);
    for (std::size_t end = 0; end != std::string_view::npos;) {
        end = rest.find(", ");
        add(rest.substr(0, end));
        if (end != std::string_view::npos) rest.remove_prefix(end + 2);
    }
    return names;
}

constexpr std::size_t kShownBytesMax = 64;

std::string quoted_rule(std::string_view rule) {
    return "\"" + std::string{cut_text(rule, kShownBytesMax)} + "\"";
}

/// A name of a tool without the form of a pattern: `Bash` of `Bash(rm:*)` and `Bash|Edit`; names
/// with blanks before a bracket are names. The whole name if it is no pattern.
std::string_view name_before_pattern(std::string_view name) {
    const std::size_t bracket = name.find('(');
    const bool of_calls =
        name.ends_with(')') && bracket != name.npos && bracket > 0 && name[bracket - 1] != ' ';
    if (of_calls) name = name.substr(0, bracket);
    if (name.starts_with('/')) return {};
    return name.substr(0, std::min(name.find_first_of("*|;=!"), name.size()));
}

/// The error for a rule that is written like a class and names none, or empty.
std::string wrong_class(std::string_view rule) {
    constexpr std::string_view kPrefix = "class:";
    const std::string small = lower(trimmed(rule));
    if (is_tool_class(rule)) return {};
    // `kind:shell` is no tool, but a class that is written wrong; `fs:read` is a tool.
    const std::size_t sign = small.find_first_of(":=");
    const std::string before = small.substr(0, sign);
    const bool near = before == "kind" || before == "type" || before == "tool" ||
                      before.starts_with("cla") || before.starts_with("group");
    const bool meant =
        sign != small.npos && near && is_tool_class(std::string{kPrefix} + small.substr(sign + 1));
    if (!small.starts_with(kPrefix) && !meant) return {};
    std::string known;
    for (const std::string_view name : kClasses)
        known.append(known.empty() ? "" : ", ").append(name);
    return quoted_rule(rule) + " is no class of tools; known are " + known +
           did_you_mean(small, kClasses);
}

}  // namespace

std::string_view class_of_tool(std::string_view tool) {
    const auto* harshest = kByHarm.end();
    for (const std::string_view name : names_of(tool))
        harshest =
            std::min(harshest, std::find(kByHarm.begin(), kByHarm.end(), class_of_name(name)));
    return harshest == kByHarm.end() ? std::string_view{} : *harshest;
}

bool rule_covers(std::string_view rule, std::string_view tool) {
    if (rule == tool) return true;
    if (rule.empty()) return false;
    const std::vector<std::string_view> names = names_of(tool);
    return std::any_of(names.begin(), names.end(), [rule](std::string_view name) {
        return rule == name || rule == class_of_name(name) ||
               (rule == kMcp && name.starts_with(kServed));
    });
}

bool is_tool_class(std::string_view name) {
    return contains(kClasses, name);
}

std::string wrong_tool_rule(std::string_view rule) {
    const std::string_view fix = name_before_pattern(rule);
    if (fix.size() == rule.size()) return wrong_class(rule);
    std::string text =
        quoted_rule(rule) + " is no name of a tool, and no tool would match it; write ";
    if (!fix.empty() && rule.find('(') != rule.npos)
        text += "the exact name, as " + quoted_rule(fix) + ", for all its calls, or ";
    else
        text += "exact names, or ";
    const std::string_view known = class_of_tool(fix);
    return text + "a class, as " + std::string{known.empty() ? "class:shell" : known};
}

}  // namespace headway::core
