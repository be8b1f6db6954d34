// SPDX-License-Identifier: Apache-2.0
#include <time.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/redaction/secrets.hpp"
#include "tests/support/gen.hpp"
#include "tests/support/text_readers.hpp"

// Reading client input costs linear, not quadratic, work: one small request must not delay all
// other agents. Work is counted, not timed: the compiler calls __sanitizer_cov_trace_pc in each
// basic block of the sources that read text (tests/CMakeLists.txt), and memchr is wrapped, since
// libstdc++ searches with it. The rest of the C library is bounded by the processor time of one
// thread, compared with prose of the same length.

namespace {

std::uint64_t steps = 0;

}  // namespace

extern "C" {
void __sanitizer_cov_trace_pc();
void __sanitizer_cov_trace_pc() {
    ++steps;
}

void* __real_memchr(const void* bytes, int c, std::size_t size);
void* __wrap_memchr(const void* bytes, int c, std::size_t size);
void* __wrap_memchr(const void* bytes, int c, std::size_t size) {
    void* found = __real_memchr(bytes, c, size);
    const std::size_t passed = found == nullptr
                                   ? size
                                   : static_cast<std::size_t>(static_cast<const char*>(found) -
                                                              static_cast<const char*>(bytes));
    steps += 1 + passed / 16;
    return found;
}
}

using namespace headway;
using namespace headway::api;
using namespace headway::tests;

namespace {

std::uint64_t steps_of(const Reader& reader, JsonDocument& document, const ClientText& text) {
    const std::uint64_t before = steps;
    reader.read(document, text);
    return steps - before;
}

double thread_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const Reader& reader, JsonDocument& document, const ClientText& text) {
    const double before = thread_seconds();
    reader.read(document, text);
    return thread_seconds() - before;
}

bool is_long() {
    return std::getenv("HEADWAY_LONG") != nullptr;
}

const core::SecretFinder& secrets() {
    static const core::SecretFinder kSecrets;
    return kSecrets;
}

/// Typical client text: sentences, some code, a number now and then.
std::string prose(std::size_t bytes) {
    constexpr std::string_view kSentence =
        "The test in tests/unit/parser_test.cpp fails since the last change: expected 3 items, got "
        "2. I will read src/parser.cpp and look at how the list is closed.\n";
    std::string text;
    while (text.size() < bytes)
        text += kSentence;
    return text;
}

}  // namespace

TEST_CASE("property: the work of reading a text grows in proportion to its length", "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    REQUIRE(secrets().find("token=abcdefgh1", 0));
    const std::uint64_t counted = steps;
    REQUIRE(counted > 0);  // the counter is compiled in
    Gen gen{seed()};
    JsonDocument document;
    document.redact_with(&secrets());
    std::vector<Pattern> patterns = known_patterns();
    for (int i = 0; i < (is_long() ? 2'000 : 80); ++i)
        patterns.push_back(any_pattern(gen));
    constexpr std::size_t kShort = 8'000;
    constexpr std::uint64_t kTimes = 4;
    for (const Pattern& pattern : patterns) {
        const ClientText small{pattern.of(kShort)};
        const ClientText large{pattern.of(kTimes * kShort)};
        for (const Reader& reader : readers()) {
            const std::uint64_t few = steps_of(reader, document, small);
            const std::uint64_t many = steps_of(reader, document, large);
            INFO(reader.name << ": " << shown(pattern) << ": " << few << " steps for "
                             << small.plain.size() << " bytes, " << many << " for "
                             << large.plain.size());
            // Sorting an object's members adds a logarithm; tables of small values a constant.
            CHECK(many <= few * kTimes * 3 / 2 + 20'000);
        }
    }
}

TEST_CASE("property: a megabyte of any pattern costs at most 20 times a megabyte of prose",
          "[property]") {
    INFO("HEADWAY_SEED=" << seed());
    Gen gen{seed()};
    JsonDocument document;
    document.redact_with(&secrets());
    constexpr std::size_t kBytes = 1'000'000;
    std::vector<Pattern> patterns = known_patterns();
    for (int i = 0; i < (is_long() ? 100 : 3); ++i)
        patterns.push_back(any_pattern(gen));
    std::vector<ClientText> texts;
    for (const Pattern& pattern : patterns)
        texts.emplace_back(pattern.of(kBytes));
    const ClientText plain{prose(kBytes)};
    for (const Reader& reader : readers()) {
        double usual = std::numeric_limits<double>::max();
        for (int i = 0; i < 3; ++i)
            usual = std::min(usual, seconds_of(reader, document, plain));
        // Code that rejects prose at its first byte says nothing about the cost of reading.
        usual = std::max(usual, 0.005);
        for (std::size_t p = 0; p < patterns.size(); ++p) {
            double least = std::numeric_limits<double>::max();
            for (int i = 0; i < 5 && least > 20 * usual; ++i)
                least = std::min(least, seconds_of(reader, document, texts[p]));
            INFO(reader.name << ": " << shown(patterns[p]) << ": " << least << " s, prose "
                             << usual);
            CHECK(least <= 20 * usual);
        }
    }
}
