// SPDX-License-Identifier: Apache-2.0
#include "api/mcp/rpc.hpp"

#include <catch2/catch.hpp>

using namespace headway;
using namespace headway::api;

namespace {

core::Result<mcp::Message> ping(JsonTape& tape, const std::string& id) {
    const std::string body = R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}";
    REQUIRE(tape.parse(body).has_value());
    return mcp::read_message(tape.root());
}

}  // namespace

TEST_CASE("mcp rpc: the id comes back as it was", "[api]") {
    JsonTape tape;
    for (const char* id : {"7", "\"a \\\"b\\\"\""}) {
        const auto message = ping(tape, id);
        REQUIRE(message.has_value());
        CHECK(message->id == id);
        CHECK(mcp::result_of(message->id, "{}") ==
              R"({"jsonrpc":"2.0","id":)" + std::string{id} + R"(,"result":{}})");
    }
}

TEST_CASE("mcp rpc: an id that is kept while a person answers has a bound", "[api]") {
    JsonTape tape;
    CHECK(ping(tape, "\"" + std::string(510, 'x') + "\"").has_value());
    const auto long_id = ping(tape, "\"" + std::string(511, 'x') + "\"");
    REQUIRE_FALSE(long_id.has_value());
    CHECK(long_id.error().field == "/id");
    CHECK_THAT(long_id.error().detail, Catch::Contains("at most 512 bytes"));
}
