// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "api/decode/decode.hpp"
#include "api/json/json_document.hpp"
#include "core/session/session.hpp"
#include "tests/support/traces/agents.hpp"
#include "tests/support/traces/crowded.hpp"

// Cost of the engine for one event of a tool beyond reading its JSON: `parse` reads the bodies and
// nothing else, `engine` decodes them and judges a session by them; the difference is the rest
// (fields, prints, ledger, detectors, verdict). An item is one event.

namespace {

using namespace headway;
using core::Millis;
using core::Timestamp;

enum Load : std::int64_t { kProductive, kCrowded };

constexpr std::size_t kBodyBytes = 300;

/// Tool events of about kBodyBytes: shorter ones get a longer result, longer ones are left out.
std::vector<std::string> tool_events(const tests::Trace& trace) {
    std::vector<std::string> bodies;
    for (const tests::Step& step : trace) {
        std::string body = step.json;
        if (!step.call || body.size() > kBodyBytes * 2) continue;
        const std::size_t result = body.find("\"result\":\"");
        if (result != std::string::npos && body.size() < kBodyBytes) {
            body.insert(result + 10, std::string(kBodyBytes - body.size(), 'x'));
        }
        bodies.push_back(std::move(body));
    }
    return bodies;
}

const std::vector<std::string>& bodies_of(std::int64_t load) {
    static const std::vector<std::string> kMixed = [] {
        tests::Trace all;
        for (std::size_t who = 0; who < tests::kPersonalities; ++who) {
            const auto one =
                tests::productive_trace(static_cast<tests::Personality>(who), 1, 700, 1);
            all.insert(all.end(), one.begin(), one.end());
        }
        return tool_events(all);
    }();
    static const std::vector<std::string> kFull = tool_events(tests::crowded_trace(1, 5'000));
    return load == kCrowded ? kFull : kMixed;
}

void count(benchmark::State& state, const std::vector<std::string>& bodies) {
    std::size_t bytes = 0;
    for (const std::string& body : bodies)
        bytes += body.size();
    const auto events = static_cast<std::int64_t>(bodies.size()) * state.iterations();
    state.SetItemsProcessed(events);
    state.counters["bytes"] = static_cast<double>(bytes) / static_cast<double>(bodies.size());
    state.counters["per_event"] = benchmark::Counter(
        static_cast<double>(events), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void parse(benchmark::State& state) {
    const std::vector<std::string>& bodies = bodies_of(state.range(0));
    api::JsonDocument document;
    for (auto _ : state) {
        for (const std::string& body : bodies) {
            auto parsed = document.parse(body);
            benchmark::DoNotOptimize(parsed);
        }
    }
    count(state, bodies);
}

/// A session that reports are decoded for and given to.
class Judged {
public:
    Judged() {
        context_.now = Timestamp{Millis{1'700'000'000'000}};
        context_.watch = context_.now;
        core::Policy policy;
        session_.open(core::SessionStarted{}, policy, context_, out_);
    }

    void report(const std::string& body) {
        auto decoded = api::decode_report(document_, body, api::BodyFormat::kJson);
        context_.now += Millis{100};
        out_.clear();
        session_.report(decoded->events, context_, out_);
        benchmark::DoNotOptimize(out_);
    }

private:
    api::JsonDocument document_;
    core::Session session_{"bench"};
    core::Context context_;
    std::vector<core::Event> out_;
};

void engine(benchmark::State& state) {
    const std::vector<std::string>& bodies = bodies_of(state.range(0));
    Judged judged;
    for (const std::string& body : bodies)  // fills the tables
        judged.report(body);
    for (auto _ : state) {
        for (const std::string& body : bodies)
            judged.report(body);
    }
    count(state, bodies);
}

BENCHMARK(parse)
    ->ArgName("crowded")
    ->Arg(kProductive)
    ->Arg(kCrowded)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(engine)
    ->ArgName("crowded")
    ->Arg(kProductive)
    ->Arg(kCrowded)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
