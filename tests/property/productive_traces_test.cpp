// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

#include "tests/support/seed.hpp"
#include "tests/support/traces/agents.hpp"
#include "tests/support/traces/play.hpp"

// An agent that makes progress is never stuck, and seldom suspected (docs/detection.md, section
// 13).

using namespace headway::core;
using namespace headway::tests;

namespace {

constexpr double kSuspectsPer1000Max = 20;

struct Figures {
    std::size_t traces = 0;
    std::size_t calls = 0;
    std::array<std::size_t, kPersonalities> calls_of{};
    std::array<std::size_t, kPersonalities> suspects_of{};
    std::size_t suspects = 0;
    std::vector<std::string> stuck;
    std::map<std::string, std::size_t> detectors;
};

std::string what_happened(const Trace& trace, const Turn& turn) {
    std::string text = turn.detector + ": " + turn.reason;
    const std::size_t from = turn.step > 40 ? turn.step - 40 : 0;
    for (std::size_t i = from; i <= turn.step; ++i)
        text += "\n  " + trace[i].json;
    return text;
}

/// Plays trace number `i` and adds its results to `figures`.
void play_one(std::size_t i, Figures& figures) {
    const auto who = static_cast<Personality>(i % kPersonalities);
    Gen gen{seed() + i};
    const std::size_t length = 10 + gen.below(long_run() ? 990 : 290);
    const Trace trace = productive_trace(who, seed() + i, length, i);
    Player player;
    for (std::size_t at = 0; at < trace.size(); ++at) {
        player.play(trace[at], at);
        if (trace[at].call) ++figures.calls_of[i % kPersonalities];
    }
    ++figures.traces;
    for (const Turn& turn : player.turns) {
        if (turn.verdict == Verdict::kSuspect) {
            ++figures.suspects_of[i % kPersonalities];
            ++figures.detectors[turn.detector];
        }
        if (turn.verdict != Verdict::kStuck) continue;
        figures.stuck.push_back("trace " + std::to_string(i) + ", " +
                                std::string{kPersonalityNames[i % kPersonalities]} + ", " +
                                what_happened(trace, turn));
    }
}

void add(Figures& sum, const Figures& part) {
    sum.traces += part.traces;
    for (std::size_t i = 0; i < kPersonalities; ++i) {
        sum.calls_of[i] += part.calls_of[i];
        sum.suspects_of[i] += part.suspects_of[i];
        sum.calls += part.calls_of[i];
        sum.suspects += part.suspects_of[i];
    }
    sum.stuck.insert(sum.stuck.end(), part.stuck.begin(), part.stuck.end());
    for (const auto& [name, count] : part.detectors)
        sum.detectors[name] += count;
}

Figures play_all(std::size_t traces) {
    Figures sum;
    std::mutex mutex;
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::min(4U, std::thread::hardware_concurrency()); ++i) {
        threads.emplace_back([&] {
            Figures part;
            for (std::size_t trace = next++; trace < traces; trace = next++)
                play_one(trace, part);
            const std::lock_guard lock(mutex);
            add(sum, part);
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    return sum;
}

}  // namespace

TEST_CASE("property: an agent that makes progress is never stuck and seldom suspect",
          "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    const Figures sum = play_all(long_run() ? 10'000 : 147);
    std::string report;
    for (std::size_t i = 0; i < kPersonalities; ++i) {
        report += std::string{kPersonalityNames[i]} + " " + std::to_string(sum.suspects_of[i]) +
                  "/" + std::to_string(sum.calls_of[i]) + "; ";
    }
    for (const auto& [name, count] : sum.detectors)
        report += name + " " + std::to_string(count) + ", ";
    const double rate =
        1'000.0 * static_cast<double>(sum.suspects) / static_cast<double>(sum.calls);
    if (long_run())
        WARN(sum.traces << " traces, " << rate << " suspect per 1000 calls: " << report);
    INFO(rate << " suspect per 1000 calls: " << report);
    INFO(sum.stuck.size() << " stuck; the first: " << (sum.stuck.empty() ? "" : sum.stuck.front()));
    std::string heads;
    for (std::size_t i = 0; i < std::min<std::size_t>(sum.stuck.size(), 30); ++i)
        heads += sum.stuck[i].substr(0, sum.stuck[i].find('\n')) + "\n";
    INFO("all: " << heads);
    CHECK(sum.stuck.empty());
    CHECK(rate < kSuspectsPer1000Max);
}
