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

TEST_CASE("acp head: a message hides something until it tells what it is", "[cli]") {
    const auto hides = [](const char* begin) { return acp_head(begin).hides(); };
    CHECK(hides(R"({"jsonrpc":"2.0","id":1,"params":{"content":"x)"));
    CHECK(hides(R"( [{"method":"session/update"},)"));
    CHECK(hides("\xEF\xBB\xBF{"));
    for (const char* other : {"", "words", R"({"method":"a/b","params":{)", R"({"id":1,"result":{)",
                              R"({"id":1,"error" : )"})
        CHECK_FALSE(hides(other));
}

TEST_CASE("acp head: members behind a long one are read, in parts of any size", "[cli]") {
    const std::string line = R"({"params":{"id":2,"method":"a","content":"[{\"}:,)" +
                             std::string(3'000, 'x') +
                             R"("},"m\u0065thod":"fs/write_text_file",")" +
                             std::string(3'000, 'y') + R"(":1,"id":[1],"id":"5"})";
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, line.size()}) {
        AcpMembers members;
        for (std::size_t i = 0; i < line.size(); i += size)
            members.feed(std::string_view{line}.substr(i, size));
        CHECK(members.head().method == "fs/write_text_file");
        CHECK(members.head().id == "\"5\"");
        CHECK_FALSE(members.head().hides());
    }
    AcpMembers cut;
    cut.feed(R"({"method":")" + std::string(3'000, 'x') + R"(","id":5})");
    CHECK((cut.head().method.empty() && cut.head().id == "5"));
}
