// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/wire/connection.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/base/assert.hpp"
#include "storage/postgres/wire/hosts.hpp"

namespace headway::storage {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr int kBinary = 1;
/// Statements are ours, with few types each. More would be a leak at the server.
constexpr std::size_t kPreparedMax = 1'000;
/// Sent before anything else: a daemon that stops in the middle of a turn must not hold up others.
constexpr const char* kSession =
    "SET idle_in_transaction_session_timeout='2s';SET lock_timeout='1s';"
    "SET statement_timeout='20s';SET synchronous_commit=on;SET client_min_messages=warning;"
    "SET default_transaction_isolation='read committed';SET TIME ZONE 'UTC'";

/// The server was demoted, or made read-only, and has kept the connection.
constexpr std::string_view kReadOnly = "25006";

/// True for an answer to a COMMIT that does not say whether it was done: from a database that lost
/// its own connection to the data, or from a proxy that lost the database.
bool is_no_outcome(std::string_view state) {
    return state == "40003" || state.starts_with("08") || state.starts_with("57P");
}

ErrorCode code_of(std::string_view state) {
    if (state == "53100") return ErrorCode::kStorageFull;
    if (state.starts_with("22")) return ErrorCode::kInvalidField;  // a value, as bytes of no UTF-8
    if (state == "XX001" || state == "XX002") return ErrorCode::kStorageCorrupt;
    return ErrorCode::kStorageUnavailable;
}

std::string one_line(const char* text) {
    std::string line = text == nullptr ? "" : text;
    while (!line.empty() && line.back() == '\n')
        line.pop_back();
    for (char& c : line) {
        if (c == '\n') c = ' ';
    }
    return line;
}

}  // namespace

void PostgresConnection::Close::operator()(pg_conn* connection) const {
    PQfinish(connection);
}

PostgresConnection::~PostgresConnection() = default;

std::string PostgresConnection::host() const {
    const char* host = connection_ == nullptr ? nullptr : PQhost(connection_.get());
    if (host == nullptr) return {};
    const std::string_view port = PQport(connection_.get());
    return std::string{host} + (port.empty() ? "" : ":" + std::string{port});
}

std::string PostgresConnection::tls() const {
    if (connection_ == nullptr || PQsslInUse(connection_.get()) == 0) return {};
    const char* protocol = PQsslAttribute(connection_.get(), "protocol");
    return protocol == nullptr ? "TLS" : protocol;
}

int PostgresConnection::socket() const {
    return connection_ == nullptr ? -1 : PQsocket(connection_.get());
}

/// libpq goes on to the next host when one refuses, but not when it does not answer: so each is
/// tried by itself, from the one that was connected last.
Result<> PostgresConnection::connect() {
    if (lost_transaction()) {
        return Error{ErrorCode::kStorageUnavailable,
                     "PostgreSQL: the transaction was lost with its connection",
                     {}};
    }
    close();
    HEADWAY_CHECK(check_postgres_url(settings_.url));
    if (hosts_.empty()) hosts_ = hosts_of(settings_.url);
    Result<> done;
    for (std::size_t tries = 0; tries < hosts_.size(); ++tries) {
        done = connect_to(hosts_[host_]);
        if (done) return done;
        host_ = (host_ + 1) % hosts_.size();
    }
    return done;
}

Result<> PostgresConnection::connect_to(const PostgresHost& host) {
    close();
    // Without an answer of the peer the kernel gives up as soon as we do.
    const std::string wait = std::to_string(settings_.answer_timeout.count());
    std::vector<const char*> keys{"dbname", "tcp_user_timeout", "keepalives_idle",
                                  "target_session_attrs", "application_name"};
    std::vector<const char*> values{settings_.url.c_str(), wait.c_str(), "5", "read-write",
                                    "headway"};
    for (const auto& [key, value] : host) {
        keys.push_back(key.c_str());
        values.push_back(value.c_str());
    }
    keys.push_back(nullptr);
    values.push_back(nullptr);
    connection_.reset(PQconnectStartParams(keys.data(), values.data(), 1));
    if (connection_ == nullptr) return broken("connect");
    if (PQstatus(connection_.get()) == CONNECTION_BAD) return broken("connect");
    for (PostgresPollingStatusType next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK;) {
        HEADWAY_CHECK(
            await(next == PGRES_POLLING_READING ? POLLIN : POLLOUT, settings_.connect_timeout));
        next = PQconnectPoll(connection_.get());
        if (next == PGRES_POLLING_FAILED) return broken("connect");
    }
    PQsetnonblocking(connection_.get(), 1);
    PQsetNoticeReceiver(connection_.get(), note_warning, this);
    // The simple protocol takes all settings at once; after it, only the pipeline is used.
    if (PQsendQuery(connection_.get(), kSession) == 0) return broken("connect");
    HEADWAY_CHECK(flush());
    while (true) {
        HEADWAY_TRY(pg_result* const result, next_result());
        if (result == nullptr) break;
        const PostgresRows rows{result};
        if (PQresultStatus(result) != PGRES_COMMAND_OK) {
            Error error = error_of(result);
            close();
            return error;
        }
    }
    if (PQenterPipelineMode(connection_.get()) == 0) return broken("connect");
    return {};
}

/// A commit whose wait for its standby was cancelled (by an administrator, who wants to free a
/// server without a standby) is only on this server, and a warning is all that says so.
void PostgresConnection::note_warning(void* of, const pg_result* notice) {
    auto& self = *static_cast<PostgresConnection*>(of);
    const char* state = PQresultErrorField(notice, PG_DIAG_SQLSTATE);
    const std::string_view known = state == nullptr ? "" : state;
    if (self.committing_ && (known == "01000" || known == "57P01")) self.alone_ = true;
}

/// The transaction stays open without its connection, so that all that follows in it fails: after
/// an error that was not looked at, it could otherwise go on outside of it.
void PostgresConnection::close() {
    if (connection_ != nullptr) ++breaks_;
    connection_.reset();
    expected_.clear();
    prepared_.clear();
    failure_.reset();
    committing_ = false;
}

/// The connection is useless. Whether its COMMIT was done is not known then.
Error PostgresConnection::broken(std::string_view doing) {
    std::string why =
        connection_ == nullptr ? "no memory" : one_line(PQerrorMessage(connection_.get()));
    if (why.empty()) {
        why = "no answer within " + std::to_string(settings_.answer_timeout.count()) + " ms";
    }
    outcome_unknown_ = committing_;
    state_.clear();
    close();
    return {ErrorCode::kStorageUnavailable, "PostgreSQL: " + std::string{doing} + ": " + why, {}};
}

Error PostgresConnection::error_of(const pg_result* result) {
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char* message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    state_ = state == nullptr ? "" : state;
    return {code_of(state_),
            "PostgreSQL: " + one_line(message == nullptr ? PQresultErrorMessage(result) : message) +
                (state_.empty() ? "" : " (" + state_ + ")"),
            {}};
}

Result<> PostgresConnection::await(short events, core::Millis timeout) {
    pollfd ready{PQsocket(connection_.get()), events, 0};
    int found = 0;
    do {
        found = ::poll(&ready, 1, static_cast<int>(timeout.count()));
    } while (found < 0 && errno == EINTR);
    return found > 0 ? Result<>{} : Result<>{broken("wait")};
}

/// Sends all that is queued; takes in what comes meanwhile, so that the server never waits for us
/// while we wait for it.
Result<> PostgresConnection::flush() {
    while (true) {
        const int left = PQflush(connection_.get());
        if (left < 0) return broken("send");
        if (left == 0) return {};
        HEADWAY_CHECK(await(POLLIN | POLLOUT, settings_.answer_timeout));
        if (PQconsumeInput(connection_.get()) == 0) return broken("receive");
    }
}

/// Null between the results of two statements.
Result<pg_result*> PostgresConnection::next_result() {
    while (PQisBusy(connection_.get()) != 0) {
        HEADWAY_CHECK(await(POLLIN, settings_.answer_timeout));
        if (PQconsumeInput(connection_.get()) == 0) return broken("receive");
    }
    return PQgetResult(connection_.get());
}

/// The name under which the server knows the statement with these types of parameters.
Result<std::string> PostgresConnection::name_of(std::string_view sql,
                                                const PostgresParameters& parameters) {
    std::string key{sql};
    for (const auto& value : parameters.values())
        key += "\n" + std::to_string(value.type);
    if (const auto known = prepared_.find(key); known != prepared_.end()) return known->second;
    if (prepared_.size() >= kPreparedMax) return std::string{};  // as one that is used once
    std::vector<Oid> types;
    for (const auto& value : parameters.values())
        types.push_back(value.type);
    std::string name = "s" + std::to_string(prepared_.size());
    if (PQsendPrepare(connection_.get(), name.c_str(), std::string{sql}.c_str(),
                      static_cast<int>(types.size()), types.data()) == 0)
        return broken("prepare");
    expected_.push_back({false, false, key});
    prepared_.emplace(std::move(key), name);
    return name;
}

Result<> PostgresConnection::enqueue(std::string_view sql, const PostgresParameters& parameters,
                                     Expected expected) {
    if (connection_ == nullptr)
        return Error{ErrorCode::kStorageUnavailable, "PostgreSQL: there is no connection", {}};
    HEADWAY_TRY(const std::string name, name_of(sql, parameters));
    std::vector<Oid> types;
    std::vector<const char*> values;
    std::vector<int> lengths;
    for (const auto& value : parameters.values()) {
        types.push_back(value.type);
        values.push_back(value.null ? nullptr : value.bytes.data());
        lengths.push_back(static_cast<int>(value.bytes.size()));
    }
    const std::vector<int> formats(values.size(), kBinary);
    const auto count = static_cast<int>(values.size());
    const int sent =
        name.empty()
            ? PQsendQueryParams(connection_.get(), std::string{sql}.c_str(), count, types.data(),
                                values.data(), lengths.data(), formats.data(), kBinary)
            : PQsendQueryPrepared(connection_.get(), name.c_str(), count, values.data(),
                                  lengths.data(), formats.data(), kBinary);
    if (sent == 0) return broken("send");
    expected_.push_back(std::move(expected));
    return {};
}

Result<> PostgresConnection::send(std::string_view sql, const PostgresParameters& parameters) {
    return enqueue(sql, parameters, {});
}

Result<> PostgresConnection::send_asking(std::string_view sql,
                                         const PostgresParameters& parameters) {
    return enqueue(sql, parameters, {true, false, {}});
}

/// Takes the answer to one statement.
Result<> PostgresConnection::take(const Expected& expected, std::vector<PostgresRows>& rows,
                                  std::optional<Error>& failed) {
    HEADWAY_TRY(pg_result* const result, next_result());
    if (result == nullptr) return broken("a statement has no result");
    PostgresRows answer{result};
    HEADWAY_TRY(pg_result* const rest, next_result());
    if (rest != nullptr) {
        PQclear(rest);
        return broken("a statement has two results");
    }
    switch (PQresultStatus(result)) {
        case PGRES_COMMAND_OK:
        case PGRES_TUPLES_OK:
            if (expected.commits) in_transaction_ = false;
            // COMMIT of a transaction that has failed answers so, and without an error.
            if (expected.commits && PQcmdStatus(result) != std::string_view{"COMMIT"}) {
                committing_ = false;
                if (!failed)
                    failed = Error{ErrorCode::kStorageUnavailable,
                                   "PostgreSQL: the transaction had failed",
                                   {}};
            }
            if (expected.commits && alone_ && !failed)
                failed = Error{ErrorCode::kStorageUnavailable,
                               "PostgreSQL: the wait for the standby was cancelled",
                               {}};
            if (expected.prepared.empty()) changes_ = answer.changes();
            if (expected.wanted) rows.push_back(std::move(answer));
            return {};
        case PGRES_PIPELINE_ABORTED:
            if (!failed)
                failed = Error{
                    ErrorCode::kStorageUnavailable, "PostgreSQL: a statement was not run", {}};
            break;
        default:
            if (!failed) failed = error_of(result);
    }
    // One that was not even tried, since a statement before it had failed, ends no transaction.
    const bool tried = PQresultStatus(result) != PGRES_PIPELINE_ABORTED;
    if (expected.commits && tried) in_transaction_ = false;
    if (expected.commits && !(tried && is_no_outcome(state_))) committing_ = false;
    if (!expected.prepared.empty()) prepared_.erase(expected.prepared);
    return {};
}

Result<> PostgresConnection::collect(std::vector<PostgresRows>& rows,
                                     std::optional<Error>& failed) {
    if (PQpipelineSync(connection_.get()) == 0) return broken("send");
    HEADWAY_CHECK(flush());
    while (!expected_.empty()) {
        const Expected expected = std::move(expected_.front());
        expected_.pop_front();
        HEADWAY_CHECK(take(expected, rows, failed));
    }
    HEADWAY_TRY(pg_result* const sync, next_result());
    const PostgresRows end{sync};
    if (sync == nullptr || PQresultStatus(sync) != PGRES_PIPELINE_SYNC)
        return broken("the pipeline is out of step");
    return {};
}

Result<std::vector<PostgresRows>> PostgresConnection::finish() {
    if (connection_ == nullptr)
        return Error{ErrorCode::kStorageUnavailable, "PostgreSQL: there is no connection", {}};
    std::vector<PostgresRows> rows;
    std::optional<Error> failed;
    bool commits = false;
    for (const Expected& expected : expected_)
        commits = commits || expected.commits;
    committing_ = commits;
    ++round_trips_;
    HEADWAY_CHECK(collect(rows, failed));
    if (std::exchange(committing_, false) && failed) outcome_unknown_ = true;
    if (failed && state_ == kReadOnly) {
        close();  // connect() looks for a server that takes writes
        return *std::move(failed);
    }
    if (failed && !in_transaction_ && !commits) return *std::move(failed);
    if (failed && !failure_) failure_ = std::move(failed);
    if (failure_ && commits) return *std::exchange(failure_, std::nullopt);
    if (failure_) return *failure_;
    return rows;
}

}  // namespace headway::storage
