// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/messages/acp_head.hpp"

#include <catch2/catch.hpp>
#include <cstddef>
#include <string>
#include <string_view>

using headway::cli::acp_head;
using headway::cli::AcpHead;
using headway::cli::AcpMembers;

TEST_CASE("acp head: the begin of a long message tells whether it may be an answer", "[cli]") {
    const auto head = [](const char* begin) {
        const AcpHead read = acp_head(begin);
        return (read.request ? "request " : "") + read.id;
    };
    CHECK(head(R"({"jsonrpc":"2.0","id":5.0,"result":{"pad":"x)") == "5");
    CHECK(head(R"( { "id" : "a,}\"" , "method":"session/prompt", "params":{"a":[1,{)") ==
          R"(request "a,}\"")");
    CHECK(head(R"({"result":{"id":7,"method":"x"},"\u0069d":8,"pad":")") == "8");
    CHECK(head(R"({"id":5)").empty());
    CHECK(head(R"({"id":5})") == "5");
    CHECK(head(R"({"method":null,"id":5,)") == "5");
    for (const char* other :
         {"", " ", "[{\"id\":5}", "{", "{}", "{\"id\"", "id:5", "{:,", "{\"id\":]"})
        CHECK(head(other).empty());
}

TEST_CASE("acp head: a line is clear if all readers find the same in it", "[cli]") {
    const auto clear = [](const std::string& line) { return acp_head(line).clear(); };
    for (const char* line :
         {"", "words: [1]", R"({"method":"a/b","params":[{"c":["d",1.5e-3,null]}],"id":1})",
          "\xEF\xBB\xBF {\"id\":1 , \"result\" :true}\r\n"})
        CHECK(clear(line));
    for (const char* line :
         {R"({"id":1)", R"({"id":1,)", R"([debug] {"id":1})", R"([{"id":1}])",
          R"({"id":1} {"id":2})", R"(0 {"id":1})", R"({"id":1}x)", R"({"a":1,"a":2})",
          R"({"Method":"a"})", R"({"method":"a","Params":{}})", R"({"method":"a","mETHOD":"b"})",
          R"({"method":["a"]})", R"({'id':1})", R"({id:1})", R"({"a":1,/*"*/"b":2})",
          R"({"a":["\u2028{"method":"b"}"]})", "{\"a\":\r{\"id\":1}}", "{\"a\":\"\r{\"}"})
        CHECK_FALSE(clear(line));
    CHECK_FALSE(clear(std::string{"{\"id\":1}\0{\"id\":2}", 17}));
    CHECK_FALSE(clear(R"({")" + std::string(2'000, 'x') + R"(":1})"));
}

TEST_CASE("acp head: what is known of no certain message has no id", "[cli]") {
    const auto known = [](const char* line) {
        const AcpHead head = acp_head(line);
        return head.whole && head.request && !head.id.empty();
    };
    CHECK(known(R"({"method":"a","id":1,"x":NaN})"));
    for (const char* line :
         {R"([debug] {"method":"a","id":1})", R"({"method":"a","id":1} read)",
          R"({"id":1,"result":0})", R"({"method":"a","id":1,"params":{)",
          R"({"method":"a","id":1,"id":2})", R"({"method":"a","id":1,"id":2,"id":3})",
          R"({"method":"a","id":[1],"id":2})", R"({"method":"a","Id":1,"id":2})"})
        CHECK_FALSE(known(line));
    CHECK(acp_head(R"({"id":3,"result":{"cost":NaN}})").reply);
    CHECK(acp_head(R"({"id":3,"error":NaN})").reply);
    CHECK_FALSE(acp_head(R"({"id":3,"params":{"result":NaN}})").reply);
}

TEST_CASE("acp head: members behind a long one are read, in parts of any size", "[cli]") {
    const std::string line =
        R"({"params":{"id":2,"method":"a","content":"[{\"}:,)" + std::string(3'000, 'x') +
        R"("},"m\u0065thod":"fs/write_text_file",")" + std::string(3'000, 'y') + R"(":1,"id":"5"})";
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, line.size()}) {
        AcpMembers members;
        for (std::size_t i = 0; i < line.size(); i += size)
            members.feed(std::string_view{line}.substr(i, size));
        CHECK(members.head().method == "fs/write_text_file");
        CHECK(members.head().id == "\"5\"");
        CHECK(members.head().whole);
        CHECK(members.head().odd);
    }
    AcpMembers cut;
    cut.feed(R"({"method":")" + std::string(3'000, 'x') + R"(","id":5})");
    CHECK((cut.head().method.empty() && cut.head().id == "5" && cut.head().odd));
}

TEST_CASE("acp head: blanks hide no member", "[cli]") {
    const std::string blanks(2'000, ' ');
    const std::string deed = R"("fs/write_text_file")";
    for (const std::string& line :
         {R"({"result":0,"method":)" + blanks + deed + "}",
          R"({"id":1,)" + blanks + R"("method":)" + deed + "}",
          R"({"method":"a","id":1,"method")" + blanks + ":" + deed + blanks + "}"})
        CHECK(acp_head(line).method == "fs/write_text_file");
}
