// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/probe.hpp"

#include "storage/postgres/postgres_import.hpp"
#include "storage/postgres/wire/schema.hpp"
#include "storage/postgres/wire/times.hpp"

namespace headway::storage {
namespace {

using core::Result;

/// Query that any database answers. Texts are cast, since a name is no text.
constexpr const char* kServer =
    "SELECT current_setting('server_version'),current_user::text,"
    "coalesce(current_schema()::text,''),"
    "coalesce(has_schema_privilege(current_schema(),'CREATE'),false)::int::bigint,"
    "(extract(epoch FROM clock_timestamp())*1000)::bigint,"
    "current_setting('synchronous_standby_names'),"
    "(current_setting('fsync')='off')::int::bigint,"
    "(to_regclass('schema_version') IS NOT NULL)::int::bigint";
constexpr const char* kTables =
    "SELECT version,(has_table_privilege('session','SELECT,INSERT,UPDATE,DELETE') AND "
    "has_table_privilege('journal','SELECT,INSERT,DELETE'))::int::bigint,"
    "EXISTS(SELECT 1 FROM meta WHERE name=$1)::int::bigint FROM schema_version WHERE id=1";

}  // namespace

Result<PostgresFacts> probe_postgres(const PostgresConnection::Settings& settings, bool connect) {
    PostgresFacts facts;
    facts.tables_known = kPostgresSchemaVersion;
    HEADWAY_CHECK(check_postgres_url(settings.url));
    if (!connect) return facts;
    PostgresConnection connection{settings};
    HEADWAY_CHECK(connection.connect());
    facts.connected = true;
    facts.host = connection.host();
    facts.tls = connection.tls();
    HEADWAY_TRY(const PostgresRows server, connection.ask_row(kServer));
    facts.version = server.bytes(0, 0);
    facts.user = server.bytes(0, 1);
    facts.schema = server.bytes(0, 2);
    facts.may_create = server.integer(0, 3) != 0;
    facts.now = time_of(server.integer(0, 4));
    facts.standbys = server.bytes(0, 5);
    facts.no_fsync = server.integer(0, 6) != 0;
    if (server.integer(0, 7) == 0) return facts;
    PostgresParameters name;
    name.add_text(kImporting);
    HEADWAY_TRY(const PostgresRows tables, connection.ask(kTables, name));
    if (tables.size() == 0) return facts;
    facts.tables = tables.integer(0, 0);
    facts.may_write = tables.integer(0, 1) != 0;
    facts.importing = tables.integer(0, 2) != 0;
    return facts;
}

}  // namespace headway::storage
