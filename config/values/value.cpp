// SPDX-License-Identifier: Apache-2.0
#include "config/values/value.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "core/text/words.hpp"

namespace headway::config {
namespace {

/// Backslashes before other letters stay, so that few texts need any thought.
bool is_special(char c) {
    return c == ',' || c == '\\';
}

Value::List split(std::string_view text) {
    Value::List items(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && is_special(text[i + 1])) {
            items.back() += text[++i];
        } else if (text[i] == ',') {
            items.emplace_back();
        } else {
            items.back() += text[i];
        }
    }
    return items;
}

std::string joined(const Value::List& items) {
    std::string text;
    for (const std::string& item : items) {
        if (!text.empty()) text += ',';
        for (const char c : item) {
            if (is_special(c)) text += '\\';
            text += c;
        }
    }
    return text;
}

std::string as_literal(std::string_view text) {
    std::string literal = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(byte));
            literal += escape;
            continue;
        }
        if (c == '"' || c == '\\') literal += '\\';
        literal += c;
    }
    return literal + '"';
}

}  // namespace

std::string Value::text() const {
    if (const auto* text = std::get_if<std::string>(&held_)) return *text;
    if (const auto* number = std::get_if<std::int64_t>(&held_)) return std::to_string(*number);
    if (const auto* number = std::get_if<double>(&held_)) {
        char digits[32];
        return {digits, std::to_chars(digits, digits + sizeof digits, *number).ptr};
    }
    if (const auto* on = std::get_if<bool>(&held_)) return *on ? "on" : "off";
    return joined(std::get<List>(held_));
}

bool Value::has_empty_items() const {
    const List items = is<List>() ? std::get<List>(held_) : split(text());
    return std::any_of(items.begin(), items.end(),
                       [](const std::string& item) { return core::trimmed(item).empty(); });
}

Value::List Value::items() const {
    List items = is<List>() ? std::get<List>(held_) : split(text());
    for (std::string& item : items)
        item = std::string(core::trimmed(item));
    std::erase(items, "");
    return items;
}

std::string Value::toml() const {
    if (const auto* on = std::get_if<bool>(&held_)) return *on ? "true" : "false";
    if (is<std::string>()) return as_literal(text());
    if (!is<List>()) return text();
    std::string list;
    for (const std::string& item : std::get<List>(held_))
        list.append(list.empty() ? "" : ", ").append(as_literal(item));
    return "[" + list + "]";
}

}  // namespace headway::config
