// SPDX-License-Identifier: Apache-2.0
#include "api/text/sse.hpp"

#include <charconv>

namespace headway::api {

void append_sse(std::string& out, std::string_view event, std::optional<std::int64_t> id,
                std::string_view data) {
    if (id) {
        char digits[24];
        const auto end = std::to_chars(digits, digits + sizeof digits, *id).ptr;
        out.append("id: ").append(digits, static_cast<std::size_t>(end - digits)).append("\n");
    }
    out.append("event: ").append(event).append("\ndata: ").append(data).append("\n\n");
}

core::Result<std::int64_t> parse_position(std::string_view text, std::string_view field) {
    std::int64_t position = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
    if (error != std::errc{} || end != text.data() + text.size() || position < 0) {
        return core::Error{core::ErrorCode::kInvalidParameter,
                           "must be a whole number, the id of an event of this stream",
                           std::string{field}};
    }
    return position;
}

}  // namespace headway::api
