// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "config/load/sections.hpp"
#include "config/values/parse.hpp"

namespace headway::config {
namespace {

constexpr std::array<std::string_view, 4> kEstimates{"off", "stall", "step", "every"};

}  // namespace

void add_judge_keys(std::vector<Key>& table) {
    using J = JudgeSettings;
    constexpr auto kAt = &Settings::judge;
    table.push_back(switch_row<kOffOn, 1, kAt, &J::on_suspect>(
        "judge.on_suspect", kRestart,
        "on: a judge is asked about each session that becomes suspect."));
    table.push_back(whole_row<0, 1'000'000, kAt, &J::audit_rounds>(
        "judge.audit_rounds", kRestart,
        "Rounds without hard progress after which a session is checked anyway; 0 is never."));
    table.push_back(whole_row<0, 10'000, kAt, &J::checks_max>(
        "judge.checks_max", kRestart,
        "Checks of one session that Headway asks for by itself; 0 is none."));
    table.push_back(word_row<kEstimates, kAt, &J::estimates>(
        "judge.estimates", kRestart,
        "When progress is estimated: when it stalls and at phases, or after calls."));
    table.push_back(whole_row<1, 10'000, kAt, &J::estimate_steps>(
        "judge.estimate_steps", kRestart, "With every: finished calls between two estimates."));
    table.push_back(whole_row<0, 100'000, kAt, &J::estimates_max>("judge.estimates_max", kRestart,
                                                                  "Estimates of one session."));
    table.push_back(whole_row<0, 10, kAt, &J::retries>(
        "judge.retries", kRestart,
        "Further tries when an endpoint is not reached, overloaded or failing."));
    table.push_back(time_row<kSecondMs, kHourMs, kAt, &J::silence_timeout>(
        "judge.silence_timeout", kRestart, "An answer without a byte for this long is given up."));
    table.push_back(time_row<100, kHourMs / 6, kAt, &J::connect_timeout>(
        "judge.connect_timeout", kRestart, "How long connecting to an endpoint may take."));
}

}  // namespace headway::config
