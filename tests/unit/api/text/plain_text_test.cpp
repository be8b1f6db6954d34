// SPDX-License-Identifier: Apache-2.0
#include "api/text/plain_text.hpp"

#include <catch2/catch.hpp>
#include <string>

using headway::api::as_utf8;
using headway::api::tail_of;

TEST_CASE("plain text: what is no UTF-8 becomes U+FFFD", "[api]") {
    CHECK(as_utf8("caf\xC3\xA9") == "caf\xC3\xA9");
    CHECK(as_utf8("a\xFF"
                  "b") ==
          "a\xEF\xBF\xBD"
          "b");
    CHECK(as_utf8("\xC3") == "\xEF\xBF\xBD");                              // cut
    CHECK(as_utf8("\xC0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD");              // overlong
    CHECK(as_utf8("\xED\xA0\x80").find('\xED') == std::string::npos);      // a surrogate
    CHECK(as_utf8("\xF4\x90\x80\x80").find('\xF4') == std::string::npos);  // above U+10FFFF
    CHECK(as_utf8(std::string_view{"a\0b", 3}) == "ab");
}

TEST_CASE("plain text: a short text is whole, without white space around it", "[api]") {
    CHECK(tail_of("", 10).empty());
    CHECK(tail_of(" \n ", 10).empty());
    CHECK(tail_of("\n done \n", 10) == "done");
    CHECK(tail_of("0123456789", 10) == "0123456789");
}

TEST_CASE("plain text: of a long one the end is kept, and says that it was cut", "[api]") {
    CHECK(tail_of("0123456789a", 10) ==
          "\xE2\x80\xA6"
          "456789a");
    const std::string accents = "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9";
    for (std::size_t max = 4; max < 20; ++max) {
        const std::string tail = tail_of(accents, max);
        CHECK(tail.size() <= max);
        CHECK(tail.find("\xEF\xBF\xBD") == std::string::npos);  // never cut in the middle
    }
    // Each byte becomes three.
    CHECK(tail_of(std::string(100, '\xFF'), 10).size() <= 10);
}
