// SPDX-License-Identifier: Apache-2.0
#include "cli/records/labels.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <sstream>
#include <string>

using namespace headway::cli;

namespace {

std::vector<SessionLabel> read(const std::string& text) {
    std::istringstream csv(text);
    const auto labels = read_labels(csv);
    REQUIRE(labels.has_value());
    return *labels;
}

std::string error_of(const std::string& text) {
    std::istringstream csv(text);
    const auto labels = read_labels(csv);
    REQUIRE_FALSE(labels.has_value());
    return labels.error().detail;
}

}  // namespace

TEST_CASE("labels: columns are found by name, others are passed over", "[cli]") {
    const auto labels = read(
        "model,file,source,outcome,loop,how_labelled,loop_start_call,loop_len\r\n"
        "m,a/1.jsonl,a,success,no,oracle:x,-1,0\r\n"
        "m,b/2.jsonl,b,fail,yes,hand: read,3,7\n");
    REQUIRE(labels.size() == 2);
    CHECK(labels[0].file == "a/1.jsonl");
    CHECK(labels[0].success);
    CHECK(labels[0].loop == Known::kNo);
    CHECK_FALSE(labels[0].by_human);
    CHECK(labels[0].loop_start == -1);
    CHECK(labels[1].source == "b");
    CHECK_FALSE(labels[1].success);
    CHECK(labels[1].loop == Known::kYes);
    CHECK(labels[1].by_human);
    CHECK(labels[1].loop_start == 3);
    CHECK(labels[1].loop_length == 7);
}

TEST_CASE("labels: quotes keep commas, quotes and line breaks", "[cli]") {
    const auto labels = read(
        "\xEF\xBB\xBF"
        "file,outcome,loop,how_labelled,source\n"
        "\"a,\"\"b\"\".jsonl\",fail,unknown,\"human\nlabel, 0\",s\n"
        "c,fail,,,\n");
    REQUIRE(labels.size() == 2);
    CHECK(labels[0].file == "a,\"b\".jsonl");
    CHECK(labels[0].by_human);
    CHECK(labels[0].source == "s");
    CHECK(labels[1].loop == Known::kUnknown);
}

TEST_CASE("labels: what is wrong is named with its line", "[cli]") {
    CHECK_THAT(error_of(""), Catch::StartsWith("1: ") && Catch::Contains("outcome"));
    CHECK_THAT(error_of("file,loop\nx,yes\n"), Catch::StartsWith("1: "));
    CHECK_THAT(error_of("file,outcome,loop\nx,fail,maybe\n"),
               Catch::StartsWith("2: ") && Catch::Contains("maybe"));
    CHECK_THAT(error_of("file,outcome,loop\nx,fail,no\n,fail,no\n"), Catch::StartsWith("3: "));
    CHECK_THAT(error_of("file,outcome,loop,loop_len\nx,fail,no,many\n"), Catch::StartsWith("2: "));
    CHECK_THAT(error_of("file,outcome,loop\n\"x,fail,no\n"),
               Catch::StartsWith("2: ") && Catch::Contains("quote"));
}

TEST_CASE("labels: what people found about alarms, the last word about a file stands", "[cli]") {
    std::istringstream csv("file,by,verdict\na,x,right\n\"b,c\",y,unclear\na,x,wrong\n");
    const auto verdicts = read_alarm_verdicts(csv);
    REQUIRE(verdicts.has_value());
    CHECK(*verdicts ==
          std::map<std::string, AlarmRead>{{"a", AlarmRead::kWrong}, {"b,c", AlarmRead::kUnclear}});
    for (const char* bad : {"", "file,outcome\n", "file,verdict\na,Right\n",
                            "file,verdict\n,right\n", "file,verdict\n\"a,right\n"}) {
        std::istringstream text(bad);
        CHECK_FALSE(read_alarm_verdicts(text).has_value());
    }
}
