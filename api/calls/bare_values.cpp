// SPDX-License-Identifier: Apache-2.0
#include "api/calls/bare_values.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "api/json/json_document.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

constexpr std::size_t kBytesMax = 128;

/// `550e8400-e29b-41d4-a716-446655440000`
bool is_uuid(std::string_view token) {
    constexpr std::size_t kBytes = 36;
    constexpr std::size_t kGroups = 4;
    return token.size() == kBytes && std::count(token.begin(), token.end(), '-') == kGroups &&
           std::all_of(token.begin(), token.end(),
                       [](char c) { return core::is_hex(c) || c == '-'; });
}

/// A time, a date, an offset from UTC: digits and signs, and the letters of ISO 8601.
bool is_time(std::string_view token) {
    return std::all_of(token.begin(), token.end(), [](char c) {
        return core::is_digit(c) || c == ':' || c == '-' || c == '.' || c == ',' || c == '/' ||
               c == '+' || c == 'T' || c == 'Z';
    });
}

/// True if the token has two numbers with a sign of times or dates between them.
bool tells_a_time(std::string_view token) {
    for (std::size_t at = 1; at + 1 < token.size(); ++at) {
        const bool sign = token[at] == ':' || token[at] == '-' || token[at] == '/';
        if (sign && core::is_digit(token[at - 1]) && core::is_digit(token[at + 1])) return true;
    }
    return false;
}

/// `0x401004 in main ()`: where a program is, or what stands there.
bool is_address(std::string_view text) {
    constexpr std::size_t kWordsMax = 2;
    if (!text.starts_with("0x") || text.size() < 4) return false;
    std::size_t words = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool starts = core::is_word(text[at]) && (at == 0 || !core::is_word(text[at - 1]));
        if (starts && !core::is_digit(text[at])) ++words;
    }
    return words <= kWordsMax;
}

bool is_value(std::string_view text, bool uuids) {
    text = core::trimmed(text);
    if (is_address(text)) return true;
    bool tells = false;
    while (!text.empty()) {
        const std::string_view token = text.substr(0, text.find_first_of(" \t\n"));
        text = core::trimmed(text.substr(token.size()));
        if (token == "-->" || token == "to" || token == "UTC") continue;
        if (!(uuids && is_uuid(token)) && !is_time(token)) return false;
        tells = tells || is_uuid(token) || tells_a_time(token);
    }
    return tells;
}

/// `request_id`, `checked_at`, `ts`: of the call itself, and new with each. The task that was taken
/// is not, where the call takes the next one.
bool is_of_request(std::string_view key, bool takes) {
    static constexpr std::array<std::string_view, 4> kOfRequest{"request", "trace", "span",
                                                                "correlation"};
    static constexpr std::array<std::string_view, 4> kOfWork{"run", "transaction", "task", "job"};
    const std::string name = core::lower(key.substr(0, kBytesMax));
    return key == "ts" || key.ends_with("_at") || key.ends_with("At") ||
           core::mentions(name, kOfRequest) || (!takes && core::mentions(name, kOfWork));
}

}  // namespace

bool asks_a_clock(std::string_view words) {
    static constexpr std::array<std::string_view, 12> kClocks{
        "time", "date", "clock", "now",  "uuid",   "random",
        "ping", "beat", "last",  "seen", "update", "generate"};
    return core::mentions(core::lower(words.substr(0, 4 * kBytesMax)), kClocks);
}

bool asks_for_next(std::string_view tool, std::string_view args, std::string_view command) {
    static constexpr std::array<std::string_view, 10> kTakes{
        "next", "get", "fetch", "current", "peek", "pick", "claim", "take", "pop", "find"};
    // With arguments these hand something in.
    static constexpr std::array<std::string_view, 6> kTakesAlone{"dequeue", "lease",   "acquire",
                                                                 "reserve", "receive", "pull"};
    static constexpr std::array<std::string_view, 7> kTakesByCommand{
        "lpop", "rpop", "spop", "limit 1", "receive-message", "dequeue", "skip locked"};
    constexpr std::size_t kCommandMax = 1024;
    if (!command.empty())
        return core::mentions(core::lower(command.substr(0, kCommandMax)), kTakesByCommand);
    const std::string name = core::lower(tool.substr(0, kBytesMax));
    const bool alone = args.empty() || args == "{}" || args == "null";
    return core::mentions(name, kTakes) ||
           (alone && core::mentions(name, kTakesAlone) && name.find("release") == name.npos);
}

bool is_bare_value(std::string_view answer, bool uuids) {
    constexpr std::size_t kMembersMax = 2;
    answer = core::trimmed(answer);
    if (answer.empty() || answer.size() > kBytesMax) return false;
    if (!answer.starts_with('{')) return is_value(answer, uuids);
    JsonDocument document;
    if (!document.parse(answer)) return false;
    const JsonValue root = document.root();
    return root.size() >= 1 && root.size() <= kMembersMax && root.each([uuids](JsonValue member) {
        return member.kind() == JsonKind::kString && is_value(member.text(), uuids) &&
               !asks_a_clock(member.key()) && !is_of_request(member.key(), uuids);
    });
}

}  // namespace headway::api
