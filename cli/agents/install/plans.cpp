// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/install/plans.hpp"

#include <algorithm>
#include <ostream>

#include "cli/agents/settings/text_diff.hpp"
#include "cli/base/text.hpp"

namespace headway::cli {
namespace {

std::string written_line(const FileChange& change) {
    const std::string name = clean_line(change.path.string());
    if (!change.after) return "deleted " + name;
    if (!change.before) return "made " + name;
    return "changed " + name;
}

}  // namespace

std::string title_of(const AgentPlan& plan) {
    const std::string title{plan.row->title};
    return plan.found.version.empty() ? title : title + " " + plan.found.version;
}

bool show_plans(const std::vector<AgentPlan>& plans, const Console& console,
                std::string_view when_nothing) {
    bool any = false;
    for (const AgentPlan& plan : plans) {
        if (!plan.refusal.empty()) {
            complain(console, 0, title_of(plan) + ": " + clean_line(plan.refusal));
            continue;
        }
        if (plan.changes.empty()) {
            console.err << title_of(plan) << ": " << when_nothing << "\n";
            continue;
        }
        any = true;
        for (const FileChange& change : plan.changes) {
            console.out << unified_diff(change.path.string(), change.before.value_or(""),
                                        change.after.value_or(""));
        }
    }
    console.out.flush();
    return any;
}

bool carry_out(const std::vector<AgentPlan>& plans, const Console& console) {
    bool good = true;
    for (const AgentPlan& plan : plans) {
        for (const FileChange& change : plan.changes) {
            if (const auto done = apply_change(change); !done) {
                complain(console, 0, clean_line(done.error().detail));
                good = false;
                continue;
            }
            console.err << written_line(change) << "\n";
            for (const auto& backup : backups_of(change.path))
                console.err << "  what was there is in " << clean_line(backup.string()) << "\n";
        }
    }
    return good;
}

bool any_refused(const std::vector<AgentPlan>& plans) {
    return std::any_of(plans.begin(), plans.end(),
                       [](const AgentPlan& plan) { return !plan.refusal.empty(); });
}

}  // namespace headway::cli
