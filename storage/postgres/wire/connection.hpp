// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/postgres/wire/hosts.hpp"
#include "storage/postgres/wire/parameters.hpp"
#include "storage/sql/sql.hpp"

struct pg_conn;
struct pg_result;

namespace headway::storage {

/// The rows of an answered statement. A missing value, or a number that cannot be parsed, reads
/// like NULL: as 0 or empty.
class PostgresRows {
public:
    PostgresRows() = default;
    explicit PostgresRows(pg_result* result) : result_(result) {}

    int size() const;
    std::int64_t integer(int row, int column) const;
    std::uint64_t count(int row, int column) const;
    std::string_view bytes(int row, int column) const;  ///< also text; as long as this lives
    bool is_null(int row, int column) const;
    int columns() const;
    std::string_view column_name(int column) const;
    /// How many rows the statement has changed.
    std::int64_t changes() const;

private:
    struct Clear {
        void operator()(pg_result* result) const;
    };
    std::unique_ptr<pg_result, Clear> result_;
};

/// A connection to PostgreSQL in pipeline mode: statements are sent one after the other, and their
/// answers are awaited when a caller needs one. Every wait has a limit; after it the connection is
/// broken, and connect() makes another. One thread.
class PostgresConnection final : public Sql {
public:
    struct Settings {
        std::string url;  ///< a URI or "key=value" pairs of libpq; may name several hosts
        core::Millis connect_timeout{2'000};
        /// How long to wait without receiving a byte, and how long a commit waits for a missing
        /// standby.
        core::Millis answer_timeout{5'000};
    };

    explicit PostgresConnection(Settings settings) : settings_(std::move(settings)) {}
    ~PostgresConnection() override;
    PostgresConnection(const PostgresConnection&) = delete;
    PostgresConnection& operator=(const PostgresConnection&) = delete;

    /// Errors: kStorageUnavailable; kInvalidConfig for a URL that libpq does not understand. Not
    /// while a lost transaction is open: the rest of it must not be written without its beginning.
    core::Result<> connect();
    void close();
    bool connected() const { return connection_ != nullptr; }

    core::Result<Statement> prepare(std::string_view sql) override;
    core::Result<std::int64_t> changes() override;
    /// Also true when the transaction was lost with its connection: statements fail until it is
    /// ended.
    bool in_transaction() const override { return in_transaction_; }
    bool lost_transaction() const { return in_transaction_ && connection_ == nullptr; }
    std::string contains(std::string_view column, std::string_view parameter) const override;

    /// Queues a statement with $1, $2, ...; its error is that of the next finish() or ask().
    core::Result<> send(std::string_view sql, const PostgresParameters& parameters = {});
    /// The same for one whose rows finish() hands over.
    core::Result<> send_asking(std::string_view sql, const PostgresParameters& parameters = {});
    /// Sends what is queued and waits for all answers: one round trip. The rows are those of
    /// send_asking(), in order. Error: the first; the transaction is over then.
    core::Result<std::vector<PostgresRows>> finish();
    /// One statement and its rows.
    core::Result<PostgresRows> ask(std::string_view sql, const PostgresParameters& parameters = {});
    /// One statement that has one row, whatever the database says: another number is an error.
    core::Result<PostgresRows> ask_row(std::string_view sql,
                                       const PostgresParameters& parameters = {});

    /// Queue the statement; the errors come with finish(). After one of them rollback() is needed,
    /// also where the connection is gone.
    core::Result<> begin();
    core::Result<> commit();
    /// Waits. Drops what is queued; breaks the connection where that does not help.
    void rollback();

    /// The SQLSTATE of the last error of this transaction, empty for one of the connection.
    const std::string& state() const { return state_; }
    /// True if that is a conflict with another transaction, and the connection goes on.
    bool lost_a_conflict() const;
    /// True if the last commit() was sent and not answered: it may have succeeded.
    bool outcome_unknown() const { return outcome_unknown_; }
    /// Round trips since the start.
    std::uint64_t round_trips() const { return round_trips_; }
    /// Connections that were made and lost since the start.
    std::uint64_t breaks() const { return breaks_; }
    int socket() const;
    /// The host that answered, or the folder of its socket.
    std::string host() const;
    /// The version of TLS, empty without.
    std::string tls() const;

private:
    /// The expected answer to a sent message.
    struct Expected {
        bool wanted = false;   ///< its rows are handed over
        bool commits = false;  ///< it is the COMMIT
        std::string prepared;  ///< or it prepares this statement
    };
    struct Close {
        void operator()(pg_conn* connection) const;
    };

    core::Result<> connect_to(const PostgresHost& host);
    static void note_warning(void* of, const pg_result* notice);
    core::Result<> enqueue(std::string_view sql, const PostgresParameters& parameters,
                           Expected expected);
    core::Result<std::string> name_of(std::string_view sql, const PostgresParameters& parameters);
    core::Result<> flush();
    core::Result<pg_result*> next_result();
    core::Result<> await(short events, core::Millis timeout);
    core::Result<> collect(std::vector<PostgresRows>& rows, std::optional<core::Error>& failed);
    core::Result<> take(const Expected& expected, std::vector<PostgresRows>& rows,
                        std::optional<core::Error>& failed);
    core::Error broken(std::string_view doing);
    core::Error error_of(const pg_result* result);

    Settings settings_;
    std::unique_ptr<pg_conn, Close> connection_;
    std::deque<Expected> expected_;
    std::map<std::string, std::string, std::less<>> prepared_;  ///< names by SQL and types
    std::string state_;
    std::optional<core::Error> failure_;  ///< the first of the transaction
    std::int64_t changes_ = 0;
    std::uint64_t round_trips_ = 0;
    std::uint64_t breaks_ = 0;
    std::vector<PostgresHost> hosts_;
    std::size_t host_ = 0;  ///< of the hosts, the one that was connected last
    bool in_transaction_ = false;
    bool committing_ = false;  ///< a COMMIT is on its way
    bool outcome_unknown_ = false;
    bool alone_ = false;  ///< its standby may not have the commit
};

}  // namespace headway::storage
