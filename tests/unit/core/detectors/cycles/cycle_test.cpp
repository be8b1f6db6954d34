// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/cycles/cycle.hpp"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "core/detection/ledger.hpp"

using namespace headway::core;

namespace {

constexpr Thresholds kLimits{2, 3};
constexpr std::uint32_t kPeriod = 2;
constexpr std::uint32_t kEnough = kPeriod * (kLimits.suspect - 1) + 1;  ///< of matches to suspect

struct Mark {
    std::uint64_t question;
    bool acts = false;
    bool weak = false;
};

/// The verdict on so many matches of a period of two, by the last calls, newest first.
Severity severity_after(std::uint32_t matches, std::initializer_list<Mark> newest_first) {
    Ledger ledger;
    for (auto mark = std::rbegin(newest_first); mark != std::rend(newest_first); ++mark) {
        CallMark call;
        call.question = mark->question;
        call.acts = mark->acts;
        call.weak = mark->weak;
        ledger.recent.push_back(call);
        ++ledger.calls;
    }
    Cycle cycle;
    cycle.matched = std::vector<std::uint32_t>(Cycle::kPeriodMax - 1);
    cycle.matched[kPeriod - 2] = matches;
    return cycle.severity(kLimits, ledger);
}

}  // namespace

TEST_CASE("cycle: only questions that differ within its period make one", "[core]") {
    CHECK(severity_after(kEnough, {{1}, {2}, {1}}) == Severity::kSuspect);
    CHECK(severity_after(kEnough - 1, {{1}, {2}, {1}}) == Severity::kNone);
    CHECK(severity_after(kEnough, {{1}, {1}, {2}}) ==
          Severity::kNone);  // the other one is before it
}

TEST_CASE("cycle: one answer within its period has to be evidence", "[core]") {
    CHECK(severity_after(kEnough, {{1, false, true}, {2, false, true}, {1}}) == Severity::kNone);
    CHECK(severity_after(kEnough, {{1, false, true}, {2}, {1}}) == Severity::kSuspect);
    CHECK(severity_after(kEnough, {{1}, {2, false, true}, {1}}) == Severity::kSuspect);
}

TEST_CASE("cycle: it is patient only if every call within its period acts", "[core]") {
    CHECK(severity_after(kEnough, {{1, true}, {2, true}, {1}}) == Severity::kNone);
    CHECK(severity_after(kEnough * Cycle::kActPatience, {{1, true}, {2, true}, {1}}) ==
          Severity::kSuspect);
    CHECK(severity_after(kEnough, {{1, true}, {2}, {1, true}}) == Severity::kSuspect);
    CHECK(severity_after(kEnough, {{1}, {2, true}, {1, true}}) == Severity::kSuspect);
}
