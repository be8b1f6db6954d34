// SPDX-License-Identifier: Apache-2.0
#include "api/json/json_in_text.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/limits.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

constexpr std::size_t kEscapeBytesMax = 12;  ///< two \uXXXX, of which the end may be missing

/// How far an object goes that begins at the start of `text`.
struct Extent {
    std::size_t bytes = 0;   ///< with its closing brace; 0 when the text ends first
    bool in_string = false;  ///< it ends in a string
    std::size_t depth = 0;
};

Extent extent_of(std::string_view text) {
    Extent extent;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (extent.in_string) {
            if (c == '\\') {
                ++i;
            } else if (c == '"') {
                extent.in_string = false;
            }
        } else if (c == '"') {
            extent.in_string = true;
        } else if (c == '{' || c == '[') {
            ++extent.depth;
        } else if ((c == '}' || c == ']') && --extent.depth == 0) {
            extent.bytes = i + 1;
            return extent;
        }
    }
    return extent;
}

bool has_any(JsonValue object, std::span<const std::string_view> names) {
    if (object.kind() != JsonKind::kObject) return false;
    return !object.each([&names](JsonValue member) {
        return std::find(names.begin(), names.end(), member.key()) == names.end();
    });
}

bool parses(std::string_view text, std::span<const std::string_view> names,
            JsonDocument& document) {
    return document.parse(text).has_value() && has_any(document.root(), names);
}

/// Parses an object of which only the end is missing, from somewhere in its last string on.
bool parses_closed(std::string_view text, std::span<const std::string_view> names,
                   JsonDocument& document) {
    for (std::size_t cut = 0; cut <= kEscapeBytesMax && cut < text.size(); ++cut) {
        const std::string_view kept = text.substr(0, text.size() - cut);
        if (parses(std::string{kept} + "\"}", names, document)) return true;
        if (kept.back() == '"') break;  // the string that was open began here
    }
    return false;
}

}  // namespace

std::string_view without_thoughts(std::string_view text) {
    struct Tags {
        std::string_view open;
        std::string_view close;
    };
    constexpr std::array<Tags, 2> kTags{{{"<think>", "</think>"}, {"<thinking>", "</thinking>"}}};
    for (const Tags& tags : kTags) {
        const std::size_t closed_at = text.rfind(tags.close);
        if (closed_at != std::string_view::npos) text.remove_prefix(closed_at + tags.close.size());
        text = text.substr(0, text.find(tags.open));
    }
    return core::trimmed(text);
}

bool parse_last_object(std::string_view text, std::span<const std::string_view> names,
                       JsonDocument& document) {
    std::optional<std::string> found;
    std::size_t at = text.find('{');
    for (std::size_t tries = 0; at != std::string_view::npos; ++tries) {
        if (tries == core::limits::kJudgeObjectsMax) return false;
        const std::string_view rest = text.substr(at);
        const Extent extent = extent_of(rest);
        std::size_t next = at + 1;
        if (extent.bytes > 0 && parses(rest.substr(0, extent.bytes), names, document)) {
            found = rest.substr(0, extent.bytes);
            next = at + extent.bytes;
        } else if (extent.bytes == 0 && extent.in_string && extent.depth == 1) {
            if (parses_closed(rest, names, document)) return true;
        }
        at = text.find('{', next);
    }
    return found && document.parse(*found).has_value();
}

}  // namespace headway::api
