// SPDX-License-Identifier: Apache-2.0
#include "core/text/base64.hpp"

#include <catch2/catch.hpp>

using namespace headway::core;

TEST_CASE("base64: the examples of RFC 4648, both ways", "[core]") {
    const std::pair<std::string, std::string> cases[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : cases) {
        CHECK(to_base64(bytes) == text);
        CHECK(from_base64(text) == bytes);
    }
    std::string all;
    for (int i = 0; i < 256; ++i)
        all += static_cast<char>(i);
    CHECK(from_base64(to_base64(all)) == all);
}

TEST_CASE("base64: incomplete text is refused", "[core]") {
    for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "====", "Zm9v\n", "Zm 9", "Zm9-",
                             "=Zg=", "Zh==", "Zm9v=", "Zg==Zg=="})
        CHECK_FALSE(from_base64(text).has_value());
}
