// SPDX-License-Identifier: Apache-2.0
#include "cli/views/expectation_view.hpp"

#include <catch2/catch.hpp>

#include "cli/base/text.hpp"
#include "tests/support/parsed.hpp"

using namespace headway::cli;
using headway::tests::parsed;

namespace {

const WallTime kNow = *parse_time("2026-11-21T02:10:00.000Z");

std::string of_call(const char* since) {
    Json call = parsed(R"({"call_id":"c1","tool":"bash",
        "expected":{"p50_ms":2000,"p95_ms":40000,"sessions":31}})");
    call["since"] = since;
    return expected_of_call(call, kNow);
}

}  // namespace

TEST_CASE("expectation view: a call beyond its p95 is compared with it", "[cli]") {
    CHECK(of_call("2026-11-21T02:07:00.000Z") == "p95 of bash here is 40.0s, this one is at 3m00s");
    CHECK(of_call("2026-11-21T02:09:30.000Z") == "usually 2.0s, p95 40.0s");
    CHECK(of_call("2026-11-21T02:20:00.000Z") == "usually 2.0s, p95 40.0s");
    CHECK(of_call("yesterday").empty());
    CHECK(expected_of_call(parsed(R"({"tool":"bash","since":"2026-11-21T02:07:00.000Z"})"), kNow)
              .empty());
}

TEST_CASE("expectation view: each agent type has a line with its suggestion, or the reason why not",
          "[cli]") {
    const std::string text = expectations_text(parsed(R"({"expectations":[
        {"agent":"coder","sessions":31,"seconds":{"p50":60,"p90":90,"p95":120},
         "steps":{"p50":10,"p90":18,"p95":20},"tokens":{"p50":0,"p90":0,"p95":0},
         "cost_usd":{"p50":0.5,"p90":1,"p95":2},
         "suggested":{"budget":{"timeout_seconds":113,"max_steps":23,"max_cost_usd":1.25},
          "sessions":31,"basis":"agent"},
         "tools":[{"tool":"bash","sessions":30,"ms":{"p50":2000,"p90":9000,"p95":40000}},
          {"tool":"rare","sessions":2,"ms":null}]},
        {"agent":"","sessions":2,"seconds":null,"steps":null,"tokens":null,"cost_usd":null,
         "suggested":null,"reason":"too few sessions"}],"complexity":null,"sessions_min":20})"),
                                               0);
    for (const char* part :
         {"coder", "1m00s / 2m00s", "10 / 20", "0.5 / 2", "1m53s, 23 steps, $1.25", "(none)",
          "too few sessions", "bash  30", "2.0s / 40.0s", "rare  2"}) {
        CHECK_THAT(text, Catch::Contains(part));
    }
}

TEST_CASE("expectation view: documents of another shape do no harm", "[cli]") {
    for (const char* text : {"{}", "[]", "7", R"({"expectations":[1,{"tools":3}]})"}) {
        CHECK_NOTHROW(expectations_text(parsed(text), 80));
        CHECK_NOTHROW(expected_of_call(parsed(text), kNow));
    }
}
