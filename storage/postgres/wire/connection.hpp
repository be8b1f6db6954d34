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

/// The rows that a statement returned. A missing value, and a number that cannot be parsed, are
/// read like NULL: as 0 or empty.
class PostgresRows {
public:
    PostgresRows() = default;
    explicit PostgresRows(pg_result* result) : result_(result) {}

    int size() const;
    std::int64_t integer(int row, int column) const;
    std::uint64_t count(int row, int column) const;
    /// The bytes or the text of a value. Valid as long as this object exists.
    std::string_view bytes(int row, int column) const;
    bool is_null(int row, int column) const;
    int columns() const;
    std::string_view column_name(int column) const;
    /// Number of rows that the statement changed.
    std::int64_t changes() const;

private:
    struct Clear {
        void operator()(pg_result* result) const;
    };
    std::unique_ptr<pg_result, Clear> result_;
};

/// A connection to PostgreSQL in pipeline mode: it sends statements one after the other, and waits
/// for their answers only when a caller needs them. Every wait has a time limit. If the limit is
/// exceeded, or the server accepts no more writes (SQLSTATE 25006), the connection counts as
/// broken, and connect() makes a new one. One thread.
class PostgresConnection final : public Sql {
public:
    struct Settings {
        std::string url;  ///< a URI or "key=value" pairs of libpq; may name several hosts
        core::Millis connect_timeout{2'000};
        /// The longest wait for a byte, and the longest wait of a commit for a missing standby.
        core::Millis answer_timeout{5'000};
    };

    explicit PostgresConnection(Settings settings) : settings_(std::move(settings)) {}
    ~PostgresConnection() override;
    PostgresConnection(const PostgresConnection&) = delete;
    PostgresConnection& operator=(const PostgresConnection&) = delete;

    /// Errors: kStorageUnavailable; kInvalidConfig for a URL that libpq does not understand. Fails
    /// while lost_transaction() is true, because the rest of a transaction must not be written
    /// without its beginning.
    core::Result<> connect();
    void close();
    bool connected() const { return connection_ != nullptr; }

    core::Result<Statement> prepare(std::string_view sql) override;
    core::Result<std::int64_t> changes() override;
    /// Still true if the connection was lost in a transaction: statements then fail until
    /// rollback().
    bool in_transaction() const override { return in_transaction_; }
    bool lost_transaction() const { return in_transaction_ && connection_ == nullptr; }
    std::string contains(std::string_view column, std::string_view parameter) const override;

    /// Queues a statement with $1, $2, ...; the next finish() or ask() returns its error.
    core::Result<> send(std::string_view sql, const PostgresParameters& parameters = {});
    /// Queues a statement; finish() will return its rows.
    core::Result<> send_asking(std::string_view sql, const PostgresParameters& parameters = {});
    /// Sends the queued statements and waits for all answers, in one round trip. Returns the rows
    /// of the statements of send_asking(), in order, or the first error. After an error, the
    /// transaction can only be rolled back.
    core::Result<std::vector<PostgresRows>> finish();
    /// Runs one statement and returns its rows.
    core::Result<PostgresRows> ask(std::string_view sql, const PostgresParameters& parameters = {});
    /// Runs a statement that must return one row: any other number of rows is an error.
    core::Result<PostgresRows> ask_row(std::string_view sql,
                                       const PostgresParameters& parameters = {});

    /// begin() and commit() queue BEGIN and COMMIT; finish() returns the errors. After an error,
    /// call rollback(), even if the connection is lost.
    core::Result<> begin();
    core::Result<> commit();
    /// Drops the queued statements and waits for the rollback. If the rollback fails, the
    /// connection counts as broken.
    void rollback();

    /// The SQLSTATE of the last error of this transaction; empty for a connection error.
    const std::string& state() const { return state_; }
    /// True if state() reports a conflict with another transaction. The connection can then still
    /// be used.
    bool lost_a_conflict() const;
    /// True if the last commit() was sent but not acknowledged, or answered as unknown: it may have
    /// succeeded.
    bool outcome_unknown() const { return outcome_unknown_; }
    /// Number of round trips since the start.
    std::uint64_t round_trips() const { return round_trips_; }
    /// Number of connections lost since the start.
    std::uint64_t breaks() const { return breaks_; }
    int socket() const;
    /// The host that answered, or the folder of its socket.
    std::string host() const;
    /// The TLS version; empty without TLS.
    std::string tls() const;

private:
    /// The expected answer to one sent message.
    struct Expected {
        bool wanted = false;   ///< finish() returns its rows
        bool commits = false;  ///< the statement is the COMMIT
        std::string prepared;  ///< name of the statement to prepare; or empty
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
    std::map<std::string, std::string, std::less<>> prepared_;  ///< names of prepared statements,
                                                                ///< by SQL and types
    std::string state_;
    std::optional<core::Error> failure_;  ///< the first error of the transaction
    std::int64_t changes_ = 0;
    std::uint64_t round_trips_ = 0;
    std::uint64_t breaks_ = 0;
    std::vector<PostgresHost> hosts_;
    std::size_t host_ = 0;  ///< index of the host of the last connection
    bool in_transaction_ = false;
    bool committing_ = false;  ///< a COMMIT has been sent, and may have succeeded
    bool outcome_unknown_ = false;
    bool alone_ = false;  ///< the commit may be missing on the standby
};

}  // namespace headway::storage
