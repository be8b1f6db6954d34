// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "core/judgement/resolver.hpp"
#include "core/session/session.hpp"
#include "core/state/validity.hpp"
#include "core/views/view.hpp"
#include "storage/codec/codec.hpp"
#include "tests/fuzz/bytes.hpp"

// Rows of a damaged database: read, or refused; and what was read is written back as the same.

using namespace headway;

/// A snapshot that is sound can be relied on: nothing that follows it stops the process.
void go_on(core::SessionState state) {
    const bool ended = state.ended();
    core::Session session{"fuzz", std::move(state)};
    core::Context context;
    context.now = core::Timestamp{core::Millis{1'700'000'000'000}};
    context.watch = context.now;
    std::vector<core::Event> out;
    for (int i = 0; i < 4 && !ended; ++i) {
        std::vector<core::Event> events(3);
        core::ToolStarted started;
        started.tool = "bash";
        started.call_id = "c";
        events[0].payload = started;
        core::ToolFinished finished;
        finished.tool = "bash";
        finished.call_id = "c";
        finished.ok = i % 2 == 0;
        events[1].payload = finished;
        events[2].payload = core::Heartbeat{};
        session.report(events, context, out);
    }
    session.tick(context, out);
    (void)core::judge(session.state(), {context.now, context.watch});
    (void)core::view_of(session);
    (void)core::activity_of(*session.state().ledger);
    tests::require(core::is_valid(session.state()));
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::Bytes bytes{data, size};
    const std::size_t what = bytes.choose(3);
    if (what == 0) {
        const auto events = storage::decode_events(bytes.rest(), 1);
        const auto count = storage::count_events(bytes.rest());
        if (!events) return 0;
        tests::require(count && *count == events->size());
        std::string row;
        storage::encode_events(*events, row);
        const auto again = storage::decode_events(row, 1);
        tests::require(again && again->size() == events->size());
    } else if (what == 1) {
        const auto state = storage::decode_state(bytes.rest());
        if (!state) return 0;
        const std::string snapshot = storage::encode_state(*state);
        const auto again = storage::decode_state(snapshot);
        tests::require(again && storage::encode_state(*again) == snapshot);
        if (core::is_valid(*state) && state->n < INT64_MAX / 2) go_on(*state);
    } else {
        const auto approval = storage::decode_approval(bytes.rest());
        if (!approval) return 0;
        tests::require(storage::decode_approval(storage::encode_approval(*approval)).has_value());
    }
    return 0;
}
