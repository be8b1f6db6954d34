// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <ostream>

#include "cli/agents/install/plans.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/line/verb.hpp"

// `headway uninstall`: removes Headway's hooks from agents' settings, and nothing else.

namespace headway::cli {
namespace {

struct UninstallOptions {
    std::vector<std::string> agents;
    bool yes = false;
    bool dry_run = false;
    bool project = false;
};

std::vector<AgentPlan> removal_plans(const UninstallOptions& options, const InstallPlace& place) {
    std::vector<AgentPlan> plans;
    for (const AgentRow& row : agent_rows()) {
        const bool named = std::find(options.agents.begin(), options.agents.end(), row.name) !=
                           options.agents.end();
        if (!named && !options.agents.empty()) continue;
        AgentPlan plan{&row};
        auto changes = plan_uninstall(row, place);
        if (changes) {
            plan.changes = *std::move(changes);
        } else {
            plan.refusal = changes.error().detail;
        }
        // If an agent was not named, it is only listed if there is something to report.
        if (named || !plan.changes.empty() || !plan.refusal.empty())
            plans.push_back(std::move(plan));
    }
    return plans;
}

int uninstall(const UninstallOptions& options, const Console& console) {
    if (!options.yes && !options.dry_run && !console.in_terminal) {
        return complain(console, kExitUsage,
                        "refusing to change settings of agents without confirmation",
                        "pass --yes, or --dry-run to print the changes");
    }
    InstallPlace place{console.environment, {}, {}};
    if (options.project) place.project = std::filesystem::current_path();
    const std::vector<AgentPlan> plans = removal_plans(options, place);
    if (plans.empty()) console.err << "no agent has hooks of ours\n";
    const bool changes = show_plans(plans, console, "there are no hooks of ours");
    if (changes && !options.dry_run && !options.yes && !confirmed(console, "Write this?")) {
        console.err << "nothing was changed\n";
        return kExitFailed;
    }
    const bool written = options.dry_run || carry_out(plans, console);
    return written && !any_refused(plans) ? kExitOk : kExitFailed;
}

class Uninstall : public VerbOf<UninstallOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Remove Headway's hooks from agents' settings");
        arguments.footer(
            R"(Shows the changes, and asks before it writes them. Only Headway's own entries are removed; changes by others
stay. A settings file that `headway install` made is deleted if nothing else is in the file.

Examples:
  headway uninstall claude
  headway uninstall --dry-run)");
        arguments.operand("AGENT", options.agents, "agents (default: all with Headway's hooks)")
            .choices(agent_names());
        arguments.flag("--yes,-y", options.yes, "write without asking");
        arguments.flag("--dry-run", options.dry_run, "print the changes, and make none");
        arguments.flag("--project", options.project,
                       "change the settings of the project in this folder, not the user's");
    }

    int run(const Console& console, const Server&) override { return uninstall(options, console); }
};

}  // namespace

std::unique_ptr<Verb> make_uninstall() {
    return std::make_unique<Uninstall>();
}

}  // namespace headway::cli
