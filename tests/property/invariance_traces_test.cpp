// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "tests/support/traces/agents.hpp"
#include "tests/support/traces/loops.hpp"
#include "tests/support/traces/play.hpp"

// Changes that must not change a verdict: order of keys, volatile values, duplicate deliveries, and
// the cuts between reports.

using namespace headway::core;
using namespace headway::tests;
using nlohmann::ordered_json;

namespace {

constexpr std::size_t kTraces = 70;
constexpr std::int64_t kStepMs = 100;  // never silent, so that only the reports matter

/// Productive work, then in most cases a loop; deterministic in `i`.
Trace mixed_trace(std::size_t i, std::uint64_t noise, bool self_append = true) {
    Gen gen{seed() + i};
    Recorder recorder{gen, noise, random_habits(gen)};
    work(static_cast<Personality>(i % kPersonalities), gen, recorder, 1 + gen.below(60));
    const auto kind = static_cast<Loop>(gen.index(kLoops));
    if (self_append || kind != Loop::kSelfAppend) loop(kind, gen, recorder, 16);
    work(static_cast<Personality>(gen.index(kPersonalities)), gen, recorder,
         recorder.calls() + gen.below(20));
    return recorder.take();
}

std::vector<Turn> verdicts_of(const Trace& trace) {
    Player player;
    for (std::size_t i = 0; i < trace.size(); ++i)
        player.report(trace[i].json, static_cast<std::int64_t>(i) * kStepMs, i);
    return player.turns;
}

ordered_json shuffled(const ordered_json& value, Gen& gen) {
    if (value.is_array()) {
        ordered_json out = ordered_json::array();
        for (const ordered_json& item : value)
            out.push_back(shuffled(item, gen));
        return out;
    }
    if (!value.is_object()) return value;
    std::vector<std::string> keys;
    for (const auto& [key, member] : value.items())
        keys.push_back(key);
    for (std::size_t i = keys.size(); i > 1; --i)
        std::swap(keys[i - 1], keys[gen.index(i)]);
    ordered_json out = ordered_json::object();
    for (const std::string& key : keys)
        out[key] = shuffled(value[key], gen);
    return out;
}

/// For the messages of a failed comparison.
std::string shown(const std::vector<Turn>& turns) {
    std::string text;
    for (const Turn& turn : turns)
        text += "\n  step " + std::to_string(turn.step) + " " + std::string{name_of(turn.verdict)} +
                " " + turn.detector + " " + turn.reason;
    return text;
}

void require_same(const std::vector<Turn>& expected, const std::vector<Turn>& found) {
    INFO("expected" << shown(expected));
    INFO("found" << shown(found));
    REQUIRE(expected == found);
}

bool has_call_ids(const Trace& trace) {
    return trace.front().json.find("\"call_id\"") != std::string::npos ||
           trace.back().json.find("\"call_id\"") != std::string::npos;
}

}  // namespace

TEST_CASE("property: the order of keys changes no verdict", "[property]") {
    for (std::size_t i = 0; i < kTraces; ++i) {
        INFO("HEADWAY_SEED=" << seed() << " trace " << i);
        Gen gen{i};
        // self_append compares the exact arguments, and no client reorders keys within a session.
        Trace trace = mixed_trace(i, i, false);
        const std::vector<Turn> expected = verdicts_of(trace);
        for (Step& step : trace)
            step.json = shuffled(ordered_json::parse(step.json), gen).dump();
        require_same(expected, verdicts_of(trace));
    }
}

TEST_CASE("property: volatile ids, times and durations change no verdict", "[property]") {
    for (std::size_t i = 0; i < kTraces; ++i) {
        INFO("HEADWAY_SEED=" << seed() << " trace " << i);
        require_same(verdicts_of(mixed_trace(i, 1)), verdicts_of(mixed_trace(i, 2)));
    }
}

TEST_CASE("property: events delivered twice change no verdict", "[property]") {
    for (std::size_t i = 0; i < kTraces; ++i) {
        INFO("HEADWAY_SEED=" << seed() << " trace " << i);
        Gen gen{i};
        const Trace trace = mixed_trace(i, i);
        Player player;
        std::unordered_set<std::size_t> stored;  // by event id, like the engine
        for (std::size_t at = 0; at < trace.size(); ++at) {
            std::vector<std::size_t> deliveries{at};
            if (gen.chance(3))
                deliveries.push_back(at - gen.index(std::min<std::size_t>(at + 1, 20)));
            for (std::size_t one : deliveries) {
                if (!stored.insert(one).second) continue;
                player.report(trace[one].json, static_cast<std::int64_t>(one) * kStepMs, one);
            }
        }
        require_same(verdicts_of(trace), player.turns);
    }
}

TEST_CASE("property: calls delivered twice with their call id change no verdict", "[property]") {
    std::size_t tried = 0;
    for (std::size_t i = 0; tried < kTraces; ++i) {
        INFO("HEADWAY_SEED=" << seed() << " trace " << i);
        Gen gen{i};
        const Trace trace = mixed_trace(i, i);
        if (!has_call_ids(trace)) continue;
        ++tried;
        Player player;
        for (std::size_t at = 0; at < trace.size(); ++at) {
            const std::int64_t now = static_cast<std::int64_t>(at) * kStepMs;
            player.report(trace[at].json, now, at);
            if (trace[at].call && gen.chance(2)) player.report(trace[at].json, now, at);
        }
        require_same(verdicts_of(trace), player.turns);
    }
}

TEST_CASE("property: how events are cut into reports changes no verdict", "[property]") {
    for (std::size_t i = 0; i < kTraces; ++i) {
        INFO("HEADWAY_SEED=" << seed() << " trace " << i);
        Gen gen{i};
        const Trace trace = mixed_trace(i, i);
        const std::vector<Turn> expected = verdicts_of(trace);
        Player player;
        player.keep_journal = true;
        std::vector<VerdictChanged> found;
        for (std::size_t at = 0; at < trace.size();) {
            const std::size_t end = std::min(trace.size(), at + 1 + gen.index(12));
            std::string body = "[" + trace[at].json;
            const std::int64_t now = static_cast<std::int64_t>(at) * kStepMs;
            for (++at; at < end; ++at)
                body += "," + trace[at].json;
            player.report(body + "]", now, 0);
        }
        // By causing event: a verdict follows its cause.
        std::vector<Turn> turns;
        std::size_t step = 0;
        for (const Event& event : player.journal) {
            const auto* change = std::get_if<VerdictChanged>(&event.payload);
            if (change != nullptr)
                turns.push_back({step - 1, change->to, change->detector, change->reason});
            if (reportable(type_of(event.payload))) ++step;
        }
        require_same(expected, turns);
    }
}
