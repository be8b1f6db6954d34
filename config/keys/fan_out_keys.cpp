// SPDX-License-Identifier: Apache-2.0
#include "config/load/sections.hpp"
#include "core/base/limits.hpp"
#include "core/meters/fan_out.hpp"

namespace headway::config {
namespace {

using core::FanOutRules;

constexpr std::uint64_t kInAllMax = 1'000'000;

}  // namespace

void add_fan_out_keys(std::vector<Key>& table) {
    // Above kChildrenMax open children are not told apart any more.
    table.push_back(whole_row<0, core::limits::kChildrenMax, &Settings::fan_out,
                              &FanOutRules::at_once>(
        "fan_out.at_once", kReload,
        "Sub-agents of one session at once, with those that they launched; more raise an alarm; 0 "
        "is no limit."));
    table.push_back(whole_row<0, kInAllMax, &Settings::fan_out, &FanOutRules::in_all>(
        "fan_out.in_all", kReload, "The same over the life of the session."));
    table.push_back(
        whole_row<0, core::limits::kFamilyDepthMax, &Settings::fan_out, &FanOutRules::depth>(
            "fan_out.depth", kReload,
            "Generations of sub-agents below one session; 0 is no limit."));
    table.push_back(enum_row<&Settings::fan_out, &FanOutRules::on_exceeded>(
        "fan_out.on_exceeded", kReload,
        "The consequence besides the alarm and the advice: nothing, a question to a person, a "
        "stop."));
}

}  // namespace headway::config
