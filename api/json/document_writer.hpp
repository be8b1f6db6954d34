// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/base/limits.hpp"
#include "core/base/result.hpp"

namespace headway::api {

/// Builds an object in a document from texts and from the values of another document, without
/// printing and parsing JSON. Removes NUL from every text, because a document must not contain NUL.
class DocumentWriter {
public:
    /// Empties `to` and begins its root object. `to` must outlive the writer.
    explicit DocumentWriter(JsonDocument& to);

    // Members of the innermost open object. Each name may be written once per object.
    void begin_object(std::string_view name);
    void end_object();
    void text(std::string_view name, std::string_view value);
    void boolean(std::string_view name, bool value);
    void count(std::string_view name, std::uint64_t value);
    /// Copies `value`, which must be in another document.
    void copy(std::string_view name, JsonValue value);

    /// Ends the root. Error: kInvalidJson if the limits of JsonDocument::parse() are exceeded; the
    /// document is then empty.
    core::Result<> finish();

private:
    JsonDocument::Node& add(JsonKind kind, std::string_view name);
    std::uint32_t keep(std::string_view text);
    void keep_text(JsonDocument::Node& node, std::string_view text);

    static constexpr std::size_t kOwnDepthMax = 4;  ///< open objects, including the root

    JsonDocument& to_;
    std::array<std::uint32_t, kOwnDepthMax> open_{};
    std::size_t depth_ = 0;
    bool too_deep_ = false;
};

}  // namespace headway::api
