// SPDX-License-Identifier: Apache-2.0
#include "cli/eval/feature_rows.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace headway::cli;
using headway::core::kRiskFeatureCount;
using headway::core::kRiskFeatureNames;
using headway::core::Verdict;

TEST_CASE("features: the head names each of them", "[cli]") {
    std::ostringstream csv;
    write_feature_head(csv);
    std::string head = "file,call,suspect,failures";
    for (const std::string_view name : kRiskFeatureNames)
        head += "," + std::string{name};
    CHECK(csv.str() == head + "\n");
}

TEST_CASE("features: one row a call, with numbers that read as the same", "[cli]") {
    Timeline timeline;
    timeline.features.resize(3);
    timeline.features[0].call = 1;
    timeline.features[0].features[0] = 0.1;
    timeline.features[1] = {2, Verdict::kSuspect, 0.5, {}};
    timeline.features[2] = {3, Verdict::kStuck, 1.0 / 3, {}};
    std::ostringstream csv;
    write_feature_rows(csv, "a/b,\"c\".jsonl", timeline);
    std::string zeros;
    for (std::size_t i = 1; i < kRiskFeatureCount; ++i)
        zeros += ",0";
    const std::string name = R"("a/b,""c"".jsonl")";
    CHECK(csv.str() == name + ",1,0,0,0.1" + zeros + "\n" + name + ",2,1,0.5,0" + zeros + "\n" +
                           name + ",3,1,0.3333333333333333,0" + zeros + "\n");
}
