// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/budgets/day_budget.hpp"

namespace headway::api {

/// The caps of a day and how much of them is used.
struct DayReport {
    struct Cap {
        core::DayCap cap;
        core::DayUse use;
    };
    std::int64_t day = 0;
    core::Timestamp begins = core::kNever;
    core::Timestamp ends = core::kNever;
    std::vector<Cap> caps;  ///< the cap for all sessions comes first, if set
};

/// The reply to `/v1/budget/day`. Changes only `out`.
void append_day(std::string& out, const DayReport& report);

}  // namespace headway::api
