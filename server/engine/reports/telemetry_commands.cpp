// SPDX-License-Identifier: Apache-2.0
#include "server/engine/reports/telemetry_commands.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "api/hooks/dialect.hpp"
#include "core/base/assert.hpp"
#include "server/engine/commands/carry_over.hpp"
#include "server/engine/commands/session_commands.hpp"
#include "server/engine/reports/generations.hpp"

namespace headway::server {
namespace {

using core::Result;

/// Adapters that report tokens without a dialect of their own: plugins, and stored sessions.
constexpr std::array<std::string_view, 4> kPlainAdapters{"opencode", "kilo", "pi", "transcript"};

/// The adapter that opened a session, by its label; empty: none, or a word of the user's.
std::string_view adapter_of(const Resident& resident) {
    for (const core::Label& label : resident.session.state().about.labels) {
        if (label.key != "adapter") continue;
        const bool plain = std::find(kPlainAdapters.begin(), kPlainAdapters.end(), label.value) !=
                           kPlainAdapters.end();
        const bool known = plain || label.value == kTelemetryAdapter ||
                           api::hooks::find_dialect(label.value) != nullptr;
        return known ? std::string_view{label.value} : std::string_view{};
    }
    return {};
}

/// Parts that telemetry may add to a session.
enum class Adds : std::uint8_t { kAll, kUsage, kCost, kNothing };

Adds adds_to(Transaction& transaction, const Resident& resident) {
    std::string_view adapter = adapter_of(resident);
    if (const core::HookChannel* channel = transaction.channels().find(resident.key))
        adapter = channel->adapter;
    if (adapter.empty() || adapter == kTelemetryAdapter) return Adds::kAll;
    const api::hooks::Dialect* dialect = api::hooks::find_dialect(adapter);
    // A plugin speaks the neutral dialect under the name of its agent.
    if (dialect == nullptr) dialect = api::hooks::find_dialect("generic");
    HEADWAY_ASSERT(dialect != nullptr);
    if (!dialect->reports_tokens) return Adds::kUsage;
    return dialect->reports_cost ? Adds::kNothing : Adds::kCost;
}

bool is_usage(const core::Event& event) {
    const auto* answer = std::get_if<core::Message>(&event.payload);
    return answer != nullptr && answer->usage;
}

/// Keeps the cost for agents whose hooks report tokens and no cost.
void keep_cost(std::vector<core::Event>& events) {
    std::erase_if(events, [](core::Event& event) {
        core::Usage& usage = *std::get<core::Message>(event.payload).usage;
        usage.tokens = usage.input_tokens = usage.output_tokens = 0;
        return usage.cost_usd.value_or(0) <= 0;
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
        const Adds adds = adds_to(transaction_, *resident);
        if (adds == Adds::kNothing) return {};
        if (adds != Adds::kAll)
            std::erase_if(report.events, [](const core::Event& event) { return !is_usage(event); });
        if (adds == Adds::kCost) keep_cost(report.events);
        return store(*resident, report);
    }

private:
    /// Hooks name sub-agents otherwise than telemetry does: of a session with hooks, the use of its
    /// sub-agents is its own.
    Result<std::string> target_of(const TelemetryReport& report) {
        if (report.sub_agent.empty()) return report.target;
        HEADWAY_TRY(const Resident* main, transaction_.find(report.target));
        const bool hooks = main != nullptr && adds_to(transaction_, *main) != Adds::kAll;
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
