// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/wire/hints.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <array>

namespace headway::storage {
namespace {

/// Waits after a failed connection, before the next try.
constexpr int kRests = 10;

}  // namespace

void PostgresHints::Close::operator()(pg_conn* connection) const {
    PQfinish(connection);
}

PostgresHints::PostgresHints(PostgresConnection::Settings settings, std::string id)
    : settings_(std::move(settings)), id_(std::move(id)) {}

PostgresHints::~PostgresHints() = default;

/// Waits for the next result: a server that is stopped would hold PQgetResult() up, and with it the
/// end of the daemon. The wait is counted in polls, since one that brings nothing lasts its time.
bool PostgresHints::answered() {
    constexpr int kPollMs = 100;
    auto left = settings_.answer_timeout.count() / kPollMs;
    while (PQisBusy(connection_.get()) != 0) {
        pollfd answer{PQsocket(connection_.get()), POLLIN, 0};
        const int ready = ::poll(&answer, 1, kPollMs);
        if (ready < 0 || (ready == 0 && --left <= 0)) return false;
        if (ready > 0 && PQconsumeInput(connection_.get()) == 0) return false;
    }
    return true;
}

bool PostgresHints::run(const std::string& sql) {
    if (PQsendQuery(connection_.get(), sql.c_str()) == 0) return false;
    bool done = true;
    for (;;) {
        if (!answered()) return false;
        PGresult* const result = PQgetResult(connection_.get());
        if (result == nullptr) return done;
        const ExecStatusType status = PQresultStatus(result);
        if (status == PGRES_TUPLES_OK && PQntuples(result) == 1)
            channel_ = std::string{"headway_"} + PQgetvalue(result, 0, 0);
        PQclear(result);
        done = done && (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK);
    }
}

/// Its thread has nothing else to do meanwhile, so libpq may wait by itself, for 2 s at most.
bool PostgresHints::connect() {
    if (connection_ != nullptr && PQstatus(connection_.get()) == CONNECTION_OK) return true;
    connection_.reset();
    if (rests_ > 0) {
        --rests_;
        return false;
    }
    rests_ = kRests;
    const std::string wait = std::to_string(settings_.answer_timeout.count());
    // A standby, perhaps the first host of the URL, lets no connection listen.
    const std::array<const char*, 6> keys{"dbname",           "tcp_user_timeout",
                                          "connect_timeout",  "target_session_attrs",
                                          "application_name", nullptr};
    const std::array<const char*, 6> values{settings_.url.c_str(), wait.c_str(),    "2",
                                            "read-write",          "headway hints", nullptr};
    connection_.reset(PQconnectdbParams(keys.data(), values.data(), 1));
    if (connection_ == nullptr || PQstatus(connection_.get()) != CONNECTION_OK) return false;
    PQsetNoticeProcessor(
        connection_.get(), [](void*, const char*) {}, nullptr);
    if (!run("SELECT current_schema()") || !run("LISTEN \"" + channel_ + "\"")) {
        connection_.reset();
        return false;
    }
    rests_ = 0;
    return true;
}

bool PostgresHints::heard() {
    bool found = false;
    while (PGnotify* const hint = PQnotifies(connection_.get())) {
        found = found || id_ != hint->extra;
        PQfreemem(hint);
    }
    return found;
}

bool PostgresHints::wait(int wake, core::Millis most) {
    const bool connected = connect();
    if (connected && heard()) return true;
    std::array<pollfd, 2> ready{pollfd{wake, POLLIN, 0},
                                pollfd{connected ? PQsocket(connection_.get()) : -1, POLLIN, 0}};
    if (::poll(ready.data(), ready.size(), static_cast<int>(most.count())) <= 0) return false;
    if (ready[1].revents == 0) return false;
    if (PQconsumeInput(connection_.get()) == 0) {
        connection_.reset();
        return false;
    }
    return heard();
}

void PostgresHints::tell() {
    if (!connect()) return;
    if (!run("NOTIFY \"" + channel_ + "\", '" + id_ + "'")) connection_.reset();
}

}  // namespace headway::storage
