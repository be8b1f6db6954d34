// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/agents/install/install_plan.hpp"
#include "cli/base/console.hpp"

// Code shared by `headway install` and `uninstall`: plans are shown, a person is asked, and they
// are carried out.

namespace headway::cli {

struct AgentPlan {
    const AgentRow* row = nullptr;
    FoundAgent found{};
    std::vector<FileChange> changes{};
    std::string refusal{};  ///< why there are none; empty: they can be made
};

/// "Claude Code 2.1.330".
std::string title_of(const AgentPlan& plan);

/// The differences on standard output, refusals on standard error. False: nothing would change.
bool show_plans(const std::vector<AgentPlan>& plans, const Console& console,
                std::string_view when_nothing);

/// Writes the files, and says which. False: something could not be written; the rest was.
bool carry_out(const std::vector<AgentPlan>& plans, const Console& console);

bool any_refused(const std::vector<AgentPlan>& plans);

}  // namespace headway::cli
