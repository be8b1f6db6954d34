// SPDX-License-Identifier: Apache-2.0
#include "api/json/json_document.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"
#include "core/redaction/secrets.hpp"
#include "tests/support/names.hpp"

using namespace headway::api;
using namespace headway::tests;
using headway::core::ErrorCode;
namespace limits = headway::core::limits;

namespace {

std::string nested(std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
}

std::string compact(std::string_view text) {
    JsonDocument document;
    require_ok(document.parse(text));
    std::string out;
    document.root().append_to(out);
    return out;
}

}  // namespace

TEST_CASE("json document: what is JSON is accepted and written back compactly", "[api]") {
    struct Case {
        const char* name;
        std::string text;
        std::string back;
    };
    const Case cases[] = {
        {"object", R"( { "b" : 1 , "a" : [ true , false , null ] } )",
         R"({"b":1,"a":[true,false,null]})"},
        {"empty containers", R"([{},[],""])", R"([{},[],""])"},
        {"numbers as they came", "[0,-1,1.50,1e3,-0.0,18446744073709551615]",
         "[0,-1,1.50,1e3,-0.0,18446744073709551615]"},
        {"a number above 64 bits", "123456789012345678901234567890",
         "123456789012345678901234567890"},
        {"escapes", R"("\u00e4\n\"\\\/\u0001\ud83d\ude00")", "\"ä\\n\\\"\\\\/\\u0001😀\""},
        {"the same key in two objects", R"([{"a":1},{"a":2}])", R"([{"a":1},{"a":2}])"},
        {"a nested key like an outer one", R"({"a":{"a":1}})", R"({"a":{"a":1}})"},
        {"an empty key", R"({"":1})", R"({"":1})"},
        {"64 levels", nested(64), nested(64)},
    };
    for (const Case& c : cases) {
        DYNAMIC_SECTION(c.name) {
            CHECK(compact(c.text) == c.back);
        }
    }
}

TEST_CASE("json document: what is not JSON, or too much of it, is refused", "[api]") {
    std::string many = "[0";
    for (std::size_t i = 0; i < limits::kJsonNodesMax; ++i)
        many += ",0";
    const std::pair<const char*, std::string> cases[] = {
        {"nothing", ""},
        {"blanks", " \r\n\t"},
        {"65 levels", nested(65)},
        {"65 levels of objects",
         [] {
             std::string text;
             for (int i = 0; i < 65; ++i)
                 text += "{\"a\":";
             return text + "1" + std::string(65, '}');
         }()},
        {"a bomb", std::string(100'000, '[')},
        {"a duplicate key", R"({"a":1,"b":2,"a":3})"},
        {"a duplicate key behind an escape", R"({"a":1,"\u0061":2})"},
        {"a duplicate key inside", R"([{"x":{"a":1,"a":1}}])"},
        {"a NUL", std::string("[1]\0", 4)},
        {"a NUL in a string", std::string("\"a\0b\"", 5)},
        {"a raw control character", "\"a\nb\""},
        {"invalid UTF-8", "\"\xFF\""},
        {"overlong UTF-8", "\"\xC0\xAF\""},
        {"a surrogate in UTF-8", "\"\xED\xA0\x80\""},
        {"half a surrogate pair", R"("\ud800")"},
        {"a cut sequence", "\"\xE2\x86\""},
        {"a number out of range", "1e400"},
        {"a leading zero", "01"},
        {"a plus", "+1"},
        {"a bare point", "1."},
        {"not a number", "NaN"},
        {"infinity", "-Infinity"},
        {"trailing garbage", "{} x"},
        {"two values", "{}{}"},
        {"a trailing comma", "[1,]"},
        {"a comment", "[1] // one"},
        {"single quotes", "{'a':1}"},
        {"an unclosed object", R"({"a":1)"},
        {"an unclosed string", "\"a"},
        {"a wrong bracket", "[1}"},
        {"more values than a body may have", many},
    };
    for (const auto& [name, text] : cases) {
        DYNAMIC_SECTION(name) {
            JsonDocument document;
            const auto parsed = document.parse(text);
            CHECK(code_of(parsed) == ErrorCode::kInvalidJson);
            CHECK_FALSE(parsed.error().detail.empty());
            CHECK(parsed.error().detail.size() < 300);
        }
    }
}

TEST_CASE("json document: the reason is printable whatever the body was", "[api]") {
    JsonDocument document;
    const auto parsed = document.parse("{\"\xFF\x01\": \x02}");
    REQUIRE_FALSE(parsed.has_value());
    for (const char c : parsed.error().detail)
        CHECK((c >= ' ' && c < 0x7f));
}

TEST_CASE("json document: values tell their kind", "[api]") {
    JsonDocument document;
    require_ok(document.parse(R"([null,true,7,-7,7.5,"x",[1,2],{"k":1},9223372036854775808])"));
    std::vector<JsonKind> kinds;
    document.root().each([&](JsonValue value) {
        kinds.push_back(value.kind());
        return true;
    });
    CHECK((kinds == std::vector{JsonKind::kNull, JsonKind::kBoolean, JsonKind::kUnsigned,
                                JsonKind::kNegative, JsonKind::kNumber, JsonKind::kString,
                                JsonKind::kArray, JsonKind::kObject, JsonKind::kUnsigned}));
    CHECK(document.root().size() == 9);
}

TEST_CASE("json document: members come in order with their keys, and a visit can stop", "[api]") {
    JsonDocument document;
    require_ok(document.parse(R"({"b":[{"x":1}],"a":"text","c":3})"));
    std::string keys;
    CHECK(document.root().each([&](JsonValue value) {
        keys += value.key();
        return true;
    }));
    CHECK(keys == "bac");
    CHECK_FALSE(document.root().each([&](JsonValue value) { return value.key() != "a"; }));
}

TEST_CASE("json document: a document is used again, also after a refusal", "[api]") {
    JsonDocument document;
    require_ok(document.parse(R"({"first":[1,2,3]})"));
    CHECK_FALSE(document.parse("[1,").has_value());
    require_ok(document.parse("7"));
    CHECK(document.root().unsigned_integer() == 7);
    CHECK(document.root().key().empty());
}

TEST_CASE("json document: strings are escaped as little as JSON asks", "[api]") {
    std::string out;
    append_json_string(out, std::string_view{"a\"\\\n\r\t\b\x1f\x7f/ä😀\0z", 18});
    CHECK(out == "\"a\\\"\\\\\\n\\r\\t\\u0008\\u001f\x7f/ä😀\\u0000z\"");
}

TEST_CASE("json document: a word that names a secret makes one of the value after it", "[api]") {
    const headway::core::SecretFinder secrets;
    JsonDocument document;
    document.redact_with(&secrets);
    const auto redacted = [&](std::string_view text) {
        REQUIRE(document.parse(text).has_value());
        std::string out;
        document.root().append_redacted_to(out);
        CHECK(document.root().holds_secret() == (out != text));
        return out;
    };
    CHECK(redacted(R"(["mysql","--password","Zq77x9","-h","db"])") ==
          R"(["mysql","--password","[redacted]","-h","db"])");
    CHECK(redacted(R"({"command":["true","--api-key","Zq77x9kk2","--verbose"]})") ==
          R"({"command":["true","--api-key","[redacted]","--verbose"]})");
    CHECK(redacted(R"([["Authorization","Zq77x9kk2"],["Accept","text/html"]])") ==
          R"([["Authorization","[redacted]"],["Accept","text/html"]])");
    CHECK(redacted(R"([{"name":"DB_PASSWORD","value":"Zq77x9"},{"name":"HOST","value":"db"}])") ==
          R"([{"name":"DB_PASSWORD","value":"[redacted]"},{"name":"HOST","value":"db"}])");
    CHECK(redacted(R"({"Name":"DB_PASSWORD","Value":"Zq77x9"})") ==
          R"({"Name":"DB_PASSWORD","Value":"[redacted]"})");
    CHECK(redacted(R"({"key":"api_key","value":{"v":"Zq77x9kk2"}})") ==
          R"({"key":"api_key","value":{"v":"[redacted]"}})");
    for (const char* kept :
         {R"(["--password","--verbose"])", R"(["--color","Zq77x9"])",
          R"(["password","field","is required"])", R"({"name":"password","type":"string"})",
          R"(["--password"])", R"(["tool","--no-password","a1.txt"])",
          R"({"name":7,"value":"Zq77x9"})"}) {
        CHECK(redacted(kept) == kept);
    }
}

TEST_CASE("json document: a number under the name of a secret is redacted like text", "[api]") {
    const headway::core::SecretFinder secrets;
    JsonDocument document;
    document.redact_with(&secrets);
    const auto redacted = [&](std::string_view text) {
        require_ok(document.parse(text));
        std::string out;
        document.root().append_redacted_to(out);
        return out;
    };
    CHECK(redacted(R"({"password":123456789012,"secret":{"a":[{"b":987654321}]}})") ==
          R"({"password":"[redacted]","secret":{"a":[{"b":"[redacted]"}]}})");
    CHECK(redacted(R"({"passcode":-1234.5})") == R"({"passcode":"[redacted]"})");
    for (const char* kept : {R"({"password":1})", R"({"token":4096})", R"({"max_tokens":12345678})",
                             R"({"port":12345678})", R"({"password":true})"}) {
        CHECK(redacted(kept) == kept);
    }
    CHECK(document.root().holds_secret() == false);
}
