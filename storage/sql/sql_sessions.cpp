// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/text/words.hpp"
#include "storage/sql/sql_tables.hpp"

// The index of sessions, written in the transaction of their events: see session_index.hpp.

namespace headway::storage {
namespace {

using core::Result;

// Separator around labels and between texts, so that no match spans two of them.
constexpr char kBorder = '\x1f';

/// The index has no checksums: an invalid number is damage, and is ignored until the session's next
/// event rewrites it.
template <core::NamedEnum E>
bool is_known(std::int64_t number) {
    return number >= 0 && number < static_cast<std::int64_t>(core::EnumNames<E>::kNames.size());
}

/// A label in the column's format: the lengths make it unambiguous.
std::string label_text(const core::Label& label) {
    return kBorder + std::to_string(label.key.size()) + ":" + label.key +
           std::to_string(label.value.size()) + ":" + label.value + kBorder;
}

std::string labels_text(const core::Opening& about) {
    std::string text;
    for (const core::Label& label : about.labels)
        text += label_text(label);
    return text;
}

/// The searchable text. The goal comes last, so that a long one is cut.
std::string search_text(const core::Session& session) {
    const core::Opening& about = session.state().about;
    std::string text = session.id();
    for (const std::string* part : {&about.agent.type, &about.agent.name, &about.agent.model})
        text += kBorder + *part;
    for (const core::Label& label : about.labels)
        text += kBorder + label.value;
    text += kBorder + about.goal.kept;
    text = core::lower(core::cut_text(text, core::limits::kSearchTextBytesMax));
    HEADWAY_ASSERT(text.size() <= core::limits::kSearchTextBytesMax);
    return text;
}

/// A session of the past is never open, also while its import is not complete.
bool is_open(const core::SessionState& state) {
    return !state.ended() && !state.about.recorded;
}

/// True if the verdict needs attention. A session that waits for an approval does not: the approval
/// itself does.
bool wants_attention(const core::SessionState& state) {
    const core::Judgement& judgement = *state.judgement;
    if (!is_open(state) || judgement.detector == "approval") return false;
    return judgement.verdict == core::Verdict::kBlocked ||
           judgement.verdict == core::Verdict::kStuck ||
           judgement.verdict == core::Verdict::kSilent || judgement.needs_somebody;
}

bool over_budget(const core::SessionState& state) {
    return is_open(state) && state.budget.limited() &&
           state.budget.level >= core::BudgetLevel::kCritical;
}

/// The bound texts, which must outlive the statement's run.
struct Bound {
    std::string label;
    std::string text;

    Bound(const SessionFilter& filter, Statement& statement) {
        if (filter.label) {
            label = label_text(*filter.label);
            statement.bind(3, label);
        }
        if (!filter.agent_type.empty()) statement.bind(4, filter.agent_type);
        if (!filter.parent.empty()) statement.bind(5, filter.parent);
        if (!filter.text.empty()) {
            text = core::lower(filter.text);
            statement.bind(6, text);
        }
    }
};

}  // namespace

Result<> SqlSessionIndex::prepare() {
    HEADWAY_TRY(
        move_,
        database_.prepare("INSERT INTO session_index(session,open,verdict,attention_at,"
                          "over_budget_at,alarm,alarm_at,agent,parent,labels,text,recorded) "
                          "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12) "
                          "ON CONFLICT(session) DO UPDATE SET open=excluded.open,"
                          "verdict=excluded.verdict,attention_at=excluded.attention_at,"
                          "over_budget_at=CASE WHEN excluded.over_budget_at IS NULL THEN NULL ELSE "
                          "coalesce(session_index.over_budget_at,excluded.over_budget_at) END,"
                          "alarm=excluded.alarm,alarm_at=excluded.alarm_at,agent=excluded.agent,"
                          "parent=excluded.parent,labels=excluded.labels,text=excluded.text,"
                          "recorded=excluded.recorded"));
    return {};
}

Result<> SqlSessionIndex::index_session(SessionKey key, const core::Session& session,
                                        core::Timestamp now) {
    const core::SessionState& state = session.state();
    move_.bind(1, key).bind(2, is_open(state) ? 1 : 0);
    move_.bind(3, static_cast<std::int64_t>(state.judgement->verdict));
    const auto moment = [this](int index, bool set, core::Timestamp at) {
        if (set) {
            move_.bind(index, at);
        } else {
            move_.bind_null(index);
        }
    };
    moment(4, wants_attention(state), state.judgement->since);
    moment(5, over_budget(state), now);
    const core::RaisedAlarm* alarm = state.approvals.worst_alarm();
    moment(7, alarm != nullptr, alarm != nullptr ? alarm->at : core::kNever);
    if (alarm != nullptr) {
        move_.bind(6, static_cast<std::int64_t>(alarm->kind));
    } else {
        move_.bind_null(6);
    }
    // session.amended may change the identity after the opening.
    const std::string labels = labels_text(state.about);
    const std::string text = search_text(session);
    move_.bind(8, state.about.agent.type).bind(9, state.about.parent);
    move_.bind(10, labels).bind(11, text).bind(12, state.about.recorded ? 1 : 0);
    return move_.run();
}

/// ?1 is the key, ?2 the limit; the others belong to the filter.
std::string SqlSessionIndex::conditions(const SessionFilter& filter, Walk walk) const {
    std::string sql;
    // A sign before a column keeps its index out of the plan.
    const std::string sign = walk == Walk::kKeys ? " AND +" : " AND ";
    if (filter.open) sql += sign + (*filter.open ? "open=1" : "open=0");
    if (filter.recorded) {
        // Few sessions are open, or have one verdict: their index is the better one.
        const bool few = filter.open.value_or(false) || !filter.verdicts.empty();
        sql += few ? " AND +" : sign;
        sql += *filter.recorded ? "recorded=1" : "recorded=0";
    }
    if (!filter.verdicts.empty()) {
        std::string list;
        for (const core::Verdict verdict : filter.verdicts)
            list += (list.empty() ? "" : ",") + std::to_string(static_cast<int>(verdict));
        sql += sign + "verdict IN (" + list + ")";
    }
    if (filter.label) sql += " AND " + database_.contains("labels", "?3");
    if (!filter.agent_type.empty()) sql += " AND agent=?4";
    if (!filter.parent.empty()) sql += " AND parent=?5 AND parent<>''";  // of the index
    if (!filter.text.empty()) sql += " AND " + database_.contains("text", "?6");
    return sql;
}

Result<std::vector<SessionKey>> SqlSessionIndex::list(const SessionFilter& filter,
                                                      SessionKey before, std::size_t limit) {
    HEADWAY_TRY(const std::string among, among_ids(filter));
    HEADWAY_TRY(Statement list,
                database_.prepare("SELECT session FROM session_index WHERE session<?1" +
                                  conditions(filter) + among + " ORDER BY session DESC LIMIT ?2"));
    list.bind(1, before).bind(2, static_cast<std::int64_t>(limit));
    const Bound bound{filter, list};
    std::vector<SessionKey> keys;
    while (true) {
        HEADWAY_TRY(const bool row, list.step());
        if (!row) return keys;
        keys.push_back(list.integer(0));
    }
}

Result<std::vector<SessionKey>> SqlSessionIndex::list_range(const SessionFilter& filter,
                                                            SessionKey from, SessionKey before) {
    HEADWAY_TRY(const std::string among, among_ids(filter));
    HEADWAY_TRY(Statement list, database_.prepare("SELECT session FROM session_index WHERE "
                                                  "session<?1 AND session>=?2" +
                                                  conditions(filter, Walk::kKeys) + among +
                                                  " ORDER BY session DESC"));
    list.bind(1, before).bind(2, from);
    const Bound bound{filter, list};
    std::vector<SessionKey> keys;
    while (true) {
        HEADWAY_TRY(const bool row, list.step());
        if (!row) return keys;
        keys.push_back(list.integer(0));
    }
}

Result<SessionKey> SqlSessionIndex::sessions_end() {
    HEADWAY_TRY(const std::int64_t newest,
                database_.query_integer("SELECT coalesce(max(session),0) FROM session_index"));
    return newest + 1;
}

Result<std::uint64_t> SqlSessionIndex::count(const SessionFilter& filter) {
    HEADWAY_TRY(const std::string among, among_ids(filter));
    HEADWAY_TRY(Statement count, database_.prepare("SELECT count(*) FROM session_index WHERE 1=1" +
                                                   conditions(filter) + among));
    const Bound bound{filter, count};
    HEADWAY_TRY(const bool row, count.step());
    return row ? count.count(0) : std::uint64_t{0};
}

/// The SQL condition for the filter's ids; empty without any.
Result<std::string> SqlSessionIndex::among_ids(const SessionFilter& filter) {
    if (!filter.ids) return std::string{};
    std::string list;
    HEADWAY_TRY(Statement find, database_.prepare("SELECT key FROM session WHERE name=?1"));
    for (const std::string& id : *filter.ids) {
        HEADWAY_TRY(const bool found, find.bind(1, id).step());
        if (found) list += (list.empty() ? "" : ",") + std::to_string(find.integer(0));
        find.reset();
    }
    return list.empty() ? " AND 1=0" : " AND session IN (" + list + ")";
}

Result<VerdictCounts> SqlSessionIndex::count_open() {
    HEADWAY_TRY(Statement counts,
                database_.prepare("SELECT verdict,count(*) FROM session_index WHERE open=1 "
                                  "GROUP BY verdict"));
    VerdictCounts by_verdict{};
    while (true) {
        HEADWAY_TRY(const bool row, counts.step());
        if (!row) return by_verdict;
        const std::int64_t verdict = counts.integer(0);
        if (!is_known<core::Verdict>(verdict)) continue;
        by_verdict.at(static_cast<std::size_t>(verdict)) =
            static_cast<std::uint64_t>(counts.integer(1));
    }
}

/// In the order in which a person is asked (urgency_of() in overview_query.cpp): many silent
/// sessions leave no later stuck one out. The verdict finds the few stuck and blocked sessions, and
/// time the silent ones, of which there may be many: a sign keeps the other index out of the plan.
Result<std::vector<SessionNeed>> SqlSessionIndex::needs(std::size_t limit) {
    const auto by_verdict = [](const std::string& condition, const char* rank) {
        return "SELECT * FROM (SELECT session,attention_at,0," + std::string{rank} +
               " FROM session_index WHERE " + condition +
               " ORDER BY attention_at,session LIMIT ?1) AS of_verdict";
    };
    const auto is = [](core::Verdict verdict) {
        return "verdict=" + std::to_string(static_cast<int>(verdict));
    };
    const std::string open = " AND open=1 AND +attention_at IS NOT NULL";
    const std::string silent = "attention_at IS NOT NULL AND +" + is(core::Verdict::kSilent);
    const std::string standing =
        "(" + is(core::Verdict::kBlocked) + " OR " + is(core::Verdict::kWaiting) + ")" + open;
    HEADWAY_TRY(Statement list,
                database_.prepare(by_verdict(is(core::Verdict::kStuck) + open, "0") +
                                  " UNION ALL SELECT * FROM (SELECT session,over_budget_at,1,1 "
                                  "FROM session_index WHERE over_budget_at IS NOT NULL "
                                  "ORDER BY over_budget_at,session LIMIT ?1) AS of_budget "
                                  "UNION ALL " +
                                  by_verdict(standing, "2") + " UNION ALL " +
                                  by_verdict(silent, "3") + " ORDER BY 4,2,1 LIMIT ?1"));
    list.bind(1, static_cast<std::int64_t>(limit));
    std::vector<SessionNeed> found;
    while (true) {
        HEADWAY_TRY(const bool row, list.step());
        if (!row) return found;
        found.push_back({list.integer(0), list.time(1), list.integer(2) == 1});
    }
}

/// In the order of core::urgency_of().
Result<std::vector<SessionAlarm>> SqlSessionIndex::alarms(std::size_t limit) {
    static_assert(static_cast<int>(core::ApprovalAlarmKind::kExecutedThoughRejected) == 1);
    static_assert(static_cast<int>(core::ApprovalAlarmKind::kExecutedUnapproved) == 2);
    static_assert(static_cast<int>(core::ApprovalAlarmKind::kStartedAfterRejection) == 3);
    HEADWAY_TRY(Statement list,
                database_.prepare("SELECT session,alarm,alarm_at FROM session_index WHERE alarm IS "
                                  "NOT NULL ORDER BY CASE alarm WHEN 1 THEN 0 WHEN 2 THEN 1 WHEN 3 "
                                  "THEN 2 ELSE 3 END,alarm_at,session LIMIT ?1"));
    list.bind(1, static_cast<std::int64_t>(limit));
    std::vector<SessionAlarm> found;
    while (true) {
        HEADWAY_TRY(const bool row, list.step());
        if (!row) return found;
        if (!is_known<core::ApprovalAlarmKind>(list.integer(1))) continue;
        found.push_back(
            {list.integer(0), static_cast<core::ApprovalAlarmKind>(list.integer(1)), list.time(2)});
    }
}

Result<AlarmCounts> SqlSessionIndex::count_alarms() {
    HEADWAY_TRY(Statement counts,
                database_.prepare("SELECT alarm,count(*) FROM session_index WHERE alarm IS NOT "
                                  "NULL GROUP BY alarm"));
    AlarmCounts by_kind{};
    while (true) {
        HEADWAY_TRY(const bool row, counts.step());
        if (!row) return by_kind;
        const std::int64_t kind = counts.integer(0);
        if (!is_known<core::ApprovalAlarmKind>(kind)) continue;
        by_kind.at(static_cast<std::size_t>(kind)) = static_cast<std::uint64_t>(counts.integer(1));
    }
}

Result<std::uint64_t> SqlSessionIndex::count_needs() {
    HEADWAY_TRY(const std::int64_t count,
                database_.query_integer("SELECT (SELECT count(*) FROM session_index WHERE "
                                        "attention_at IS NOT NULL)+(SELECT count(*) FROM "
                                        "session_index WHERE over_budget_at IS NOT NULL)+"
                                        "(SELECT count(*) FROM session_index WHERE alarm IS NOT "
                                        "NULL)"));
    return static_cast<std::uint64_t>(count);
}

}  // namespace headway::storage
