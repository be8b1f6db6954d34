// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

// Settings files of other programs, edited as text: what is not ours stays byte for byte.

namespace headway::cli {

/// More is no settings file.
inline constexpr std::size_t kSettingsBytesMax = 4 * 1024 * 1024;
inline constexpr std::size_t kSettingsDepthMax = 200;

/// JSON with where each value stands in its text. Comments, trailing commas and a byte order mark
/// are allowed; a text of only these marks and spaces has no value.
class SettingsText {
public:
    using Id = std::uint32_t;
    static constexpr Id kNone = UINT32_MAX;

    enum class Kind : std::uint8_t { kObject, kArray, kString, kOther };

    /// Error: kInvalidParameter, "line 3, column 7: ..." of what is no JSON, or too much of it.
    static core::Result<SettingsText> parse(std::string text);

    const std::string& text() const { return text_; }
    Id root() const { return nodes_.empty() ? kNone : 0; }
    Kind kind(Id id) const { return nodes_[id].kind; }
    bool is_object(Id id) const { return id != kNone && kind(id) == Kind::kObject; }
    bool is_array(Id id) const { return id != kNone && kind(id) == Kind::kArray; }
    /// Children of a list or an object, in the order of the text.
    std::vector<Id> children(Id id) const;
    /// The last of several members with one name, as parsers take it; kNone: there is none.
    Id member(Id object, std::string_view name) const;
    std::string name_of(Id member) const;  ///< empty for an element
    /// What a text says; empty for other values.
    std::string string_of(Id id) const;
    /// The value as JSON on one line, without comments.
    std::string compact(Id id) const;
    /// "line 3, column 7".
    std::string place_of(Id id) const;

    /// The text with a new last element in the list at `path`, names from the root, whose parents
    /// are made where they are missing. `element` is JSON. In the manner of the file: its
    /// indentation, its line ends. Error: kInvalidParameter with the place, when something on the
    /// way is of another kind.
    core::Result<std::string> with_element(const std::vector<std::string>& path,
                                           std::string_view element) const;
    /// The text with a new last member in the object at `path`, which may be the root; see there.
    core::Result<std::string> with_member(const std::vector<std::string>& path,
                                          std::string_view name, std::string_view value) const;
    /// The text with JSON in the place of this value.
    std::string with_replaced(Id id, std::string_view value) const;

    /// The text without these values, and without the parents that an insertion made and that are
    /// empty now: what with_element() and with_member() gave becomes what it was. Nothing: the file
    /// has no value left and had none. Below the root only.
    std::string without(const std::vector<Id>& ids) const;

private:
    struct Node {
        Kind kind = Kind::kOther;
        std::size_t begin = 0;  ///< of the name, where there is one
        std::size_t name_end = 0;
        std::size_t value = 0;
        std::size_t end = 0;
        std::size_t comma = std::string::npos;  ///< behind it
        Id parent = kNone;
        Id first = kNone;
        Id next = kNone;
    };
    struct Style {
        std::string newline;  ///< empty: all on one line
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
    std::vector<Node> nodes_;                 ///< each behind its parent
    std::vector<std::size_t> line_comments_;  ///< where they end, in order
};

/// JSON text of a string. Pure.
std::string json_text(std::string_view text);

}  // namespace headway::cli
