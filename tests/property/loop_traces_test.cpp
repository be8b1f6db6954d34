// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>

#include "tests/support/seed.hpp"
#include "tests/support/traces/agents.hpp"
#include "tests/support/traces/loops.hpp"
#include "tests/support/traces/play.hpp"

// A loop is caught soon, whatever productive work preceded it (docs/detection.md, section 13).

using namespace headway::core;
using namespace headway::tests;

namespace {

constexpr std::size_t kLoopSteps = 30;
constexpr std::size_t kPrefixCallsMax = 300;

/// Number of steps until caught; empty = never.
struct Caught {
    std::optional<std::size_t> suspect;
    std::optional<std::size_t> stuck;
};

/// Those of the steps from `begin` to `step` that the loop's count includes.
std::size_t loop_steps(Loop kind, const Trace& trace, std::size_t begin, std::size_t step) {
    const auto counts = [kind](const Step& one) {
        switch (kind) {
            case Loop::kDuplicateMessages:
                return one.json.find("\"message\"") != std::string::npos;
            case Loop::kEmptyHeartbeats:
                return one.json.find("\"heartbeat\"") != std::string::npos;
            case Loop::kPlanning:
                return one.call || one.json.find("\"plan.updated\"") != std::string::npos;
            default:
                return one.call;
        }
    };
    const auto from = trace.begin() + static_cast<std::ptrdiff_t>(begin);
    return static_cast<std::size_t>(
        std::count_if(from, trace.begin() + static_cast<std::ptrdiff_t>(step + 1), counts));
}

Caught catch_loop(Loop kind, std::uint64_t trace_seed, Trace& trace) {
    Gen gen{trace_seed};
    Recorder recorder{gen, trace_seed, random_habits(gen)};
    const auto who = static_cast<Personality>(gen.index(kPersonalities));
    if (const std::size_t prefix = gen.index(kPrefixCallsMax + 1); prefix > 0) {
        work(who, gen, recorder, prefix);
    }
    trace = recorder.take();
    const std::size_t begin = trace.size();
    loop(kind, gen, recorder, kLoopSteps);
    const Trace tail = recorder.take();
    trace.insert(trace.end(), tail.begin(), tail.end());
    Player player;
    Caught caught;
    for (std::size_t at = 0; at < trace.size(); ++at) {
        player.play(trace[at], at);
        if (at < begin) continue;
        const Verdict now = player.session.state().judgement->verdict;
        const bool caught_now = now == Verdict::kStuck || now == Verdict::kBlocked;
        if (!caught.suspect && (caught_now || now == Verdict::kSuspect))
            caught.suspect = loop_steps(kind, trace, begin, at);
        if (!caught.stuck && caught_now) caught.stuck = loop_steps(kind, trace, begin, at);
        if (caught.stuck) break;
    }
    return caught;
}

std::string median(std::vector<std::size_t> counts) {
    if (counts.empty()) return "-";
    const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
    std::nth_element(counts.begin(), middle, counts.end());
    return std::to_string(*middle);
}

}  // namespace

TEST_CASE("property: every kind of loop is caught within 30 calls", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    const std::size_t traces = long_run() ? 1'000 : 8;
    std::string report;
    for (std::size_t kind = 0; kind < kLoops; ++kind) {
        std::vector<std::size_t> suspect;
        std::vector<std::size_t> stuck;
        std::string missed;
        for (std::size_t i = 0; i < traces; ++i) {
            Trace trace;
            const Caught caught =
                catch_loop(static_cast<Loop>(kind), seed() + kind * 100'000 + i, trace);
            if (caught.suspect) suspect.push_back(*caught.suspect);
            if (caught.stuck) stuck.push_back(*caught.stuck);
            if (caught.stuck || !missed.empty()) continue;
            missed = "missed in trace " + std::to_string(i) + ":";
            for (std::size_t at = trace.size() - std::min<std::size_t>(trace.size(), 60);
                 at < trace.size(); ++at)
                missed += "\n  " + trace[at].json;
        }
        report += std::string{kLoopNames[kind]} + ": suspect after " + median(suspect) +
                  ", caught after " + median(stuck) + ", " + std::to_string(stuck.size()) + "/" +
                  std::to_string(traces) + "\n";
        INFO(kLoopNames[kind] << ' ' << missed);
        CHECK(stuck.size() * 100 >= traces * 99);
    }
    if (long_run()) WARN(report);
}
