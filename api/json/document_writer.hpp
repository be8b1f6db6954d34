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

/// Puts an object together on a document, out of texts and of values of another document, so that
/// nothing has to be printed and parsed to be decoded. Takes NUL out of every text: a document has
/// none.
class DocumentWriter {
public:
    /// Empties `to` and begins its root, an object. It has to live as long as the writer.
    explicit DocumentWriter(JsonDocument& to);

    // Members of the object that was begun last. A name is written once an object.
    void begin_object(std::string_view name);
    void end_object();
    void text(std::string_view name, std::string_view value);
    void boolean(std::string_view name, bool value);
    void count(std::string_view name, std::uint64_t value);
    /// `value` is of another document.
    void copy(std::string_view name, JsonValue value);

    /// Ends the root. Error: kInvalidJson for more than parse() takes; the document is then empty.
    core::Result<> finish();

private:
    JsonDocument::Node& add(JsonKind kind, std::string_view name);
    std::uint32_t keep(std::string_view text);
    void keep_text(JsonDocument::Node& node, std::string_view text);

    static constexpr std::size_t kOwnDepthMax = 4;  ///< of begin_object(), with the root

    JsonDocument& to_;
    std::array<std::uint32_t, kOwnDepthMax> open_{};
    std::size_t depth_ = 0;
    bool too_deep_ = false;
};

}  // namespace headway::api
