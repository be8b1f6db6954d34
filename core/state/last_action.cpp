// SPDX-License-Identifier: Apache-2.0
#include "core/state/last_action.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

/// The command of `headway run`: its first word is the program, that is the tool.
constexpr std::string_view kArgv = R"("argv")";

// The most informative arguments of coding agents' tools, best first, as JSON.
constexpr std::array<std::string_view, 10> kTelling{
    R"("command")", R"("cmd")", kArgv,          R"("file_path")", R"("path")",
    R"("query")",   R"("url")", R"("pattern")", R"("prompt")",    R"("description")"};

static_assert(limits::kLastActionBytesMax / 2 > 2, "a tool's name and more fit");

void append_utf8(std::string& out, std::uint32_t code) {
    HEADWAY_ASSERT(code < 0x110000);
    const auto byte = [&out](std::uint32_t bits) { out.push_back(static_cast<char>(bits)); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xc0 | code >> 6);
        byte(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        byte(0xe0 | code >> 12);
        byte(0x80 | (code >> 6 & 0x3f));
        byte(0x80 | (code & 0x3f));
    } else {
        byte(0xf0 | code >> 18);
        byte(0x80 | (code >> 12 & 0x3f));
        byte(0x80 | (code >> 6 & 0x3f));
        byte(0x80 | (code & 0x3f));
    }
}

std::uint32_t hex4(std::string_view text) {
    std::uint32_t code = 0;
    std::from_chars(text.data(), text.data() + std::min<std::size_t>(text.size(), 4), code, 16);
    HEADWAY_ASSERT(code <= 0xffff);
    return code;
}

/// Decodes a \u escape; consumes its digits, and those of a second half.
std::uint32_t escaped(std::string_view& digits) {
    std::uint32_t code = hex4(digits);
    digits.remove_prefix(std::min<std::size_t>(digits.size(), 4));
    const bool pair = code >= 0xd800 && code < 0xdc00 && digits.starts_with("\\u");
    if (pair) {
        code = 0x10000 + ((code - 0xd800) << 10) + ((hex4(digits.substr(2)) - 0xdc00) & 0x3ff);
        digits.remove_prefix(std::min<std::size_t>(digits.size(), 6));
    }
    return code;
}

/// Appends the start of the JSON string whose content begins at `json`, on one line, until `out`
/// holds `bytes_max`; consumes what it reads.
void append_string(std::string& out, std::string_view& json, std::size_t bytes_max) {
    while (!json.empty() && json.front() != '"' && out.size() < bytes_max) {
        std::size_t plain = 0;
        const std::size_t room = std::min(json.size(), bytes_max - out.size());
        while (plain < room && json[plain] != '"' && json[plain] != '\\')
            ++plain;
        out.append(json.substr(0, plain));
        json.remove_prefix(plain);
        if (plain > 0) continue;
        json.remove_prefix(1);
        if (json.empty()) {
            out.push_back('\\');
            continue;
        }
        const char kind = json.front();
        json.remove_prefix(1);
        if (kind == 'u') {
            append_utf8(out, escaped(json));
        } else {
            out.push_back(std::string_view{"nrtbf"}.find(kind) != std::string_view::npos ? ' '
                                                                                         : kind);
        }
    }
}

/// The value of `quoted_key` in a JSON object, if it is a string or a list of strings. The same
/// text inside another string has escaped quotes, so it does not match.
std::string value_of(std::string_view args, std::string_view quoted_key, std::size_t bytes_max) {
    std::string out;
    const std::size_t at = args.find(quoted_key);
    if (at == std::string_view::npos) return out;
    std::string_view rest = trimmed(args.substr(at + quoted_key.size()));
    if (!rest.starts_with(':')) return out;
    rest = trimmed(rest.substr(1));
    const bool list = rest.starts_with('[');
    if (list) rest = trimmed(rest.substr(1));
    bool skip = list && quoted_key == kArgv;
    while (rest.starts_with('"') && out.size() < bytes_max) {
        if (!out.empty()) out.push_back(' ');
        rest.remove_prefix(1);
        append_string(out, rest, bytes_max);
        if (std::exchange(skip, false)) out.clear();
        rest = trimmed(rest.substr(std::min<std::size_t>(rest.size(), 1)));
        if (!list || !rest.starts_with(',')) break;
        rest = trimmed(rest.substr(1));
    }
    return out;
}

template <class Call>
std::string text_of(const Call& call) {
    return action_text(call.tool, call.target, call.args.kept);
}

}  // namespace

std::string action_text(std::string_view tool, std::string_view target, std::string_view args) {
    constexpr std::size_t kMax = limits::kLastActionBytesMax;
    std::string about{target.substr(0, kMax)};
    for (std::size_t i = 0; about.empty() && i < kTelling.size(); ++i)
        about = value_of(args, kTelling[i], kMax);
    std::string text{cut_text(tool, kMax / 2)};
    if (!about.empty()) text += ": " + about;
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
    }
    text.resize(cut_text(text, kMax).size());
    HEADWAY_ASSERT(text.size() <= kMax);
    return text;
}

void note_action(LazyOptional<LastAction>& last, const Event& event) {
    std::string text;
    if (const auto* started = std::get_if<ToolStarted>(&event.payload)) {
        text = text_of(*started);
    } else if (const auto* finished = std::get_if<ToolFinished>(&event.payload)) {
        text = text_of(*finished);
        // The finish of a call need not repeat what its start said.
        const bool names_tool = std::string_view{last->text}.starts_with(finished->tool) &&
                                last->text.compare(finished->tool.size(), 2, ": ") == 0;
        if (text == finished->tool && names_tool) text.clear();
    } else {
        return;
    }
    LastAction& action = last.change();
    if (!text.empty()) action.text = std::move(text);
    action.text.shrink_to_fit();
    action.at = event.at;
}

}  // namespace headway::core
