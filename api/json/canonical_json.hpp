// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/json_document.hpp"

// The canonical form of arguments and results (api/API.md, "How calls are compared"), and access to
// their members. Functions change only arguments.

namespace headway::api {

/// Keys that name a path, and keys whose value is a command; in lower case and without `_` and `-`.
inline constexpr std::array<std::string_view, 12> kPathKeys{
    "path",      "file", "filepath",     "filename",   "target",       "dir",
    "directory", "cwd",  "notebookpath", "targetfile", "absolutepath", "relativepath"};
inline constexpr std::array<std::string_view, 6> kCommandKeys{"command",     "cmd",  "script",
                                                              "commandline", "code", "input"};

/// Recordings replace the cut part of a text with a mark. The mark ends in these words.
inline constexpr std::string_view kCutMark = "chars cut]";

/// Appends the canonical form; texts beyond 256 KiB are cut. With `mask`, to be used for results,
/// the volatile parts are left out.
void append_canonical(std::string& out, JsonValue json, bool mask);

/// Appends the canonical form of an object without the members that name a path.
void append_without_paths(std::string& out, JsonValue object);

/// The path without a leading `./` or a trailing `/`.
std::string_view plain_path(std::string_view path);

/// `key` in lower case and without `_` and `-`, like the keys in the lists above; a view into
/// `buffer`. Empty if the result does not fit.
std::string_view plain_key(std::string_view key, std::array<char, 24>& buffer);

/// The member of this name; nothing if it is absent or null.
std::optional<JsonValue> member(JsonValue object, std::string_view name);

/// Looks for the keys of `keys`, in their order, and returns the first string found that is not
/// empty. The order of the members does not matter. Empty if there is no such string.
template <class List>
std::string_view text_under(std::optional<JsonValue> object, const List& keys) {
    std::string_view found;
    if (!object || object->kind() != JsonKind::kObject) return found;
    auto best = keys.end();
    object->each([&](JsonValue child) {
        if (child.kind() != JsonKind::kString || child.text().empty()) return true;
        std::array<char, 24> buffer;
        const auto at = std::find(keys.begin(), best, plain_key(child.key(), buffer));
        if (at != best) {
            best = at;
            found = child.text();
        }
        return best != keys.begin();
    });
    return found;
}

}  // namespace headway::api
