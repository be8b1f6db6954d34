// SPDX-License-Identifier: Apache-2.0
#include "cli/observe/copied_reports.hpp"

#include <catch2/catch.hpp>

using headway::cli::CopiedReports;

namespace {

using Reports = std::vector<std::string>;

const std::string kCopiedCall = R"({"type":"tool.finished","event_id":"transcript-1"})";
const std::string kCopiedUse = R"({"type":"heartbeat","event_id":"transcript-2"})";

}  // namespace

TEST_CASE("Reports that another stored session has made are dropped, and those behind stay",
          "[cli][observe]") {
    CopiedReports copied;
    bool first = true;
    Reports reports{kCopiedCall, kCopiedUse};
    copied.drop("original", reports, first);
    CHECK(reports == Reports{kCopiedCall, kCopiedUse});

    bool in_copy = true;
    reports = {kCopiedCall};
    copied.drop("fork", reports, in_copy);
    CHECK(reports.empty());
    reports = {kCopiedUse, "own"};
    copied.drop("fork", reports, in_copy);
    CHECK(reports == Reports{"own"});
}

TEST_CASE("A stored session that is read again keeps its reports", "[cli][observe]") {
    CopiedReports copied;
    for (int k = 0; k < 2; ++k) {
        bool in_copy = true;
        Reports reports{kCopiedCall, kCopiedUse};
        copied.drop("original", reports, in_copy);
        CHECK(reports.size() == 2);
    }
}

TEST_CASE("Use of tokens that only looks like another session's is kept", "[cli][observe]") {
    CopiedReports copied;
    bool in_copy = true;
    Reports reports{kCopiedUse};
    copied.drop("one", reports, in_copy);
    in_copy = true;
    reports = {"own", kCopiedUse};
    copied.drop("two", reports, in_copy);
    CHECK(reports.size() == 2);
}

TEST_CASE("As many reports are remembered as the bound says", "[cli][observe]") {
    CopiedReports copied;
    bool in_copy = true;
    Reports reports;
    for (std::size_t k = 0; k <= CopiedReports::kRemembered; ++k)
        reports.push_back(std::to_string(k));
    copied.drop("one", reports, in_copy);
    reports = {"1", "0"};
    copied.drop("two", reports, in_copy);
    CHECK(reports == Reports{"0"});
}
