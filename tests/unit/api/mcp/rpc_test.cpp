// SPDX-License-Identifier: Apache-2.0
#include "api/mcp/rpc.hpp"

#include <catch2/catch.hpp>

using namespace headway;
using namespace headway::api;

namespace {

core::Result<mcp::Message> ping(JsonDocument& document, const std::string& id) {
    const std::string body = R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}";
    REQUIRE(document.parse(body).has_value());
    return mcp::read_message(document.root());
}

}  // namespace

TEST_CASE("mcp rpc: the id comes back as it was", "[api]") {
    JsonDocument document;
    for (const char* id : {"7", "\"a \\\"b\\\"\""}) {
        const auto message = ping(document, id);
        REQUIRE(message.has_value());
        CHECK(message->id == id);
        CHECK(mcp::result_of(message->id, "{}") ==
              R"({"jsonrpc":"2.0","id":)" + std::string{id} + R"(,"result":{}})");
    }
}

TEST_CASE("mcp rpc: an id that is kept while a person answers has a bound", "[api]") {
    JsonDocument document;
    CHECK(ping(document, "\"" + std::string(510, 'x') + "\"").has_value());
    const auto long_id = ping(document, "\"" + std::string(511, 'x') + "\"");
    REQUIRE_FALSE(long_id.has_value());
    CHECK(long_id.error().field == "/id");
    CHECK_THAT(long_id.error().detail, Catch::Contains("at most 512 bytes"));
}
