// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/document_writer.hpp"
#include "api/json/json_document.hpp"

// A parsed line of a recording, and the event that the line means. The text of a line is parsed
// once; its values are copied from document to document.

namespace headway::cli {

/// The members of a line, which is an object; valid until its document parses another text.
class LineMembers {
public:
    /// Maximum number of members that are read; further members are ignored. With all the members
    /// that a line can hold, the searches for its parts would take quadratic time.
    static constexpr std::size_t kMax = 256;

    /// Replaces the members with those of `object`.
    void read(api::JsonValue object);
    /// The member; nothing if it is absent or null.
    std::optional<api::JsonValue> find(std::string_view name) const;
    /// The member; nothing if it is absent or of another kind.
    std::optional<api::JsonValue> find(std::string_view name, api::JsonKind kind) const;
    /// The text of a member; empty unless the member is text.
    std::string_view text_of(std::string_view name) const;
    std::optional<double> number_of(std::string_view name) const;

private:
    struct Member {
        std::string_view name;
        api::JsonValue value;
    };
    std::vector<Member> members_;  ///< all members that are not null
};

/// The text, cut to the limit of a string in API.md; JSON for other values. Pure.
std::string short_text(api::JsonValue value);

/// True for the types of agents' lines that stand for an event.
bool is_agents_event(std::string_view line_type);

/// Writes the event of an agent's line, with `id`, as the root of `to`; returns nothing if the line
/// is skipped. Error: the event does not fit into a document.
std::optional<core::Result<>> write_event(const LineMembers& line, std::string_view id,
                                          api::JsonDocument& to);

}  // namespace headway::cli
