// SPDX-License-Identifier: Apache-2.0
#include "server/engine/transaction/days.hpp"

#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"
#include "core/budgets/budget.hpp"
#include "core/budgets/cost_text.hpp"
#include "core/meters/prices.hpp"
#include "server/engine/transaction/transaction.hpp"

namespace headway::server {
namespace {

using core::DayCap;
using core::DayUse;
using core::Error;
using core::ErrorCode;
using core::Result;

/// Names of the counters of a cap on a day. They are few and small, and stay.
std::string counter(std::int64_t day, const DayCap& cap, std::string_view name) {
    return "day." + std::to_string(day) + "." + cap.label + "." + std::string{name};
}

std::uint64_t positive(std::int64_t value) {
    return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

std::int64_t today(const Transaction& transaction) {
    return core::day_of(transaction.now(), transaction.settings().day.starts);
}

/// The own use of a session in some of its events. A cost that was said apart from tokens is one of
/// answers that may have been estimated, as in own_use().
DayUse use_in(std::span<const core::Event> events, const core::BudgetMeter& after) {
    std::uint64_t own_cost = 0;
    std::uint64_t of_answers = 0;
    DayUse use;
    for (const core::Event& event : events) {
        const core::Usage* usage = core::usage_in(event.payload);
        if (usage == nullptr) continue;
        const std::uint64_t tokens = core::tokens_of(*usage);
        const std::uint64_t cost = core::cost_micros(usage->cost_usd.value_or(0));
        use.tokens = std::min(use.tokens + tokens, core::kBudgetCountMax);
        if (!usage->cost_usd) use.unpriced = std::min(use.unpriced + tokens, core::kBudgetCountMax);
        if (!usage->estimated) own_cost += cost;
        if (tokens > 0) of_answers += core::micros_of_tokens(*usage);
    }
    const std::uint64_t now = std::max(after.cost_micros, after.parts->estimated_micros);
    const std::uint64_t before = std::max(
        after.cost_micros - std::min(after.cost_micros, own_cost),
        after.parts->estimated_micros - std::min(after.parts->estimated_micros, of_answers));
    use.cost_micros = now - std::min(now, before);
    return use;
}

bool has_label(const core::Opening& about, std::string_view label) {
    const std::size_t equals = label.find('=');
    HEADWAY_ASSERT(equals != std::string_view::npos);
    return std::any_of(about.labels.begin(), about.labels.end(), [&](const core::Label& own) {
        return own.key == label.substr(0, equals) && own.value == label.substr(equals + 1);
    });
}

/// The caps that count a session: that of all, and those whose label it or an ancestor has.
Result<std::vector<const DayCap*>> caps_of(Transaction& transaction, Resident& resident) {
    const core::DayBudget& day = transaction.settings().day;
    std::vector<const DayCap*> caps;
    if (day.all.is_set()) caps.push_back(&day.all);
    if (day.labels.empty()) return caps;
    HEADWAY_TRY(std::vector<Resident*> family, ancestors_of(transaction.sessions(), resident));
    family.push_back(&resident);
    for (const DayCap& cap : day.labels) {
        if (!cap.is_set()) continue;
        const bool counts = std::any_of(family.begin(), family.end(), [&cap](const Resident* one) {
            return has_label(one->session.state().about, cap.label);
        });
        if (counts) caps.push_back(&cap);
    }
    return caps;
}

/// A cap that is reached, with its use; null: none is.
Result<const DayCap*> reached_cap(Transaction& transaction, Resident& resident, DayUse& use) {
    HEADWAY_TRY(const auto caps, caps_of(transaction, resident));
    for (const DayCap* cap : caps) {
        HEADWAY_TRY(use, day_use(transaction.store().history(), today(transaction), *cap));
        if (core::day_level(*cap, use) == core::DayLevel::kReached) return cap;
    }
    return static_cast<const DayCap*>(nullptr);
}

core::ApprovalRequested request_for(const DayCap& cap, const DayUse& use, std::int64_t day) {
    core::ApprovalRequested asked;
    asked.kind = core::ApprovalKind::kBudgetExtension;
    asked.summary = core::bounded_text(
        "The budget of the day " + core::day_name(day) + ": " + core::day_figures(cap, use) +
        ". Approve to add as much again for this day; its sessions are paused until then.");
    return asked;
}

/// Asks a person, in the name of the session that met the cap, unless a person was asked already
/// and the request stands or was decided.
Result<> ask_for_more(Transaction& transaction, Resident& resident, const DayCap& cap,
                      const DayUse& use) {
    storage::HistoryTable& table = transaction.store().history();
    const std::int64_t day = today(transaction);
    const std::string of_session = counter(day, cap, "asked_session");
    const std::string of_n = counter(day, cap, "asked_n");
    HEADWAY_TRY(const std::int64_t session, table.counter(of_session));
    HEADWAY_TRY(const std::int64_t n, table.counter(of_n));
    if (n != 0) {
        HEADWAY_TRY(const auto asked, transaction.store().approvals().find_approval(
                                          session, static_cast<std::uint64_t>(n)));
        const auto status =
            asked && !asked->damaged ? asked->approval.status : core::ApprovalStatus::kCancelled;
        const bool declined =
            status == core::ApprovalStatus::kRejected || status == core::ApprovalStatus::kIgnored;
        if (status == core::ApprovalStatus::kPending || declined) return {};
    }
    std::vector<core::Event> reported(1);
    reported.front().payload = request_for(cap, use, day);
    const core::SessionState& state = resident.session.state();
    if (state.ended() || !state.approvals.has_own_room()) return {};
    std::vector<core::Event>& events = transaction.events();
    core::Context asking = transaction.context();
    asking.of_daemon = true;
    resident.session.report(reported, asking, events);
    std::int64_t number = 0;
    for (const core::Event& event : events) {
        if (std::holds_alternative<core::ApprovalRequested>(event.payload))
            number = static_cast<std::int64_t>(event.n);
    }
    HEADWAY_CHECK(table.add_to_counter(of_session, resident.key - session));
    HEADWAY_CHECK(table.add_to_counter(of_n, number - n));
    return transaction.append(resident, events);
}

Result<> add_more(storage::HistoryTable& table, std::int64_t day, const DayCap& cap,
                  std::uint64_t tokens, std::uint64_t micros) {
    const auto add = [&](std::string_view name, std::uint64_t value) -> Result<> {
        if (value == 0) return {};
        return table.add_to_counter(counter(day, cap, name), static_cast<std::int64_t>(value));
    };
    HEADWAY_CHECK(add("more_tokens", tokens));
    return add("more_micros", micros);
}

/// The sessions that a cap holds are looked at in the next turn.
void wake_held(Transaction& transaction) {
    for (const storage::SessionKey key : transaction.days().sessions)
        transaction.wake(key);
}

/// A session has ended, which may have asked for more: another one that its cap holds asks then.
Result<> follow_end(Transaction& transaction, const Resident& resident) {
    const core::DayBudget& settings = transaction.settings().day;
    storage::HistoryTable& table = transaction.store().history();
    const std::int64_t day = today(transaction);
    const auto follow = [&](const DayCap& cap) -> Result<> {
        HEADWAY_TRY(const std::int64_t session, table.counter(counter(day, cap, "asked_session")));
        if (session == resident.key) wake_held(transaction);
        return {};
    };
    if (settings.all.is_set()) HEADWAY_CHECK(follow(settings.all));
    for (const DayCap& cap : settings.labels)
        HEADWAY_CHECK(follow(cap));
    return {};
}

/// A person has approved more for a daily cap.
Result<> follow_decision(Transaction& transaction, const Resident& resident,
                         const core::ApprovalDecided& decided) {
    const bool of_person = decided.channel != "expiry" && decided.channel != "grant";
    const auto ref = core::parse_approval_id(decided.id);
    if (decided.decision != core::Decision::kApprove || !of_person || !ref) return {};
    storage::HistoryTable& table = transaction.store().history();
    const std::int64_t day = today(transaction);
    const core::DayBudget& settings = transaction.settings().day;
    const auto follow = [&](const DayCap& cap) -> Result<> {
        HEADWAY_TRY(const std::int64_t session, table.counter(counter(day, cap, "asked_session")));
        HEADWAY_TRY(const std::int64_t n, table.counter(counter(day, cap, "asked_n")));
        if (session != resident.key || n == 0 || positive(n) != ref->n) return {};
        wake_held(transaction);
        // As much again from where its use is now, if that is beyond the cap.
        HEADWAY_TRY(const DayUse use, day_use(table, day, cap));
        const auto more = [](std::uint64_t amount, std::uint64_t used, std::uint64_t added) {
            const std::uint64_t limit = amount + added;
            return amount == 0 ? 0 : amount + (used > limit ? used - limit : 0);
        };
        const std::uint64_t micros = core::cost_micros(cap.max_cost_usd.value_or(0));
        return add_more(table, day, cap,
                        more(cap.max_tokens.value_or(0), use.tokens, use.more_tokens),
                        more(micros, use.cost_micros, use.more_micros));
    };
    if (settings.all.is_set()) HEADWAY_CHECK(follow(settings.all));
    for (const DayCap& cap : settings.labels)
        HEADWAY_CHECK(follow(cap));
    return {};
}

/// Its requests for daily caps, which alone Headway makes by itself, wait for no person any more.
void close_requests(Transaction& transaction, Resident& resident,
                    std::vector<core::Event>& events) {
    std::vector<std::uint64_t> over;
    for (const core::Approval& asked : resident.session.state().approvals.requests) {
        const bool extends = asked.kind == core::ApprovalKind::kBudgetExtension;
        if (asked.pending() && extends && asked.of_headway()) over.push_back(asked.n);
    }
    for (const std::uint64_t n : over)
        resident.session.close_request(n, core::ApprovalClosing::kNotNeeded, transaction.context(),
                                       events);
}

Error no_limit(const std::string& field) {
    return {ErrorCode::kInvalidField,
            "this daily cap has no " + field + "; set it in [budget.day], or leave the field out",
            "/extend/" + field};
}

Result<api::DayReport> report_of(storage::HistoryTable& table, const core::DayBudget& settings,
                                 core::Timestamp now) {
    api::DayReport report;
    report.day = core::day_of(now, settings.starts);
    report.begins = core::day_begins(report.day, settings.starts);
    report.ends = core::day_begins(report.day + 1, settings.starts);
    const auto add = [&](const DayCap& cap) -> Result<> {
        if (!cap.is_set()) return {};
        HEADWAY_TRY(const DayUse use, day_use(table, report.day, cap));
        report.caps.push_back({cap, use});
        return {};
    };
    HEADWAY_CHECK(add(settings.all));
    for (const DayCap& cap : settings.labels)
        HEADWAY_CHECK(add(cap));
    return report;
}

}  // namespace

Result<DayUse> day_use(storage::HistoryTable& table, std::int64_t day, const DayCap& cap) {
    DayUse use;
    const auto read = [&](std::string_view name, std::uint64_t& value) -> Result<> {
        HEADWAY_TRY(const std::int64_t stored, table.counter(counter(day, cap, name)));
        value = positive(stored);
        return {};
    };
    HEADWAY_CHECK(read("tokens", use.tokens));
    HEADWAY_CHECK(read("micros", use.cost_micros));
    HEADWAY_CHECK(read("unpriced", use.unpriced));
    HEADWAY_CHECK(read("more_tokens", use.more_tokens));
    HEADWAY_CHECK(read("more_micros", use.more_micros));
    std::uint64_t lifted = 0;
    HEADWAY_CHECK(read("lifted", lifted));
    use.lifted = lifted > 0;
    return use;
}

Result<> note_day(Transaction& transaction, Resident& resident,
                  std::span<const core::Event> events) {
    if (!transaction.settings().day.is_set()) return {};
    for (const core::Event& event : events) {
        const auto* decided = std::get_if<core::ApprovalDecided>(&event.payload);
        if (decided != nullptr) HEADWAY_CHECK(follow_decision(transaction, resident, *decided));
        const bool ended = std::holds_alternative<core::SessionEnded>(event.payload);
        if (ended) HEADWAY_CHECK(follow_end(transaction, resident));
    }
    const DayUse use = use_in(events, resident.session.state().budget);
    if (use.tokens == 0 && use.cost_micros == 0) return {};
    HEADWAY_TRY(const auto caps, caps_of(transaction, resident));
    storage::HistoryTable& table = transaction.store().history();
    const std::int64_t day = today(transaction);
    for (const DayCap* cap : caps) {
        const auto add = [&](std::string_view name, std::uint64_t value) -> Result<> {
            if (value == 0) return {};
            const std::string counted = counter(day, *cap, name);
            HEADWAY_TRY(const std::int64_t now, table.counter(counted));
            const std::uint64_t room =
                core::kBudgetCountMax - std::min(positive(now), core::kBudgetCountMax);
            return table.add_to_counter(counted, static_cast<std::int64_t>(std::min(value, room)));
        };
        HEADWAY_CHECK(add("tokens", use.tokens));
        HEADWAY_CHECK(add("micros", use.cost_micros));
        HEADWAY_CHECK(add("unpriced", use.unpriced));
    }
    return {};
}

Result<> release_day(Transaction& transaction, Resident& resident) {
    const core::SessionState& state = resident.session.state();
    // A person's pause may have taken the place of the day's, whose request is then still open.
    DaysHeld& days = transaction.days();
    const bool held = days.sessions.erase(resident.key) > 0;
    if (held) days.let_go.insert(resident.key);
    if (state.ended() || (!held && !state.paused_for_day)) return {};
    DayUse use;
    HEADWAY_TRY(const DayCap* reached, reached_cap(transaction, resident, use));
    if (reached != nullptr) {
        days.sessions.insert(resident.key);
        // The session that asked may have ended since, and its request with it.
        return ask_for_more(transaction, resident, *reached, use);
    }
    std::vector<core::Event>& events = transaction.events();
    close_requests(transaction, resident, events);
    if (state.paused_for_day) {
        HEADWAY_CHECK(resident.session.resume(std::string{core::kDayReleased}, {},
                                              transaction.context(), events));
    }
    return transaction.append(resident, events);
}

Result<> heed_day(Transaction& transaction, Resident& resident) {
    const core::SessionState& state = resident.session.state();
    if (state.ended()) return {};
    if (state.paused_for_day) return release_day(transaction, resident);
    if (!transaction.settings().day.is_set() || state.paused()) return {};
    DayUse use;
    HEADWAY_TRY(const DayCap* reached, reached_cap(transaction, resident, use));
    if (reached == nullptr) return {};
    HEADWAY_CHECK(transaction.change(resident, &core::Session::pause,
                                     core::day_pause_reason(*reached, use), std::string{}));
    transaction.days().sessions.insert(resident.key);
    return ask_for_more(transaction, resident, *reached, use);
}

Result<api::DayReport> DayQuery::operator()(Reader& reader) const {
    return report_of(reader.store().history(), reader.settings().day, reader.now());
}

Result<api::DayReport> DayCommand::operator()(Transaction& transaction) {
    const core::DayBudget& settings = transaction.settings().day;
    const auto named = std::find_if(settings.labels.begin(), settings.labels.end(),
                                    [this](const DayCap& cap) { return cap.label == label; });
    const DayCap* cap = label.empty()                    ? &settings.all
                        : named != settings.labels.end() ? &*named
                                                         : nullptr;
    if (cap == nullptr || !cap->is_set()) {
        return Error{ErrorCode::kInvalidField,
                     "there is no daily cap for " +
                         (label.empty() ? std::string{"all sessions"} : label) +
                         "; set [budget.day] in the configuration",
                     "/label"};
    }
    if (more_tokens > 0 && !cap->max_tokens) return no_limit("max_tokens");
    if (more_cost_usd > 0 && !cap->max_cost_usd) return no_limit("max_cost_usd");
    storage::HistoryTable& table = transaction.store().history();
    const std::int64_t day = today(transaction);
    HEADWAY_CHECK(add_more(table, day, *cap, cap->max_tokens ? more_tokens : 0,
                           cap->max_cost_usd ? core::cost_micros(more_cost_usd) : 0));
    if (lift) HEADWAY_CHECK(table.add_to_counter(counter(day, *cap, "lifted"), 1));
    wake_held(transaction);
    return report_of(table, settings, transaction.now());
}

}  // namespace headway::server
