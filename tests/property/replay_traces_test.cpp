// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>

#include "storage/codec/codec.hpp"
#include "tests/support/footprint.hpp"
#include "tests/support/traces/agents.hpp"
#include "tests/support/traces/crowded.hpp"
#include "tests/support/traces/loops.hpp"
#include "tests/support/traces/play.hpp"

// A replay of the journal gives the live verdicts, and a session stays small for any length.

using namespace headway::core;
using namespace headway::tests;
namespace storage = headway::storage;

namespace {

constexpr std::size_t kFullStateBytesMax = 100 * 1024;
constexpr std::size_t kSmallStateBytesMax = 4'608;

Player played(const Trace& trace) {
    Player player;
    player.keep_journal = true;
    // The opening precedes the recorded journal.
    for (std::size_t i = 0; i < trace.size(); ++i)
        player.play(trace[i], i);
    return player;
}

Trace any_trace(std::size_t i) {
    Gen gen{seed() + i};
    Recorder recorder{gen, i, random_habits(gen)};
    work(static_cast<Personality>(i % kPersonalities), gen, recorder, 1 + gen.below(80));
    loop(static_cast<Loop>(i % kLoops), gen, recorder, gen.index(25));
    return recorder.take();
}

}  // namespace

TEST_CASE("property: a session of random agents replays to the same state", "[property]") {
    for (std::size_t i = 0; i < 60; ++i) {
        INFO("HEADWAY_SEED=" << seed() << " trace " << i);
        const Player live = played(any_trace(i));
        const SessionState& state = live.session.state();
        Session replayed = Player{}.session;
        for (const Event& event : live.journal)
            replayed.apply(event);
        REQUIRE(replayed.state() == state);

        std::string bytes;
        storage::encode_events(live.journal, bytes);
        const auto stored = storage::decode_events(bytes, live.journal.front().n);
        REQUIRE(stored.has_value());
        REQUIRE(*stored == live.journal);
        // Half of it from a snapshot, the rest from the stored events.
        Session restarted = Player{}.session;
        for (const Event& event : *stored) {
            restarted.apply(event);
            if (event.n != state.n / 2) continue;
            auto snapshot = storage::decode_state(storage::encode_state(restarted.state()));
            REQUIRE(snapshot.has_value());
            restarted = Session{"trace", *std::move(snapshot)};
        }
        REQUIRE(restarted.state() == state);
    }
}

TEST_CASE("property: the state of a crowded session stays within 100 KB", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Player player;
    std::size_t largest = 0;
    const Trace trace = crowded_trace(seed(), 5'000);
    for (std::size_t i = 0; i < trace.size(); ++i) {
        player.play(trace[i], i);
        if (i % 500 == 0) largest = std::max(largest, footprint(player.session.state()));
    }
    const SessionState& state = player.session.state();
    largest = std::max(largest, footprint(state));
    REQUIRE(state.ledger->answers.size() == limits::kAnswersMax);
    REQUIRE(state.ledger->files.size() == limits::kFilesMax);
    REQUIRE(std::any_of(
        state.ledger->files.begin(), state.ledger->files.end(),
        [](const FileTrail& file) { return file.digests.size() == limits::kTrailDigestsMax; }));
    REQUIRE(state.ledger->verifications.size() == limits::kVerificationsMax);
    REQUIRE(state.past_phases.size() == limits::kPhasesMax);
    INFO("ledger " << footprint(*state.ledger) << ", detectors " << footprint(*state.detectors)
                   << ", phases " << owned_bytes(state.past_phases) << ", open calls "
                   << owned_bytes(state.open_calls) << ", directives "
                   << owned_bytes(state.directives) << ", in all at most " << largest);
    CHECK(largest <= kFullStateBytesMax);
}

TEST_CASE("property: a session of five events takes at most 4.5 KiB", "[property]") {
    const Trace trace = productive_trace(Personality::kRefactorer, 1, 5, 1);
    Player player;
    for (std::size_t i = 0; i < 5; ++i)
        player.play(trace[i], i);
    INFO("plain " << sizeof(SessionState) << ", in all " << footprint(player.session.state()));
    CHECK(footprint(player.session.state()) <= kSmallStateBytesMax);
}
