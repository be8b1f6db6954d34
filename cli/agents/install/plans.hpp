// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/agents/install/install_plan.hpp"
#include "cli/base/console.hpp"

// Code shared by `headway install` and `uninstall`: plans are shown, a person is asked, and the
// plans are carried out.

namespace headway::cli {

struct AgentPlan {
    const AgentRow* row = nullptr;
    FoundAgent found{};
    std::vector<FileChange> changes{};
    std::string refusal{};  ///< why changes are impossible; empty: they can be made
};

/// "Claude Code 2.1.330".
std::string title_of(const AgentPlan& plan);

/// Prints the differences on standard output, refusals on standard error. False if nothing would
/// change.
bool show_plans(const std::vector<AgentPlan>& plans, const Console& console,
                std::string_view when_nothing);

/// Writes the files and prints their names. False if a file could not be written; the other files
/// are written even then.
bool carry_out(const std::vector<AgentPlan>& plans, const Console& console);

bool any_refused(const std::vector<AgentPlan>& plans);

}  // namespace headway::cli
