// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

// Edits the settings files of other programs as text, so that everything except Headway's entries
// stays the same, byte for byte.

namespace headway::cli {

/// Limits of a settings file: a longer or deeper text is refused.
inline constexpr std::size_t kSettingsBytesMax = 4 * 1024 * 1024;
inline constexpr std::size_t kSettingsDepthMax = 200;

/// JSON with the position of each value in its text. Comments, trailing commas and a byte order
/// mark are allowed; a text that consists only of these and spaces has no value.
class SettingsText {
public:
    using Id = std::uint32_t;
    static constexpr Id kNone = UINT32_MAX;

    enum class Kind : std::uint8_t { kObject, kArray, kString, kOther };

    /// Parses `text`. Error: kInvalidParameter with the place ("line 3, column 7: ...") if the text
    /// is not JSON or is too large.
    static core::Result<SettingsText> parse(std::string text);

    const std::string& text() const { return text_; }
    Id root() const { return nodes_.empty() ? kNone : 0; }
    Kind kind(Id id) const { return nodes_[id].kind; }
    bool is_object(Id id) const { return id != kNone && kind(id) == Kind::kObject; }
    bool is_array(Id id) const { return id != kNone && kind(id) == Kind::kArray; }
    /// Children of a list or an object, in the order of the text.
    std::vector<Id> children(Id id) const;
    /// The member of this name; the last one if there are several, as parsers choose it; kNone if
    /// there is none.
    Id member(Id object, std::string_view name) const;
    std::string name_of(Id member) const;  ///< name of a member; empty for a list's element
    /// The content of a string; empty for other values.
    std::string string_of(Id id) const;
    /// The value as JSON on one line, without comments.
    std::string compact(Id id) const;
    /// "line 3, column 7".
    std::string place_of(Id id) const;

    /// The text with a new last element in the list at `path`, which consists of names from the
    /// root; missing parents are inserted. `element` is JSON. The file's style (indentation and
    /// line ends) is kept. Error: kInvalidParameter with the place, if a value on the path is of
    /// another kind.
    core::Result<std::string> with_element(const std::vector<std::string>& path,
                                           std::string_view element) const;
    /// The text with a new last member in the object at `path`, which may be the root; see
    /// with_element().
    core::Result<std::string> with_member(const std::vector<std::string>& path,
                                          std::string_view name, std::string_view value) const;
    /// The text with the JSON `value` in place of the value `id`.
    std::string with_replaced(Id id, std::string_view value) const;

    /// The text without these values, and without parents that an insertion made and that are now
    /// empty. Undoes with_element() and with_member(). If the file had no value before the
    /// insertion, it has none again. Only for values below the root.
    std::string without(const std::vector<Id>& ids) const;

private:
    struct Node {
        Kind kind = Kind::kOther;
        std::size_t begin = 0;  ///< beginning of the name, if it has one
        std::size_t name_end = 0;
        std::size_t value = 0;
        std::size_t end = 0;
        std::size_t comma = std::string::npos;  ///< place of the comma after the value, if there is
                                                ///< one
        Id parent = kNone;
        Id first = kNone;
        Id next = kNone;
    };
    struct Style {
        std::string newline;  ///< line end; empty: all on one line
        std::string indent;
        std::string after_colon;
    };
    struct Edit {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::string text;
    };
    class Parser;

    Style style() const;
    std::string print(Id id, const Style& style, const std::string& margin) const;
    static std::string printed(std::string_view json, const Style& style,
                               const std::string& margin);
    std::string place_at(std::size_t at) const;
    std::string margin_of_line(std::size_t at) const;
    std::size_t space_before(std::size_t at) const;
    bool has_comment(std::size_t begin, std::size_t end) const;
    bool made_by_us(Id container) const;
    std::string with_child(Id parent, std::string_view name, std::string_view value) const;
    /// Where the new last child of a container goes, and how it is written.
    struct Slot {
        std::string before;
        Style style;
        std::string margin;
        std::size_t at = 0;
    };
    Slot slot_in_empty(Id parent) const;
    Slot slot_behind(Id parent, Id last) const;
    core::Result<std::string> insert(const std::vector<std::string>& path, std::string_view name,
                                     std::string_view value, Kind inner) const;
    void remove_some(Id container, const std::vector<bool>& gone, std::vector<Edit>& edits) const;
    std::string applied(std::vector<Edit> edits) const;

    std::string text_;
    std::vector<Node> nodes_;                 ///< each node comes after its parent
    std::vector<std::size_t> line_comments_;  ///< ends of line comments, in order
};

/// JSON text of a string. Pure.
std::string json_text(std::string_view text);

}  // namespace headway::cli
