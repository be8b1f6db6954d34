// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// Options of commands that several agents share.

namespace headway::cli {

inline constexpr std::string_view kGeminiGreedy[] = {"-e",
                                                     "--extensions",
                                                     "--include-directories",
                                                     "--allowed-tools",
                                                     "--allowed-mcp-server-names",
                                                     "--core-tools",
                                                     "--exclude-tools",
                                                     "--add-dir",
                                                     "--fallback-model"};
inline constexpr std::string_view kGeminiTalk[] = {"--session-id", "--resume", "-r"};
inline constexpr std::string_view kGeminiNoRun[] = {"--list-sessions", "--delete-session",
                                                    "--list-extensions", "-l", "-v"};
inline constexpr std::string_view kOpencodeValued[] = {
    "-m",         "--model", "--agent",  "--format",  "-f",          "--file",
    "--title",    "--port",  "--attach", "--variant", "--log-level", "--dir",
    "--password", "-p",      "-u",       "--username"};
/// A command is the first prompt, whose words are its arguments.
inline constexpr std::string_view kOpencodeTalk[] = {"-s", "--session", "--command"};
inline constexpr std::string_view kOpencodeNewest[] = {"-c", "--continue", "--fork"};
inline constexpr std::string_view kDir[] = {"--dir"};
inline constexpr std::string_view kWorktree[] = {"-w", "--worktree"};
inline constexpr std::string_view kWorktreeLong[] = {"--worktree"};
inline constexpr std::string_view kOutputFormat[] = {"--output-format", "-o"};
inline constexpr std::string_view kFormat[] = {"--format"};
inline constexpr std::string_view kJson[] = {"--json"};

}  // namespace headway::cli
