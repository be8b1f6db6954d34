// SPDX-License-Identifier: Apache-2.0
#include "core/calls/tool_class.hpp"

#include <array>
#include <string>

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
constexpr std::array<std::string_view, 18> kEditTools{"edit",
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
                                                      "deletefile"};
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

std::string bare(std::string_view tool) {
    std::string name;
    for (const char c : tool) {
        if (c != '_' && c != '-' && c != ' ') name.push_back(lower(c));
    }
    return name;
}

}  // namespace

std::string_view class_of_tool(std::string_view tool) {
    constexpr std::size_t kNameBytesMax = 128;  // longer ones are no tool of an agent
    if (tool.empty() || tool.size() > kNameBytesMax) return {};
    const std::string name = bare(tool);
    if (tool.starts_with("mcp__") || tool.starts_with("mcp_") || name == "usemcptool") return kMcp;
    if (contains(kShellTools, name)) return kShell;
    if (contains(kEditTools, name)) return kEdit;
    if (contains(kReadTools, name)) return kRead;
    if (contains(kWebTools, name)) return kWeb;
    return contains(kAgentTools, name) ? kAgent : std::string_view{};
}

bool is_tool_class(std::string_view name) {
    return contains(kClasses, name);
}

std::string wrong_tool_class(std::string_view rule) {
    constexpr std::string_view kPrefix = "class:";
    constexpr std::size_t kShownBytesMax = 64;
    const std::string small = lower(trimmed(rule));
    if (!small.starts_with(kPrefix) || is_tool_class(rule)) return {};
    std::string known;
    for (const std::string_view name : kClasses)
        known.append(known.empty() ? "" : ", ").append(name);
    return "\"" + std::string{cut_text(rule, kShownBytesMax)} +
           "\" is no class of tools; known are " + known + did_you_mean(small, kClasses);
}

}  // namespace headway::core
