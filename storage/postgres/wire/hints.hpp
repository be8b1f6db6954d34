// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "storage/postgres/wire/connection.hpp"
#include "storage/store/shared_store.hpp"

namespace headway::storage {

/// Hints that are sent with NOTIFY and received with LISTEN. Some databases that are compatible
/// with PostgreSQL lack both statements.
class PostgresHints final : public Hints {
public:
    /// `id` is the id of this daemon; hints with this id are ignored.
    PostgresHints(PostgresConnection::Settings settings, std::string id);
    ~PostgresHints() override;

    bool wait(int wake, core::Millis most) override;
    void tell() override;

private:
    struct Close {
        void operator()(pg_conn* connection) const;
    };
    bool connect();
    bool answered();
    bool run(const std::string& sql);
    bool heard();

    PostgresConnection::Settings settings_;
    std::string id_;
    std::unique_ptr<pg_conn, Close> connection_;
    std::string channel_;  ///< name of the channel, made from the tables' schema
    int rests_ = 0;        ///< number of waits before the next attempt to connect
};

}  // namespace headway::storage
