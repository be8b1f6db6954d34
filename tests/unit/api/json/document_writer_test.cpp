// SPDX-License-Identifier: Apache-2.0
#include "api/json/document_writer.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "core/base/limits.hpp"
#include "tests/support/names.hpp"

using namespace headway::api;
using namespace headway::tests;
using headway::core::ErrorCode;
namespace limits = headway::core::limits;

namespace {

std::string written_text(const JsonDocument& document) {
    std::string out;
    document.root().append_to(out);
    return out;
}

std::string copied(std::string_view json) {
    JsonDocument from;
    require_ok(from.parse(json));
    JsonDocument to;
    DocumentWriter writer(to);
    writer.copy("value", from.root());
    writer.text("last", "");
    require_ok(writer.finish());
    return written_text(to);
}

}  // namespace

TEST_CASE("document writer: what is written reads as if it had been parsed", "[api]") {
    JsonDocument to;
    require_ok(to.parse(R"({"old":1})"));
    DocumentWriter writer(to);
    writer.text("text", "a \"b\"");
    writer.boolean("yes", true);
    writer.begin_object("inner");
    writer.count("count", 7);
    writer.end_object();
    writer.count("behind", 18'446'744'073'709'551'615U);
    require_ok(writer.finish());
    CHECK(written_text(to) ==
          R"({"text":"a \"b\"","yes":true,"inner":{"count":7},"behind":18446744073709551615})");
    std::size_t members = 0;
    to.root().each([&members](JsonValue member) {
        if (member.key() == "behind") CHECK(member.unsigned_integer() == ~std::uint64_t{0});
        ++members;
        return true;
    });
    CHECK(members == 4);
}

TEST_CASE("document writer: values of another document are copied whole", "[api]") {
    for (const char* json : {R"({"b":[1,-2,3.50,{"c":[]}],"a":{"t":"x\ny","n":null},"z":false})",
                             R"([[["deep"],[]],{}])", R"("text")", "null", "true", "12.0"}) {
        CHECK(copied(json) == "{\"value\":" + std::string{json} + ",\"last\":\"\"}");
    }
}

TEST_CASE("document writer: only the value is copied, not what stands beside it", "[api]") {
    JsonDocument from;
    require_ok(from.parse(R"({"before":[1],"wanted":{"a":[2]},"behind":3})"));
    JsonDocument to;
    DocumentWriter writer(to);
    from.root().each([&writer](JsonValue member) {
        if (member.key() == "wanted") writer.copy("as", member);
        return true;
    });
    require_ok(writer.finish());
    CHECK(written_text(to) == R"({"as":{"a":[2]}})");
}

TEST_CASE("document writer: NUL is taken out of texts", "[api]") {
    CHECK(copied(R"(["a\u0000b","\u0000","c"])") == R"({"value":["ab","","c"],"last":""})");
}

TEST_CASE("document writer: what a parser refuses is not written either", "[api]") {
    const std::size_t levels = limits::kJsonDepthMax;
    JsonDocument from;
    require_ok(from.parse(std::string(levels, '[') + std::string(levels, ']')));
    JsonDocument to;
    DocumentWriter deeper(to);
    deeper.copy("value", from.root());
    const auto refused = deeper.finish();
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == ErrorCode::kInvalidJson);
    CHECK_THAT(refused.error().detail, Catch::StartsWith("nested more than"));
    require_ok(from.parse(std::string(levels - 1, '[') + std::string(levels - 1, ']')));
    DocumentWriter as_deep(to);
    as_deep.copy("value", from.root());
    CHECK(as_deep.finish().has_value());

    std::string many = "[0";
    for (std::size_t i = 2; i < limits::kJsonNodesMax; ++i)
        many += ",0";
    require_ok(from.parse(many + "]"));
    DocumentWriter more(to);
    more.copy("value", from.root());
    CHECK_THAT(more.finish().error().detail, Catch::StartsWith("more than"));
}
