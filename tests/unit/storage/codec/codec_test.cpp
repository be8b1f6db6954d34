// SPDX-License-Identifier: Apache-2.0
#include "storage/codec/codec.hpp"

#include <catch2/catch.hpp>

#include "core/policies/policy_floor.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

using namespace headway::core;
using namespace headway::storage;
using namespace headway::tests;

namespace {

std::vector<Event> random_events(Gen& gen, std::size_t count, std::uint64_t first_n = 1) {
    std::vector<Event> events(count);
    for (Event& one : events) {
        one.n = first_n++;
        gen.fill(one.at);
        gen.fill(one.attempt);
        gen.fill(one.next_heartbeat_ms);
        one.event_id = gen.string();
        one.payload = gen.payload(gen.any_type());
    }
    return events;
}

std::string encoded(const std::vector<Event>& events) {
    std::string bytes;
    encode_events(events, bytes);
    return bytes;
}

SessionState random_state(Gen& gen) {
    SessionState state;
    gen.fill(state);
    state.reached.assign(kVerdictCount, 0);
    return state;
}

/// Decodes arbitrary bytes; only value or error matters.
void decode_both(const std::string& bytes) {
    const auto events = decode_events(bytes, 1);
    if (!events) CHECK(events.error().code == ErrorCode::kStorageCorrupt);
    const auto state = decode_state(bytes);
    if (!state) CHECK(state.error().code == ErrorCode::kStorageCorrupt);
    (void)count_events(bytes).has_value();
}

}  // namespace

TEST_CASE("codec: every payload comes back as it was", "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (std::size_t type = 0; type < EnumNames<EventType>::kNames.size(); ++type) {
        for (int round = 0; round < 20; ++round) {
            std::vector<Event> events = random_events(gen, 1);
            events[0].payload = gen.payload(static_cast<EventType>(type));
            const auto decoded = decode_events(encoded(events), 1);
            REQUIRE(decoded.has_value());
            REQUIRE(*decoded == events);
        }
    }
}

TEST_CASE("codec: a row numbers its events from its first", "[storage]") {
    Gen gen{1};
    const auto events = random_events(gen, 30, 971);
    const std::string bytes = encoded(events);
    CHECK(count_events(bytes).value() == 30);
    CHECK(decode_events(bytes, 971).value() == events);
    CHECK(decode_events(bytes, 1).value().back().n == 30);
}

TEST_CASE("codec: encoding appends", "[storage]") {
    Gen gen{2};
    const auto events = random_events(gen, 1);
    std::string bytes = "before";
    encode_events(events, bytes);
    CHECK(bytes == "before" + encoded(events));
}

TEST_CASE("codec: a snapshot comes back as it was", "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int round = 0; round < 50; ++round) {
        const SessionState state = random_state(gen);
        const auto decoded = decode_state(encode_state(state));
        REQUIRE(decoded.has_value());
        REQUIRE(*decoded == state);
    }
    CHECK(decode_state(encode_state(SessionState{})).value() == SessionState{});
}

TEST_CASE("codec: each byte of a row flipped is a value or an error, never a crash", "[storage]") {
    Gen gen{3};
    const std::string bytes = encoded(random_events(gen, 12));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        for (const int mask : {0x01, 0x80, 0xFF}) {
            std::string bad = bytes;
            bad[i] = static_cast<char>(bad[i] ^ mask);
            decode_both(bad);
        }
    }
}

TEST_CASE("codec: each byte of a snapshot flipped is a value or an error", "[storage]") {
    Gen gen{4};
    const std::string bytes = encode_state(random_state(gen));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        for (const int mask : {0x01, 0x80, 0xFF}) {
            std::string bad = bytes;
            bad[i] = static_cast<char>(bad[i] ^ mask);
            decode_both(bad);
        }
    }
}

TEST_CASE("codec: a row or snapshot cut anywhere is refused", "[storage]") {
    Gen gen{5};
    const std::string row = encoded(random_events(gen, 5));
    for (std::size_t size = 0; size < row.size(); ++size)
        REQUIRE_FALSE(decode_events(std::string_view{row}.substr(0, size), 1).has_value());
    const std::string snapshot = encode_state(random_state(gen));
    for (std::size_t size = 0; size < snapshot.size(); ++size)
        REQUIRE_FALSE(decode_state(std::string_view{snapshot}.substr(0, size)).has_value());
}

TEST_CASE("codec: bytes behind the end are refused", "[storage]") {
    Gen gen{6};
    CHECK_FALSE(decode_events(encoded(random_events(gen, 2)) + '\0', 1).has_value());
    CHECK_FALSE(decode_state(encode_state(random_state(gen)) + '\0').has_value());
}

TEST_CASE("codec: random bytes are refused or read, never a crash", "[storage]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    for (int round = 0; round < 2000; ++round) {
        std::string bytes = gen.bytes(gen.below(200));
        if (!bytes.empty() && gen.chance(2)) bytes[0] = 1;  // past the version
        decode_both(bytes);
    }
}

TEST_CASE("codec: a snapshot of another version is refused", "[storage]") {
    std::string bytes = encode_state(SessionState{});
    bytes[0] = static_cast<char>(kSnapshotVersion + 1);
    CHECK(code_of(decode_state(bytes)) == ErrorCode::kStorageCorrupt);
}

TEST_CASE("codec: a count larger than the bytes allocates nothing", "[storage]") {
    const std::string huge = "\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F";
    CHECK(code_of(decode_events(huge, 1)) == ErrorCode::kStorageCorrupt);
    CHECK(code_of(count_events(std::string("\x01\x00", 2))) == ErrorCode::kStorageCorrupt);
}

// All readers of `reached` rely on an entry per verdict; apply() and view_of() index it.
TEST_CASE("codec: a row without events is no row", "[storage]") {
    const std::string bytes("\x02\x00", 2);
    CHECK(code_of(decode_events(bytes, 1)) == ErrorCode::kStorageCorrupt);
    CHECK(code_of(count_events(bytes)) == ErrorCode::kStorageCorrupt);
}

TEST_CASE("codec: a snapshot whose list of verdicts has another length is refused or repaired",
          "[storage]") {
    for (const std::size_t size : {std::size_t{0}, kVerdictCount - 1, kVerdictCount + 7}) {
        SessionState state;
        state.reached.assign(size, 3);
        const auto decoded = decode_state(encode_state(state));
        CHECK((!decoded || decoded->reached.size() == kVerdictCount));
    }
}
