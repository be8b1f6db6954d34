// SPDX-License-Identifier: Apache-2.0
#include "server/engine/reports/telemetry_commands.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/text/text.hpp"
#include "server/engine/commands/carry_over.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/engine/reports/generations.hpp"

namespace headway::server {
namespace {

using core::Result;

/// True if hooks report this session, which say what happens before telemetry does.
bool has_hooks(const Resident& resident) {
    return !resident.session.state().about.adapters.empty();
}

bool is_usage(const core::Event& event) {
    const auto* answer = std::get_if<core::Message>(&event.payload);
    return answer != nullptr && answer->usage;
}

bool is_call(const core::Event& event) {
    return std::holds_alternative<core::ToolStarted>(event.payload) ||
           std::holds_alternative<core::ToolFinished>(event.payload);
}

/// As many records as an exporter sends at once.
constexpr std::size_t kLeftOutMax = 512;

bool was_left_out(const Resident& resident, std::uint64_t id) {
    const std::vector<std::uint64_t>& known = *resident.telemetry_left_out;
    return std::find(known.begin(), known.end(), id) != known.end();
}

void note_left_out(Resident& resident, std::uint64_t id) {
    std::vector<std::uint64_t>& known = resident.telemetry_left_out.change();
    if (known.size() == kLeftOutMax) known.erase(known.begin());
    known.push_back(id);
}

/// Leaves out what the agent's hooks or its record have really reported: as many calls, since one
/// alone must not hide the others, and of the rest all but usage, of which only the part counts
/// that is not known (leave_out_known()).
void leave_out_reported(Resident& resident, std::vector<core::Event>& events) {
    const std::uint64_t calls = resident.session.state().agent_calls;
    const bool rest = calls > 0 || has_hooks(resident);
    std::erase_if(events, [&](const core::Event& event) {
        if (is_usage(event)) return false;
        if (!is_call(event)) return rest;
        const std::uint64_t id = core::digest_of(event.event_id).low;
        if (was_left_out(resident, id)) return true;  // the export is sent again
        const bool known = resident.telemetry_calls < calls;
        if (!known || !std::holds_alternative<core::ToolFinished>(event.payload)) return known;
        ++resident.telemetry_calls;
        note_left_out(resident, id);
        return true;
    });
}

bool says_something(const TelemetryReport& report) {
    return std::any_of(report.events.begin(), report.events.end(), [](const core::Event& event) {
        return is_usage(event) || !std::holds_alternative<core::Heartbeat>(event.payload);
    });
}

void reject(TelemetryTaken& taken, std::size_t records, std::string why) {
    if (taken.rejected == 0) taken.why = std::move(why);
    taken.rejected += records;
}

class Take {
public:
    Take(Transaction& transaction, TelemetryTaken& taken)
        : transaction_(transaction), taken_(taken) {}

    Result<> operator()(TelemetryReport& report) {
        HEADWAY_TRY(const std::string target, target_of(report));
        HEADWAY_TRY(Resident * resident, transaction_.find(target));
        if (resident == nullptr) {
            if (!report.opens) return {};
            if (const auto turn = check_turn(transaction_.reader(), target); !turn) {
                reject(taken_, report.events.size(),
                       "session " + target + ": " + turn.error().detail);
                return {};
            }
            HEADWAY_CHECK(open(report, target));
            HEADWAY_TRY(resident, transaction_.require(target));
        }
        if (!resident->telemetry && says_something(report)) resident->telemetry = taken_.signal;
        if (resident->telemetry.value_or(taken_.signal) != taken_.signal) return {};
        leave_out_reported(*resident, report.events);
        return store(*resident, report);
    }

private:
    /// Hooks name sub-agents otherwise than telemetry does: of a session with hooks, the use of its
    /// sub-agents is its own.
    Result<std::string> target_of(const TelemetryReport& report) {
        if (report.sub_agent.empty()) return report.target;
        HEADWAY_TRY(const Resident* main, transaction_.find(report.target));
        const bool hooks = main != nullptr && has_hooks(*main);
        return hooks ? report.target : report.sub_target;
    }

    Result<> open(TelemetryReport& report, const std::string& target) {
        if (target == report.sub_target) report.about.parent = report.target;
        HEADWAY_TRY(const Resident* before, ended_before(transaction_.reader(), target));
        return open_implicitly(transaction_, target, std::move(report.about), before);
    }

    Result<> store(Resident& resident, TelemetryReport& report) {
        if (report.events.empty()) return {};
        const std::size_t records = report.events.size();
        const std::string& id = resident.session.id();
        if (resident.session.state().ended()) {
            reject(taken_, records, "session " + id + " has ended");
            return {};
        }
        ReportCommand command;
        command.session = id;
        command.batch = true;
        command.events = std::move(report.events);
        command.channel = core::Channel::kTelemetry;
        auto stored = command(transaction_);
        if (stored) return {};
        if (is_storage_error(stored.error().code)) return std::move(stored).error();
        // It decides before it changes anything.
        reject(taken_, records, "session " + id + ": " + stored.error().detail);
        return {};
    }

    Transaction& transaction_;
    TelemetryTaken& taken_;
};

}  // namespace

Result<bool> TelemetryCommand::is_well_named(Reader& reader) const {
    for (const TelemetryReport& report : reports) {
        HEADWAY_TRY(const std::string main, in_force(reader, report.session, Begins::kNever));
        if (main != report.target) return false;
        if (report.sub_agent.empty()) continue;
        HEADWAY_TRY(const std::string sub, in_force(reader, report.sub_agent, Begins::kNever));
        if (sub != report.sub_target) return false;
    }
    return true;
}

Result<> TelemetryCommand::name(Reader& reader, SessionNames& names) {
    for (TelemetryReport& report : reports) {
        HEADWAY_TRY(report.target, in_force(reader, report.session, Begins::kNever));
        names.push_back(report.target);
        if (report.sub_agent.empty()) continue;
        HEADWAY_TRY(report.sub_target, in_force(reader, report.sub_agent, Begins::kNever));
        names.push_back(report.sub_target);
    }
    return {};
}

Result<TelemetryTaken> TelemetryCommand::operator()(Transaction& transaction) {
    // Parents before their sub-agents.
    std::stable_partition(reports.begin(), reports.end(),
                          [](const auto& report) { return report.sub_agent.empty(); });
    Take take{transaction, taken};
    for (TelemetryReport& report : reports)
        HEADWAY_CHECK(take(report));
    return std::move(taken);
}

}  // namespace headway::server
