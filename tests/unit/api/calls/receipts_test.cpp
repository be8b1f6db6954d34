// SPDX-License-Identifier: Apache-2.0
#include "api/calls/receipts.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>

using headway::api::names_new_id;
using headway::api::without_new_ids;

TEST_CASE("A value that looks like members is one id", "[api][receipts]") {
    const std::string canonical =
        GENERATE("{id:9,url:\"https://t/i?f=a,number:7\",}", "{id:\"a,id:b\",}",
                 "{ref:\"x,version:2\",}", "{id:a{id:b}", "{id:\"{id:\",id:}", "{id:,id:1}");
    CHECK(without_new_ids(canonical, "{title:\"a\",}").size() <= canonical.size());
}

TEST_CASE("Any bytes are read as a receipt without a fault", "[api][receipts]") {
    std::mt19937 random(7);
    constexpr std::string_view kPieces[] = {"{", ",",   "id",  ":", "\"", "}",
                                            "[", "ref", "_id", "a", "1"};
    for (int round = 0; round < 20'000; ++round) {
        std::string text;
        for (auto pieces = random() % 24; pieces > 0; --pieces)
            text += kPieces[random() % std::size(kPieces)];
        CHECK(without_new_ids(text, "").size() <= text.size());
        names_new_id(text, "a");
    }
}

TEST_CASE("An id that the question has is no new one", "[api][receipts]") {
    CHECK_FALSE(names_new_id("{id:\"c-17\",}", "{id:\"c-17\",}"));
    CHECK(names_new_id("{id:\"c-18\",}", "{id:\"c-17\",}"));
    CHECK(without_new_ids("{id:\"c-18\",amount:5,}", "{amount:5,}") ==
          without_new_ids("{id:\"c-19\",amount:5,}", "{amount:5,}"));
}

TEST_CASE("One word confirms a step, unless it says that nothing moved", "[api][receipts]") {
    for (const char* word : {"dosed", "Moved", "jogged"})
        CHECK(headway::api::confirms_step(word));
    for (const char* word : {"jammed", "failed", "unchanged", "empty", "", "moved 3", "ed\x01",
                             "averyveryverylongwordthatended"})
        CHECK_FALSE(headway::api::confirms_step(word));
}
