// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "api/text/entities.hpp"

using namespace headway::api;

TEST_CASE("entities: no text ends an element, an attribute or an entity", "[api]") {
    CHECK(with_entities(R"(<b title="a&b">&lt;</b>)") ==
          "&lt;b title=&quot;a&amp;b&quot;&gt;&amp;lt;&lt;/b&gt;");
}

TEST_CASE("entities: other text stays as it is", "[api]") {
    CHECK(with_entities("") == "");
    CHECK(with_entities("it's 3 µs\n") == "it's 3 µs\n");
}
