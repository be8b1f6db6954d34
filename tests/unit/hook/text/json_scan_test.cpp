// SPDX-License-Identifier: Apache-2.0
#include "hook/text/json_scan.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace headway::hook;

TEST_CASE("json scan: a member is read from the outermost object only", "[hook]") {
    const std::string body =
        R"({"a":"1", "tool_input":{"a":"2","path":"inner"}, "list":["path",{"path":"3"}],)"
        R"( "text":"{\"path\":\"4\"", "path" : "5","path":"6","number":7,"escaped":"a\/b"})";
    CHECK(text_member(body, "a") == "1");
    CHECK(text_member(body, "path") == "5");
    CHECK(text_member(body, "number").empty());
    CHECK(text_member(body, "escaped").empty());
    CHECK(text_member(body, "none").empty());
    CHECK(text_member(body, "1").empty());  // a value, no name
}

TEST_CASE("json scan: no cut body is read past its end", "[hook]") {
    const std::string body = R"({"tool_input":{"a":"\""},"path":"/a/b"})";
    for (std::size_t size = 0; size < body.size() - 2; ++size)
        CHECK(text_member(std::string(body, 0, size), "path").empty());
    CHECK(text_member(body, "path") == "/a/b");
    CHECK(text_member("\\", "path").empty());
    CHECK(text_member("\"\\", "path").empty());
}

TEST_CASE("json scan: a value is whole, whatever is in it", "[hook]") {
    const std::string body =
        R"({"a":{"b":[1,{"c":"}],"}],"d":2}, "e" : [ "]" ] ,"f":12 ,"g":"\"}"})";
    CHECK(member(body, "a") == R"({"b":[1,{"c":"}],"}],"d":2})");
    CHECK(member(member(body, "a"), "d") == "2");
    CHECK(member(body, "e") == R"([ "]" ] )");
    CHECK(member(body, "f") == "12 ");
    CHECK(member(body, "g") == R"("\"}")");
    CHECK(member(body, "b").empty());
    CHECK(member("", "a").empty());
    CHECK(member(R"({"a":{"b":1)", "a").empty());
}

TEST_CASE("json scan: a count is a whole number of at most twelve digits", "[hook]") {
    const std::string body =
        R"({"a":12 ,"b":-1,"c":1.5,"d":"7","e":999999999999,"f":1000000000000,"g":1e3,"h":0})";
    CHECK(count_member(body, "a") == 12);
    CHECK(count_member(body, "e") == 999'999'999'999);
    for (const char* name : {"b", "c", "d", "f", "g", "h", "none"})
        CHECK(count_member(body, name) == 0);
}
