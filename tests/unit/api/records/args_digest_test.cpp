// SPDX-License-Identifier: Apache-2.0
#include "api/records/args_digest.hpp"

#include <catch2/catch.hpp>

#include "tests/support/gen.hpp"
#include "tests/support/names.hpp"

using namespace headway::api;
using namespace headway::tests;

namespace {

std::string digest(std::string_view json) {
    JsonDocument document;
    require_ok(document.parse(json));
    return args_digest(document.root());
}

std::string canonical(std::string_view json) {
    JsonDocument document;
    require_ok(document.parse(json));
    return canonical_json(document.root());
}

}  // namespace

TEST_CASE("args digest: it is SHA-256 of the canonical text", "[api]") {
    // printf '{}' | sha256sum
    CHECK(digest("{}") ==
          "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    CHECK(digest(" { } ") == no_args_digest());
    // printf '{"a":1,"b":[true,null,"x"]}' | sha256sum
    CHECK(digest(R"({"b": [true, null, "x"], "a": 1})") ==
          "sha256:eca8cfb31ab74533e1eb2f4c74d2d55dfe3c79ac704787e54be8647ea7777eb1");
}

TEST_CASE("args digest: keys are sorted at every depth and nothing else changes", "[api]") {
    CHECK(canonical(R"({"b":{"z":1,"a":{"d":[],"c":{}}},"a":[{"y":1,"x":2}]})") ==
          R"({"a":[{"x":2,"y":1}],"b":{"a":{"c":{},"d":[]},"z":1}})");
    CHECK(canonical(R"({"n":1.50,"e":1E3,"m":-0,"s":"\u00e9\n","t":"/"})") ==
          "{\"e\":1E3,\"m\":-0,\"n\":1.50,\"s\":\"\xc3\xa9\\n\",\"t\":\"/\"}");
    CHECK(canonical("[1,[2,3]]") == "[1,[2,3]]");
}

TEST_CASE("args digest: the same arguments in another order are equal", "[api]") {
    CHECK(digest(R"({"a":1,"b":{"c":2,"d":3}})") == digest(R"({"b":{"d":3,"c":2},"a":1})"));
    CHECK(digest(R"({"a":"\u0041"})") == digest(R"({"a":"A"})"));
}

TEST_CASE("args digest: whatever a person could read differently differs", "[api]") {
    const std::string_view all[] = {R"({"a":1})",
                                    R"({"a":1.0})",
                                    R"({"a":"1"})",
                                    R"({"a":true})",
                                    R"({"a":null})",
                                    R"({})",
                                    R"({"a":[1]})",
                                    R"({"A":1})",
                                    R"({"a":1,"b":null})",
                                    R"([1])",
                                    R"([[1]])",
                                    R"("a")",
                                    R"({"a":{"b":1}})",
                                    R"({"a":"b:1"})",
                                    R"({"pid":1,"a":1})",
                                    R"({"a":"/tmp/x1"})",
                                    R"({"a":"/tmp/x2"})",
                                    R"({"a":"./x"})",
                                    R"({"a":"x"})",
                                    R"([1,2])",
                                    R"([2,1])"};
    for (const auto& one : all) {
        for (const auto& other : all) {
            INFO(one << " " << other);
            CHECK((digest(one) == digest(other)) == (&one == &other));
        }
    }
}

TEST_CASE("args digest: reading the canonical text again changes nothing", "[api]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int i = 0; i < 500; ++i) {
        const std::string json = gen.json(5);
        const std::string text = canonical(json);
        CHECK(canonical(text) == text);
        CHECK(digest(text) == digest(json));
    }
}
