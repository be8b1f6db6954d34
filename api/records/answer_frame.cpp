// SPDX-License-Identifier: Apache-2.0
#include "api/records/answer_frame.hpp"

#include <array>

#include "api/json/json_document.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

using core::trimmed;

/// Playwright MCP begins or ends the answer to each action with the code of the action, a quote of
/// the question, and says "undefined" of a script without a value.
std::string_view without_ran_code(std::string_view result) {
    constexpr std::string_view kRan = "Ran Playwright code";
    constexpr std::string_view kOpen = "\n```js\n";
    constexpr std::string_view kClose = "\n```";
    constexpr std::string_view kNoValue = "### Result\nundefined";
    const std::size_t ran = result.find(kRan);
    const std::size_t line = ran == result.npos ? ran : result.rfind('\n', ran);
    const std::size_t open = ran == result.npos ? ran : result.find(kOpen, ran);
    if (open == result.npos || open > ran + kRan.size() + 1) return result;  // a colon, at most
    const std::size_t close = result.find(kClose, open + kOpen.size() - 1);
    if (close == result.npos) return result;
    std::string_view before = line == result.npos ? "" : trimmed(result.substr(0, line));
    const std::string_view behind = trimmed(result.substr(close + kClose.size()));
    if (before == kNoValue) before = {};
    if (before.empty()) return behind == kNoValue ? std::string_view{} : behind;
    return behind.empty() ? before : result;
}

}  // namespace

std::string_view without_frame(std::string_view result) {
    // Gemini CLI and its kin; mini-swe-agent.
    constexpr std::string_view kOut = "\nStdout: ";
    constexpr std::string_view kErr = "\nStderr: ";
    constexpr std::string_view kTag = "<output>";
    constexpr std::string_view kTagEnd = "</output>";
    if (result.starts_with("Command: ")) {
        const std::size_t from = result.find(kOut);
        if (from == result.npos) return result;
        const std::size_t start = from + kOut.size();
        const std::size_t end = result.find(kErr, start - 1);
        const std::string_view text =
            trimmed(result.substr(start, end == result.npos ? end : end - start));
        if (text != "(empty)") return text;
        if (end == result.npos) return {};
        const std::string_view errors = result.substr(end + kErr.size());
        const std::string_view words = trimmed(errors.substr(0, errors.find("\nError: ")));
        return words == "(empty)" ? std::string_view{} : words;
    }
    if (result.starts_with("Chunk ID: ")) {  // Codex: a random number, then how long it took
        const std::size_t end = result.find('\n');
        if (end != result.npos && result.substr(end + 1).starts_with("Wall time: "))
            return result.substr(end + 1);
    }
    if (result.starts_with("### ") || result.starts_with("- Ran ")) return without_ran_code(result);
    if (result.starts_with("<returncode>")) {
        const std::size_t from = result.find(kTag);
        if (from == result.npos) return result;
        const std::size_t start = from + kTag.size();
        const std::size_t end = result.rfind(kTagEnd);
        if (end == result.npos || end < start) return trimmed(result.substr(start));
        return trimmed(result.substr(start, end - start));
    }
    return result;
}

bool lists_nothing(std::string_view result) {
    constexpr std::size_t kBytesMax = 256;
    static constexpr std::array<std::string_view, 3> kNames{"mode", "output_mode", "type"};
    static constexpr std::array<std::string_view, 2> kTimes{"durationMs", "duration_ms"};
    result = trimmed(result);
    if (result.size() > kBytesMax || !result.starts_with('{') || result.find("[]") == result.npos)
        return false;
    JsonDocument document;
    if (!document.parse(result)) return false;
    return document.root().each([](JsonValue member) {
        switch (member.kind()) {
            case JsonKind::kArray:
                return member.size() == 0;
            case JsonKind::kString:
                return member.text().empty() || core::contains(kNames, member.key());
            case JsonKind::kUnsigned:
                return member.unsigned_integer() == 0 || core::contains(kTimes, member.key());
            case JsonKind::kBoolean:
                return !member.boolean();
            default:
                return member.kind() == JsonKind::kNull;
        }
    });
}

}  // namespace headway::api
