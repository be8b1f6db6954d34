// SPDX-License-Identifier: Apache-2.0
#include "server/endpoints/routing/long_bodies.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/limits.hpp"
#include "tests/support/gzip.hpp"
#include "tests/support/wire.hpp"

using namespace headway::server;
using namespace headway::tests;
namespace api = headway::api;
namespace core = headway::core;

namespace {

void nothing(api::JsonDocument&, std::string_view) {}

LongBodies::Body plain(std::string_view bytes, bool asks = true) {
    return {bytes, false, core::limits::kHookBodyBytesMax, asks};
}

}  // namespace

TEST_CASE("long bodies: they are read on another thread, and what follows comes back", "[server]") {
    net::io_context io{1};
    LongBodies bodies{io};
    std::thread::id reader;
    std::thread::id follower;
    std::string read;
    const auto add = [&](LongBodies::Body body) {
        follower = {};
        bodies.add(
            body,
            [&](api::JsonDocument& document, std::string_view text) {
                reader = std::this_thread::get_id();
                if (document.parse(text)) read = text;
            },
            [&](core::Result<std::size_t> bytes) {
                CHECK(*bytes == 7);
                follower = std::this_thread::get_id();
            });
        REQUIRE(run_until(io, [&] { return follower != std::thread::id{}; }));
        CHECK(read == R"({"a":1})");
        CHECK(reader != std::this_thread::get_id());
        CHECK(follower == std::this_thread::get_id());
    };
    const std::string packed = gzip(R"({"a":1})");
    add(plain(R"({"a":1})"));
    read.clear();
    add({packed, true, 7, false});
}

TEST_CASE("long bodies: one that cannot be inflated is not read, and why follows", "[server]") {
    net::io_context io{1};
    LongBodies bodies{io};
    const std::string packed = gzip(std::string(1000, ' '));
    std::vector<core::ErrorCode> why;
    const auto add = [&](LongBodies::Body body) {
        bodies.add(
            body, [](api::JsonDocument&, std::string_view) { FAIL(); },
            [&](core::Result<std::size_t> bytes) { why.push_back(bytes.error().code); });
    };
    add({packed, true, 999, false});
    add({std::string_view{packed}.substr(3), true, 1000, false});
    REQUIRE(run_until(io, [&] { return why.size() == 2; }));
    CHECK(why == std::vector{core::ErrorCode::kBodyTooLarge, core::ErrorCode::kBadRequest});
}

TEST_CASE("long bodies: what is secret is so for them, from the next one on", "[server]") {
    net::io_context io{1};
    LongBodies bodies{io};
    std::vector<std::string> seen;
    std::size_t done = 0;
    const auto add = [&] {
        bodies.add(
            plain(R"({"shibboleth":"Zx81-Qu55-aa"})"),
            [&](api::JsonDocument& document, std::string_view body) {
                if (document.parse(body)) document.root().append_redacted_to(seen.emplace_back());
            },
            [&](core::Result<std::size_t>) { ++done; });
    };
    add();
    bodies.redact_with(std::make_shared<core::SecretFinder>(std::vector<std::string>{"shibboleth"},
                                                            std::vector<std::string>{}));
    add();
    REQUIRE(run_until(io, [&] { return done == 2; }));
    CHECK(seen.front() == R"({"shibboleth":"Zx81-Qu55-aa"})");
    CHECK(seen.back().find("Zx81") == std::string::npos);
}

TEST_CASE(
    "long bodies: they are read in their order, bounded, with half the room for those that ask",
    "[server]") {
    net::io_context io{1};
    LongBodies bodies{io};
    std::vector<std::size_t> done;
    for (std::size_t i = 0; i < core::limits::kLongBodiesMax; ++i) {
        REQUIRE(bodies.has_room(plain("x")));
        CHECK(bodies.has_room(plain("x", false)) == (i < core::limits::kLongBodiesMax / 2));
        bodies.add(plain("x"), nothing,
                   [&done, i](core::Result<std::size_t>) { done.push_back(i); });
    }
    CHECK_FALSE(bodies.has_room(plain("x")));
    REQUIRE(run_until(io, [&] { return done.size() == core::limits::kLongBodiesMax; }));
    CHECK(std::is_sorted(done.begin(), done.end()));
    const std::string most(core::limits::kLongBodiesBytesMax, ' ');
    const std::string_view all = most;
    CHECK(bodies.has_room(plain(all)));
    CHECK(bodies.has_room(plain(all.substr(all.size() / 2), false)));
    CHECK_FALSE(bodies.has_room(plain(all.substr(all.size() / 2 - 1), false)));
    bodies.add(plain(all.substr(0, 1000)), nothing, [](core::Result<std::size_t>) {});
    CHECK(bodies.has_room(plain(all.substr(1000))));
    CHECK_FALSE(bodies.has_room(plain(all.substr(999))));
    // A packed one counts as what JSON is usually packed from.
    const std::size_t sixteenth = (all.size() - 1000) / 16;
    CHECK(bodies.has_room({all.substr(0, sixteenth), true, all.size(), true}));
    CHECK_FALSE(bodies.has_room({all.substr(0, sixteenth + 1), true, all.size(), true}));
    CHECK(bodies.has_room({all.substr(0, sixteenth + 1), true, 1'000'000, true}));
}

TEST_CASE("long bodies: nothing follows once they are gone", "[server]") {
    net::io_context io{1};
    const std::string body(100'000, ' ');
    std::size_t done = 0;
    {
        LongBodies bodies{io};
        for (int i = 0; i < 50; ++i)
            bodies.add(plain(body), nothing, [&done](core::Result<std::size_t>) { ++done; });
    }
    CHECK(done == 0);
}
