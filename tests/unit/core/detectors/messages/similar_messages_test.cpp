// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/messages/similar_messages.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "core/detection/ledger.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"

using namespace headway::core;

namespace {

/// As it is defined: of each bit, whether most words have it.
std::uint64_t defined_simhash(const std::string& text) {
    std::array<int, 64> votes{};
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : text + " ") {
        if (c != ' ') {
            if (is_word(c)) hash = (hash ^ static_cast<unsigned char>(lower(c))) * 0x100000001b3ULL;
            continue;
        }
        const std::uint64_t word = hash * 0x9e3779b97f4a7c15ULL;
        for (std::size_t bit = 0; bit < votes.size(); ++bit)
            votes[bit] += ((word >> bit) & 1U) != 0 ? 1 : -1;
        hash = 0xcbf29ce484222325ULL;
    }
    std::uint64_t simhash = 0;
    for (std::size_t bit = 0; bit < votes.size(); ++bit)
        simhash |= std::uint64_t{votes[bit] > 0} << bit;
    return simhash;
}

}  // namespace

TEST_CASE("similar messages: the sketch is the majority of the words' bits", "[core]") {
    const Ledger ledger;
    std::string text = "one two, THREE four five six seven";
    for (int more = 0; more < 300; ++more) {
        text += " word" + std::to_string(more * more);
        Event event;
        event.n = 5;
        Message message;
        message.role = "assistant";
        message.text = bounded_text(text);
        event.payload = std::move(message);
        SimilarMessages detector;
        detector.observe({EventSigns{}, event, ledger});
        REQUIRE(detector.sketches.size() == 1);
        CHECK(detector.sketches.front().simhash == defined_simhash(text));
    }
}
