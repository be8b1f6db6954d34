// SPDX-License-Identifier: Apache-2.0
#include "api/json_string.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/gen.hpp"

using namespace headway::api;
using namespace headway::tests;

namespace {

/// One byte after the other.
std::string plainly_quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        static constexpr std::string_view kHex = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out.append("\\").push_back(c);
        } else if (c == '\n' || c == '\r' || c == '\t') {
            out.append(c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
        } else if (byte < 0x20) {
            out.append("\\u00").append({kHex[byte >> 4U], kHex[byte & 15U]});
        } else {
            out.push_back(c);
        }
    }
    return out + "\"";
}

std::string as_json_string(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

}  // namespace

TEST_CASE("JSON string: every byte at every place of a text of up to 20", "[api]") {
    for (std::size_t size = 1; size <= 20; ++size) {
        for (std::size_t at = 0; at < size; ++at) {
            for (int byte = 0; byte < 256; ++byte) {
                std::string text(size, 'a');
                text[at] = static_cast<char>(byte);
                if (as_json_string(text) != plainly_quoted(text))
                    FAIL(byte << " at " << at << " of " << size);
            }
        }
    }
    CHECK(as_json_string("") == "\"\"");
}

TEST_CASE("JSON string: any bytes", "[api]") {
    Gen gen{seed()};
    for (int i = 0; i < 500; ++i) {
        const std::string text = gen.bytes(gen.below(100));
        CHECK(as_json_string(text) == plainly_quoted(text));
    }
}
