// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/texts/refusals.hpp"

#include <algorithm>
#include <span>

namespace headway::api::hooks {
namespace {

/// A phrase at the beginning of the words, or, with a `rest`, a beginning and what follows it
/// somewhere. An empty `begin` is any beginning.
struct Phrase {
    std::string_view begin;
    std::string_view rest = {};
};

// Claude Code 2.1.332: rules, modes, the classifier of auto mode, hooks, dialogs, sub-agents.
constexpr Phrase kClaudePhrases[]{
    {"Permission to use "},
    {"Permission for this "},
    {"Permission denied for "},
    {"Permission rule '"},
    {"Claude requested permissions to "},
    {"This command requires approval"},
    {"The user doesn't want to proceed with this tool use"},
    {"The user doesn't want to take this action"},
    {"Current permission mode ("},
    {"This ", " call was NOT run"},
    {"This code was NOT run"},
    {"Claude Code did not run this "},
    {"A PreToolUse hook ("},
    {"Execution stopped by PreToolUse hook"},
    {"PreToolUse:", " hook error: "},
    {"Hook '", " blocked this action"},
    {"", " requires approval for this "},
    {"", " contains multiple operations that require approval"},
    {"", " contains multiple operations. The following "},
    {"", " did not run. It needs the user's approval"},
    {"", " needs approval. "},
    {"", " was blocked. For security, Claude Code "},
    {"", " is denied by your permission settings"},
};

// Codex 0.171, in the output that PostToolUse shows.
constexpr Phrase kCodexPhrases[]{
    {"exec command rejected by user"},
    {"patch rejected by user"},
    {"user rejected MCP tool call"},
    {"user cancelled MCP tool call"},
    {"MCP tool call cancelled"},
    {"MCP tool call requires approval"},
    {"Command blocked by PreToolUse hook"},
    {"Tool call blocked by PreToolUse hook"},
    {"rejected by configuration"},
    {"rejected by user"},
    {"automatic approval review denied"},
    {"approval required by policy"},
    {"writing is blocked by read-only sandbox; rejected by user approval settings"},
    {"writing outside of the project; rejected by user approval settings"},
    {"PermissionRequest hook denied approval"},
    {"you cannot ask for escalated permissions"},
};

// Copilot CLI 1.0.102.
constexpr Phrase kCopilotPhrases[]{
    {"Permission denied and "},
    {"The user rejected this tool call"},
    {"User rejected"},
    {"Denied by "},
    {"The tool call was denied"},
    {"Tool execution was denied"},
    {"", "could not request permission from user"},
    {"", "denied by preToolUse hook"},
    {"", "denied by permissionRequest hook"},
    {"", "denied by a rule"},
};

// Cline 3.0.
constexpr Phrase kClinePhrases[]{
    {"The user denied this operation"},
    {"The user denied this tool"},
    {"User denied"},
    {"User rejected"},
    {"Tool call was denied"},
    {"Tool use was denied"},
    {"", "was rejected by the user"},
    {"", "denied by a hook"},
    {"", "is not allowed in plan mode"},
};

// Gemini CLI 0.61.
constexpr Phrase kGeminiPhrases[]{
    {"Tool execution blocked: "},
    {"Tool execution denied by policy"},
    {"User denied execution"},
    {"User rejected this operation"},
    {"Agent execution blocked"},
    {"", " denied by policy."},
    {"", " requires user confirmation, which is not supported in non-interactive mode"},
    {"", " denied by user.]"},
};

// opencode 1.18 and Kilo 7.7: also in REFUSED of their plugin.
constexpr Phrase kOpencodePhrases[]{
    {"", "rejected permission"},      {"", "specified a rule which prevents"},
    {"", "PermissionRejectedError"},  {"", "PermissionDeniedError"},
    {"", "PermissionCorrectedError"}, {"", "QuestionRejectedError"},
    {"", "dismissed this question"},  {"This non-interactive run cannot ask "},
};

// Qwen Code 0.24.4.
constexpr Phrase kQwenPhrases[]{
    {"Qwen Code requires permission to use "},
    {"Qwen Code is not allowed to use denied tools"},
    {"Tool execution blocked by "},
    {"Tool invocation denied by "},
    {"Permission denied by permission_request hook"},
    {"Permission denied for tool"},
    {"Plan mode blocked a "},
    {"Non-interactive mode declined permission"},
    {"Daemon shell guard denied "},
    {"User declined to answer"},
    {"", " is blocked by the permissions.deny "},
    {"", " is not allowed by this agent's execution allowlist"},
    {"", "but that permission was declined"},
};

std::span<const Phrase> phrases_of(Refusing agent) {
    switch (agent) {
        case Refusing::kOfClaude:
            return kClaudePhrases;
        case Refusing::kOfCodex:
            return kCodexPhrases;
        case Refusing::kOfCopilot:
            return kCopilotPhrases;
        case Refusing::kOfCline:
            return kClinePhrases;
        case Refusing::kOfGemini:
            return kGeminiPhrases;
        case Refusing::kOfOpencode:
            return kOpencodePhrases;
        case Refusing::kOfQwen:
            break;
    }
    return kQwenPhrases;
}

}  // namespace

bool says_refused(Refusing agent, std::string_view words) {
    // The rest may be the output of a tool.
    words = words.substr(0, kRefusalBytesRead);
    const auto phrases = phrases_of(agent);
    return std::any_of(phrases.begin(), phrases.end(), [words](const Phrase& phrase) {
        return words.starts_with(phrase.begin) &&
               words.find(phrase.rest, phrase.begin.size()) != std::string_view::npos;
    });
}

}  // namespace headway::api::hooks
