// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "core/base/assert.hpp"
#include "core/detection/classify.hpp"
#include "core/text/phrases.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

/// True for a number with that unit around the slash: "41 it/s", not "tests/unit/server".
bool is_rate(std::string_view text, std::size_t slash, std::string_view unit) {
    const std::size_t before = unit.find('/');
    HEADWAY_ASSERT(before != std::string_view::npos && slash < text.size());
    if (slash < before || text.substr(slash - before, unit.size()) != unit) return false;
    const std::size_t end = slash - before + unit.size();
    if (end < text.size() && text[end] == ':') return true;  // "requests/sec: 42"
    std::size_t at = slash - before;
    if (at > 1 && text[at - 1] == ' ') --at;
    return at > 0 && is_digit(text[at - 1]) && (end == text.size() || !is_word(text[end]));
}

}  // namespace

bool is_measurement(std::string_view command, std::string_view result) {
    static constexpr Phrases kAsks{std::array<std::string_view, 18>{
        "bench", "perf", "profil", "hyperfine", "timeit", "latency", "throughput", "loadtest",
        "p50", "p95", "p99", "iperf", "vegeta", "k6 run", "wrk ", "oha ", "sysbench", "fio "}};
    static constexpr std::array<std::string_view, 7> kAnswers{
        "ops/s", "req/s", "requests/sec", "ns/op", "it/s", "mb/s", "ms/iter"};
    if (kAsks.any_in(command.substr(0, 512))) return true;
    const std::string_view start = result.substr(0, 512);
    if (start.find('/') == std::string_view::npos) return false;
    const std::string text = lower(start);
    for (std::size_t slash = text.find('/'); slash != std::string::npos;
         slash = text.find('/', slash + 1)) {
        for (const std::string_view unit : kAnswers) {
            if (is_rate(text, slash, unit)) return true;
        }
    }
    return false;
}

}  // namespace headway::core
