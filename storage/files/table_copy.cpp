// SPDX-License-Identifier: Apache-2.0
#include "storage/files/table_copy.hpp"

#include <string_view>

namespace headway::storage {
namespace {

using core::Result;

struct Table {
    std::string_view name;
    std::string_view columns;
    std::string_view kinds;  ///< of each column: a number, a text, bytes
    std::string_view which = {};
};

/// A session that is being deleted has no name. Its key is used again, so the order to forget it
/// stays behind, too.
constexpr std::string_view kKnown = " WHERE session IN (SELECT key FROM session WHERE name<>'')";

// storage/FORMAT.md. Ids of events follow from the journal (Store::save).
constexpr Table kTables[] = {
    {"idempotency", "key,fingerprint,session,at", "ttti"},
    {"used", "id,agent,outcome,ended_at,elapsed_ms,steps,tokens,cost_micros", "itiiiiii"},
    {"token", "id,name,scopes,hash,created_at,expires_at,revoked_at,used_at", "tttbiiii"},
    {"approval", "cursor,session,n,pending,kind,identity,decided,state", "iiiiiiib", kKnown},
    {"judge_check", "id,session,asked,done", "tiii", kKnown},
    {"estimate", "session,n,percent_milli,calls,source,model", "iiiitt", kKnown},
    {"estimate_score", "model,source,decile,count,completed,abs_error_milli,signed_error_milli",
     "ttiiiii"},
    {"session_index",
     "session,open,verdict,attention_at,over_budget_at,alarm,alarm_at,agent,parent,labels,text,"
     "recorded",
     "iiiiiiitttti", kKnown},
    {"webhook_message",
     "id,endpoint,message,type,session,n,at,tries,due_at,tried_at,dead_at,away,reason,body",
     "ittttiiiiiiitt"},
    {"webhook_endpoint",
     "name,target,disabled_at,removed_at,delivered,failed,died,dropped,succeeded_at,failed_at,"
     "failure",
     "ttiiiiiiiit"},
    {"inbox", "id,session,event", "iib", kKnown},
    {"expectation", "agent,kind,name,sessions,updated_at,sketches", "titiib"},
    {"meta", "name,value", "ti",
     " WHERE name NOT IN ('snapshot_cursor','snapshot_check','session_index_due') AND "
     "(name NOT LIKE 'forget:%' OR substr(name,8) IN "
     "(SELECT CAST(key AS TEXT) FROM session WHERE name<>''))"},
};

constexpr std::size_t kStepRows = 1'000;

std::string places_of(const Table& table) {
    std::string places;
    for (std::size_t at = 1; at <= table.kinds.size(); ++at)
        places += (at == 1 ? "?" : ",?") + std::to_string(at);
    return places;
}

void bind_column(Statement& to, const Statement& row, int column, char kind) {
    if (row.is_null(column)) {
        to.bind_null(column + 1);
    } else if (kind == 'i') {
        to.bind(column + 1, row.integer(column));
    } else if (kind == 't') {
        to.bind(column + 1, row.text(column));
    } else {
        to.bind_blob(column + 1, row.blob(column));
    }
}

Result<> copy_table(const Table& table, Sql& from, Sql& to, const std::function<Result<>()>& step) {
    const std::string name{table.name};
    const std::string columns{table.columns};
    HEADWAY_TRY(Statement read,
                from.prepare("SELECT " + columns + " FROM " + name + std::string{table.which}));
    HEADWAY_TRY(Statement write, to.prepare("INSERT INTO " + name + "(" + columns + ") VALUES(" +
                                            places_of(table) + ")"));
    Rows rows{read};
    for (std::size_t copied = 1;; ++copied) {
        HEADWAY_TRY(const bool more, rows.next());
        if (!more) return {};
        for (std::size_t column = 0; column < table.kinds.size(); ++column)
            bind_column(write, rows.row(), static_cast<int>(column), table.kinds[column]);
        HEADWAY_CHECK(write.run());
        if (copied % kStepRows == 0) HEADWAY_CHECK(step());
    }
}

}  // namespace

Result<> copy_tables(Sql& from, Sql& to, const std::function<Result<>()>& step) {
    for (const Table& table : kTables)
        HEADWAY_CHECK(copy_table(table, from, to, step));
    return {};
}

std::vector<std::string_view> copied_tables() {
    std::vector<std::string_view> names;
    for (const Table& table : kTables)
        names.push_back(table.name);
    return names;
}

std::vector<std::string_view> tables_of_sessions() {
    std::vector<std::string_view> names;
    for (const Table& table : kTables) {
        if (table.which == kKnown) names.push_back(table.name);
    }
    return names;
}

Result<std::vector<NamedSession>> named_sessions(Sql& from) {
    HEADWAY_TRY(Statement read, from.prepare("SELECT key,name,opened_at FROM session WHERE "
                                             "name<>'' ORDER BY key"));
    std::vector<NamedSession> sessions;
    Rows rows{read};
    while (true) {
        HEADWAY_TRY(const bool more, rows.next());
        if (!more) return sessions;
        sessions.push_back({rows->integer(0), std::string{rows->text(1)}, rows->time(2)});
    }
}

}  // namespace headway::storage
