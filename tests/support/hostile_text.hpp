// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "core/text/visible.hpp"
#include "tests/support/gen.hpp"

namespace headway::tests {

/// 500 different texts by which an agent would hide what it asks for: sequences for terminals, what
/// turns the order of letters or takes no room, and what looks like an escape, JSON or a blank.
inline std::set<std::string> hostile_texts() {
    const std::string parts[] = {
        "echo hi ", "rm -rf ~", " ",       "\\",         "u{1b}",      "\\u{1b}",  "\\x{ff}",
        "\x1b]0;",  "\a",       "\x1b[2K", "\x1b[8m",    "\x1b",       "\b\b\b\b", "\r",
        "\n",       "\t",       "\x7f",    "\u0085",     "\u009b",     "31m",      "\u202e",
        "\u2066",   "\u200b",   "\u200f",  "\ufeff",     "\u00a0",     "\u00ad",   "\u034f",
        "\u115f",   "\u17b4",   "\u180b",  "\u2028",     "\u2800",     "\u3000",   "\u3164",
        "\uffa0",   "\ufe0f",   "\ufff9",  "\U000e0041", "\U0001d173", "\"",       "{\"a\":1}",
        "[1]",      "null",     "\u00e9",  "e\u0301"};
    Gen gen{7};
    std::set<std::string> texts{"{\"a\":1}", "\"echo\"", "1",  " 1",   "null",
                                "a",         "a ",       " a", "a  b", "a b"};
    while (texts.size() < 500) {
        std::string text;
        for (std::uint64_t left = 1 + gen.below(5); left > 0; --left)
            text += gen.pick(parts);
        texts.insert(text);
    }
    return texts;
}

/// Fails for a character that a reader does not see, except line ends of our own.
inline void require_visible(std::string_view shown) {
    while (!shown.empty()) {
        const core::Character next = core::first_character(shown);
        REQUIRE(next.bytes > 0);
        REQUIRE((next.point == '\n' || !core::is_hidden(next.point)));
        shown.remove_prefix(next.bytes);
    }
}

}  // namespace headway::tests
