// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/json/json_tape.hpp"
#include "core/base/limits.hpp"
#include "core/base/result.hpp"

namespace headway::api {

/// Puts an object together on a tape, out of texts and of values of another tape, so that nothing
/// has to be printed and parsed to be decoded. Takes NUL out of every text: a tape has none.
class TapeWriter {
public:
    /// Empties `to` and begins its root, an object. It has to live as long as the writer.
    explicit TapeWriter(JsonTape& to);

    // Members of the object that was begun last. A name is written once an object.
    void begin_object(std::string_view name);
    void end_object();
    void text(std::string_view name, std::string_view value);
    void boolean(std::string_view name, bool value);
    void count(std::string_view name, std::uint64_t value);
    /// `value` is of another tape.
    void copy(std::string_view name, JsonValue value);

    /// Ends the root. Error: kInvalidJson for more than parse() takes; the tape is then empty.
    core::Result<> finish();

private:
    JsonTape::Node& add(JsonKind kind, std::string_view name);
    std::uint32_t keep(std::string_view text);
    void keep_text(JsonTape::Node& node, std::string_view text);

    static constexpr std::size_t kOwnDepthMax = 4;  ///< of begin_object(), with the root

    JsonTape& to_;
    std::array<std::uint32_t, kOwnDepthMax> open_{};
    std::size_t depth_ = 0;
    bool too_deep_ = false;
};

}  // namespace headway::api
