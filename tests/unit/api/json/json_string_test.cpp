// SPDX-License-Identifier: Apache-2.0
#include "api/json/json_string.hpp"

#include <catch2/catch.hpp>
#include <charconv>
#include <cmath>
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

std::string as_json_number(double v) {
    std::string out;
    append_json_number(out, v);
    return out;
}

/// As the standard library writes it.
std::string shortest(double v) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, v).ptr};
}

}  // namespace

TEST_CASE("JSON number: hundredths, and what is next to them, are the shortest text", "[api]") {
    for (int i = -100; i <= 2'000'000; ++i) {
        const double v = static_cast<double>(i) / 100;
        if (as_json_number(v) != shortest(v)) FAIL(shortest(v) << " as " << as_json_number(v));
        const double next = std::nextafter(v, 1e9);
        if (i % 100 == 0 && as_json_number(next) != shortest(next)) FAIL(shortest(next));
    }
    CHECK(as_json_number(-0.0) == "-0");
    CHECK(as_json_number(0.5) == "0.5");
    CHECK(as_json_number(0.05) == "0.05");
    CHECK(as_json_number(12) == "12");
    CHECK(as_json_number(1e300) == "1e+300");
}

TEST_CASE("JSON number: any number", "[api]") {
    Gen gen{seed()};
    for (int i = 0; i < 20'000; ++i) {
        const double v = static_cast<double>(gen.below(1'000'000'000)) /
                         std::pow(10.0, static_cast<double>(gen.below(12)));
        if (as_json_number(v) != shortest(v)) FAIL(shortest(v));
    }
}

TEST_CASE("JSON string: every byte at every place of a text of up to 70", "[api]") {
    for (std::size_t size = 1; size <= 70; ++size) {
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
