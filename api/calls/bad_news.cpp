// SPDX-License-Identifier: Apache-2.0
#include "api/calls/bad_news.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/calls/command.hpp"
#include "core/calls/command_parts.hpp"
#include "core/calls/tool_class.hpp"
#include "core/detection/classify.hpp"
#include "core/text/phrases.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

using core::CallFingerprint;
using core::CallKind;

/// True if the call prints what files say, where words about errors are content.
bool prints_content(const core::ToolFinished& call, std::string_view command) {
    static constexpr core::WordList<16> kShows{{"cat", "head", "tail", "sed", "awk", "grep", "rg",
                                                "ag", "ls", "find", "git", "diff", "less", "bat",
                                                "jq", "echo"}};
    // Pages, pods and tables are looked at as well: `http_get`, `list_pods`.
    static constexpr std::array<std::string_view, 10> kStates{
        "http", "url", "page", "health", "probe", "pod", "query", "status", "log", "describe"};
    if (command.empty())
        return core::class_of_tool(call.tool) == "class:read" ||
               (core::kind_of_call(call.tool, {}) == CallKind::kRead &&
                !core::mentions(core::lower(call.tool), kStates));
    const core::CommandParts parts{command};
    const auto first = std::find_if(parts.begin(), parts.end(), [](std::string_view part) {
        return !core::is_one_of(part, core::WordList<3>{{"cd", "pushd", "sleep"}});
    });
    return first == parts.end() || core::is_one_of(*first, kShows);
}

/// True if a word of a failure that ends before `behind` is part of a name, or a member that says
/// that there is none: `errors.ts`, `"error":null`.
bool says_none(std::string_view behind) {
    static constexpr std::array<std::string_view, 5> kNone{"null", "[]", "false", "none", "0"};
    static constexpr std::array<std::string_view, 4> kMembers{"message", "_message", "type",
                                                              "_type"};
    if (behind.starts_with('s')) behind.remove_prefix(1);
    for (const std::string_view member : kMembers) {  // `"errorMessage":"Task timed out"`
        if (behind.starts_with(member) && behind.substr(member.size()).starts_with('"'))
            behind.remove_prefix(member.size());
    }
    if (behind.empty()) return false;
    if (core::is_letter(behind[0]) || behind[0] == '_' || behind[0] == '/' || behind[0] == '-')
        return true;
    if (behind[0] == '.' && behind.size() > 1 && core::is_letter(behind[1])) return true;
    if (behind.starts_with("\":\"\"") || behind.starts_with("\": \"\"")) return true;
    const std::size_t value = behind.find_first_not_of("\"': =");
    if (value == behind.npos || value == 0) return false;
    const std::string_view rest = behind.substr(value);
    // As a whole value: `'NoneType' object`, "null value in column" and "0 rows" say something.
    const bool tight = behind.substr(0, value).find(' ') == behind.npos;  // "failed:0 skipped:1"
    const bool none = std::any_of(kNone.begin(), kNone.end(), [rest, tight](std::string_view word) {
        constexpr std::string_view kEnds = ",;}])\"\n\r/%";
        if (!rest.starts_with(word)) return false;
        const std::string_view more = rest.substr(word.size());
        const std::size_t next = more.find_first_not_of(' ');
        if (next == more.npos || kEnds.find(more[next]) != kEnds.npos) return true;
        if (next == 0) return more[0] == '.' && (more.size() == 1 || !core::is_word(more[1]));
        return (tight && word == "0") || more.find('=') != more.npos;
    });
    return none && behind.substr(0, value).find_first_of(":=") != behind.npos;
}

}  // namespace

bool brings_bad_news(const CallFingerprint& fingerprint, const core::ToolFinished& call,
                     std::string_view command, std::string_view answer) {
    constexpr std::size_t kBytesMax = 512;
    const bool asks = fingerprint.kind == CallKind::kOther || fingerprint.kind == CallKind::kRead ||
                      fingerprint.kind == CallKind::kPoll;
    if (!asks || !call.ok || answer.size() > kBytesMax || prints_content(call, command))
        return false;
    static constexpr core::Phrases kSigns{std::array<std::string_view, 4>{
        "crashloopbackoff", "(expected ", "http/2 5", "http/1.1 5"}};
    static constexpr core::Phrases kDenied{
        std::array<std::string_view, 8>{"no error", "0 error", "no failure", "0 failure",
                                        "0 failed", "failed: 0", "errors: 0", "without error"}};
    static constexpr std::array<std::string_view, 6> kWords{"error",  "exception", "failure",
                                                            "failed", "panic",     "fatal"};
    if (kDenied.any_in(answer)) return false;
    if (kSigns.any_in(answer)) return true;
    const std::string text = core::lower(answer);
    return std::any_of(kWords.begin(), kWords.end(), [&text](std::string_view word) {
        for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
            if (!says_none(std::string_view{text}.substr(at + word.size()))) return true;
        }
        return false;
    });
}

}  // namespace headway::api
