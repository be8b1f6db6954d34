// SPDX-License-Identifier: Apache-2.0
#include "tests/support/postgres_breaks.hpp"

#include <libpq-fe.h>
#include <poll.h>
#include <sys/socket.h>

#include <deque>
#include <map>
#include <optional>

namespace headway::tests {
namespace {

using Kind = PostgresBreak::Kind;

/// The requests that the server owes a connection an answer to, in order.
struct Owed {
    enum class Step : std::uint8_t { kOther, kSync, kHidden, kCut, kSilence };
    Step step = Step::kOther;
};

struct Link {
    std::map<std::string, std::string> prepared;  ///< SQL by name
    std::deque<Owed> owed;
    bool cut = false;
    bool cut_at_sync = false;
};

std::map<PGconn*, Link> links;
std::set<std::string> known;
std::vector<std::string> in_order;
std::uint64_t chosen = 0;  ///< the statement that is struck; 0: none by number
std::string begins;        ///< or by text
PostgresBreak fault;
std::uint64_t left = 0;  ///< how often it still strikes
std::string again;       ///< the struck statement
bool was_struck = false;
bool silent = false;
bool uncounted = false;

/// Whether this statement is struck.
bool strikes(const std::string& sql) {
    if (uncounted) return false;
    known.insert(sql);
    in_order.push_back(sql);
    if (left == 0) return false;
    const bool first =
        !was_struck && (chosen != 0 ? in_order.size() == chosen : sql.starts_with(begins));
    if (!first && (!was_struck || sql != again)) return false;
    was_struck = true;
    again = sql;
    --left;
    return true;
}

std::string raising() {
    return "DO $$BEGIN RAISE EXCEPTION 'refused' USING ERRCODE='" + fault.state + "'; END$$";
}

void cut(PGconn* connection) {
    ::shutdown(PQsocket(connection), SHUT_RDWR);
    links[connection].cut = true;
}

}  // namespace

void PostgresBreaks::strike(std::uint64_t nth, PostgresBreak what) {
    mend();
    chosen = nth;
    fault = std::move(what);
    left = fault.times;
}

void PostgresBreaks::strike(std::string sql, PostgresBreak what) {
    strike(std::uint64_t{0}, std::move(what));
    begins = std::move(sql);
}

void PostgresBreaks::mend() {
    in_order.clear();
    chosen = left = 0;
    begins.clear();
    was_struck = silent = false;
}

bool PostgresBreaks::struck() {
    return was_struck;
}
const std::vector<std::string>& PostgresBreaks::sent() {
    return in_order;
}
const std::set<std::string>& PostgresBreaks::texts() {
    return known;
}

PostgresBreaks::Aside::Aside() {
    uncounted = true;
}
PostgresBreaks::Aside::~Aside() {
    uncounted = false;
}

std::string PostgresBreaks::refusal() {
    return "DO $$BEGIN CREATE TABLE refusal(state TEXT); CREATE FUNCTION refuse() RETURNS trigger "
           "AS 'BEGIN RAISE EXCEPTION ''refused'' USING ERRCODE=NEW.state; END' LANGUAGE plpgsql; "
           "CREATE CONSTRAINT TRIGGER refuses AFTER INSERT ON refusal DEFERRABLE INITIALLY "
           "DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse(); END$$";
}

}  // namespace headway::tests

using namespace headway::tests;
using Step = Owed::Step;

extern "C" {

// NOLINTBEGIN: names of the linker
int __real_PQsendQuery(PGconn*, const char*);
int __real_PQsendPrepare(PGconn*, const char*, const char*, int, const Oid*);
// NOLINTBEGIN: names of the linker
int __real_PQsendQueryParams(PGconn*, const char*, int, const Oid*, const char* const*, const int*,
                             const int*, int);
// NOLINTBEGIN: names of the linker
int __real_PQsendQueryPrepared(PGconn*, const char*, int, const char* const*, const int*,
                               const int*, int);
int __real_PQpipelineSync(PGconn*);
int __real_PQisBusy(PGconn*);
int __real_PQconsumeInput(PGconn*);
PGresult* __real_PQgetResult(PGconn*);
void __real_PQfinish(PGconn*);
int __real_poll(pollfd*, nfds_t, int);

}  // extern "C"

namespace {

int send_plain(PGconn* connection, const std::string& sql) {
    return __real_PQsendQueryParams(connection, sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr,
                                    1);
}

/// The statement that is sent instead of a struck one; empty: itself.
std::optional<int> send_struck(PGconn* connection, const std::string& sql) {
    Link& link = links[connection];
    switch (fault.kind) {
        case Kind::kCutBefore:
            cut(connection);
            return 1;
        case Kind::kCutAfter:
            link.owed.push_back({Step::kCut});
            return std::nullopt;
        case Kind::kSilence:
            link.owed.push_back({Step::kSilence});
            return std::nullopt;
        case Kind::kCutAtEnd:
            link.cut_at_sync = true;
            link.owed.push_back({Step::kOther});
            return std::nullopt;
        case Kind::kEnded:
            link.owed.push_back({Step::kOther});
            return send_plain(connection, "SELECT pg_terminate_backend(pg_backend_pid())");
        case Kind::kRefused:
            break;
    }
    if (sql == "COMMIT") {
        link.owed.push_back({Step::kHidden});
        link.owed.push_back({Step::kOther});
        (void)send_plain(connection, "INSERT INTO refusal VALUES('" + fault.state + "')");
        return std::nullopt;
    }
    link.owed.push_back({Step::kOther});
    // Without ROLLBACK the transaction would stay, which no server does.
    return send_plain(connection, sql == "ROLLBACK" ? sql : raising());
}

/// Takes what the connection does not know of.
bool take_hidden(PGconn* connection, Link& link) {
    while (!link.owed.empty() && link.owed.front().step == Step::kHidden) {
        if (__real_PQisBusy(connection) != 0) return false;
        PGresult* const result = __real_PQgetResult(connection);
        if (result == nullptr) link.owed.pop_front();
        PQclear(result);
    }
    return true;
}

}  // namespace

extern "C" {

int __wrap_PQsendQuery(PGconn* connection, const char* sql) {
    if (!strikes(sql)) return __real_PQsendQuery(connection, sql);
    if (fault.kind == Kind::kRefused) return __real_PQsendQuery(connection, raising().c_str());
    cut(connection);
    return __real_PQsendQuery(connection, sql);
}

int __wrap_PQsendPrepare(PGconn* connection, const char* name, const char* sql, int count,
                         const Oid* types) {
    Link& link = links[connection];
    link.prepared[name] = sql;
    link.owed.push_back({});
    return __real_PQsendPrepare(connection, name, sql, count, types);
}

int __wrap_PQsendQueryParams(PGconn* connection, const char* sql, int count, const Oid* types,
                             const char* const* values, const int* lengths, const int* formats,
                             int binary) {
    if (strikes(sql)) {
        if (const auto done = send_struck(connection, sql)) return *done;
    } else {
        links[connection].owed.push_back({});
    }
    return __real_PQsendQueryParams(connection, sql, count, types, values, lengths, formats,
                                    binary);
}

int __wrap_PQsendQueryPrepared(PGconn* connection, const char* name, int count,
                               const char* const* values, const int* lengths, const int* formats,
                               int binary) {
    const std::string sql = links[connection].prepared[name];
    if (strikes(sql)) {
        if (const auto done = send_struck(connection, sql)) return *done;
    } else {
        links[connection].owed.push_back({});
    }
    return __real_PQsendQueryPrepared(connection, name, count, values, lengths, formats, binary);
}

int __wrap_PQpipelineSync(PGconn* connection) {
    links[connection].owed.push_back({Step::kSync});
    return __real_PQpipelineSync(connection);
}

int __wrap_PQisBusy(PGconn* connection) {
    Link& link = links[connection];
    if (link.cut || silent || !take_hidden(connection, link)) return 1;
    const int busy = __real_PQisBusy(connection);
    if (busy != 0 || link.owed.empty()) return busy;
    const Step step = link.owed.front().step;
    if (step == Step::kCut || (step == Step::kSync && link.cut_at_sync)) cut(connection);
    if (link.owed.front().step == Step::kSilence) silent = true;
    return link.cut || silent ? 1 : 0;
}

int __wrap_PQconsumeInput(PGconn* connection) {
    return links[connection].cut ? 0 : __real_PQconsumeInput(connection);
}

PGresult* __wrap_PQgetResult(PGconn* connection) {
    Link& link = links[connection];
    PGresult* const result = __real_PQgetResult(connection);
    const bool sync = result != nullptr && PQresultStatus(result) == PGRES_PIPELINE_SYNC;
    if ((result == nullptr || sync) && !link.owed.empty()) link.owed.pop_front();
    return result;
}

void __wrap_PQfinish(PGconn* connection) {
    links.erase(connection);
    silent = false;
    __real_PQfinish(connection);
}

/// A wait for a silent server ends at once.
int __wrap_poll(pollfd* fds, nfds_t count, int timeout) {
    return silent ? 0 : __real_poll(fds, count, timeout);
}

}  // extern "C"
