// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/document_writer.hpp"
#include "api/json/json_document.hpp"

// A line of a recording as the parser left it, and the event that it stands for. The text of a line
// is read once: what is taken from it goes from document to document.

namespace headway::cli {

/// The members of a line that is an object; valid until its document parses again.
class LineMembers {
public:
    /// Members that are read; the rest is ignored. A search among as many as a line can hold, for
    /// each part of it, would take time by their square.
    static constexpr std::size_t kMax = 256;

    /// From now on of this object.
    void read(api::JsonValue object);
    /// Nothing for null too.
    std::optional<api::JsonValue> find(std::string_view name) const;
    /// Nothing for what is of another kind.
    std::optional<api::JsonValue> find(std::string_view name, api::JsonKind kind) const;
    /// Empty for what is no text.
    std::string_view text_of(std::string_view name) const;
    std::optional<double> number_of(std::string_view name) const;

private:
    struct Member {
        std::string_view name;
        api::JsonValue value;
    };
    std::vector<Member> members_;  ///< but those that are null
};

/// At most as long as a string of API.md may be; JSON for what is no text. Pure.
std::string short_text(api::JsonValue value);

/// True for the types of agents' lines that stand for an event.
bool is_agents_event(std::string_view line_type);

/// Writes what an agent's line stands for, with `id`, as the root of a document; nothing: it is
/// skipped. Error: the event is one that no document holds.
std::optional<core::Result<>> write_event(const LineMembers& line, std::string_view id,
                                          api::JsonDocument& to);

}  // namespace headway::cli
