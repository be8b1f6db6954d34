// SPDX-License-Identifier: Apache-2.0
#include "server/long_bodies.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "core/limits.hpp"
#include "tests/support/wire.hpp"

using namespace headway::server;
using namespace headway::tests;
namespace api = headway::api;
namespace core = headway::core;

namespace {

void nothing(api::JsonTape&, const std::string&) {}

}  // namespace

TEST_CASE("long bodies: they are read on another thread, and what follows comes back", "[server]") {
    net::io_context io{1};
    LongBodies bodies{io};
    std::thread::id reader;
    std::thread::id follower;
    std::string read;
    bodies.add(
        7, R"({"a":1})",
        [&](api::JsonTape& tape, const std::string& body) {
            reader = std::this_thread::get_id();
            if (tape.parse(body)) read = body;
        },
        [&] { follower = std::this_thread::get_id(); });
    CHECK(bodies.reads_for(7));
    CHECK_FALSE(bodies.reads_for(8));
    REQUIRE(run_until(io, [&] { return follower != std::thread::id{}; }));
    CHECK(read == R"({"a":1})");
    CHECK(reader != std::this_thread::get_id());
    CHECK(follower == std::this_thread::get_id());
    CHECK_FALSE(bodies.reads_for(7));
}

TEST_CASE("long bodies: what is secret is so for them, from the next one on", "[server]") {
    net::io_context io{1};
    LongBodies bodies{io};
    std::vector<std::string> seen;
    std::size_t done = 0;
    const auto add = [&] {
        bodies.add(
            1, R"({"shibboleth":"Zx81-Qu55-aa"})",
            [&](api::JsonTape& tape, const std::string& body) {
                if (tape.parse(body)) tape.root().append_redacted_to(seen.emplace_back());
            },
            [&] { ++done; });
    };
    add();
    bodies.redact_with(std::make_shared<core::SecretFinder>(std::vector<std::string>{"shibboleth"},
                                                            std::vector<std::string>{}));
    add();
    REQUIRE(run_until(io, [&] { return done == 2; }));
    CHECK(seen.front() == R"({"shibboleth":"Zx81-Qu55-aa"})");
    CHECK(seen.back().find("Zx81") == std::string::npos);
}

TEST_CASE("long bodies: they are read in their order, and their number and bytes are bounded",
          "[server]") {
    net::io_context io{1};
    LongBodies bodies{io};
    std::vector<std::size_t> done;
    for (std::size_t i = 0; i < core::limits::kLongBodiesMax; ++i) {
        REQUIRE(bodies.has_room(1));
        bodies.add(i, "x", nothing, [&done, i] { done.push_back(i); });
    }
    CHECK_FALSE(bodies.has_room(1));
    REQUIRE(run_until(io, [&] { return done.size() == core::limits::kLongBodiesMax; }));
    CHECK(std::is_sorted(done.begin(), done.end()));
    CHECK(bodies.has_room(core::limits::kLongBodiesBytesMax));
    CHECK_FALSE(bodies.has_room(core::limits::kLongBodiesBytesMax + 1));
    bodies.add(1, std::string(1000, 'x'), nothing, [] {});
    CHECK(bodies.has_room(core::limits::kLongBodiesBytesMax - 1000));
    CHECK_FALSE(bodies.has_room(core::limits::kLongBodiesBytesMax - 999));
}

TEST_CASE("long bodies: nothing follows once they are gone", "[server]") {
    net::io_context io{1};
    std::size_t done = 0;
    {
        LongBodies bodies{io};
        for (int i = 0; i < 50; ++i)
            bodies.add(1, std::string(100'000, ' '), nothing, [&done] { ++done; });
    }
    CHECK(done == 0);
}
