// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/module.hpp"

#include <string>
#include <utility>

#include "storage/postgres/postgres_store.hpp"
#include "storage/postgres/probe.hpp"

using headway::core::Error;
using headway::storage::PostgresConnection;
using headway::storage::PostgresFacts;
using headway::storage::PostgresOpening;
using headway::storage::PostgresStore;
using headway::storage::Store;

extern "C" __attribute__((visibility("default"))) const char* headway_postgres_version() {
    static const std::string version = headway::storage::postgres_module_version();
    return version.c_str();
}

namespace {

PostgresConnection::Settings connection_of(const PostgresOpening& opening) {
    return {opening.url, opening.connect_timeout, opening.answer_timeout};
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int headway_probe_postgres(
    const PostgresOpening& opening, bool connect, PostgresFacts& facts, Error& error) {
    auto found = headway::storage::probe_postgres(connection_of(opening), connect);
    if (!found) {
        error = std::move(found).error();
        return 1;
    }
    facts = *std::move(found);
    return 0;
}

extern "C" __attribute__((visibility("default"))) int headway_open_postgres(
    const PostgresOpening& opening, std::unique_ptr<Store>& store, Error& error) {
    PostgresStore::Settings settings;
    settings.connection = connection_of(opening);
    settings.id = opening.id;
    settings.name = opening.name;
    settings.version = opening.version;
    settings.now = opening.now;
    settings.imports = opening.imports;
    auto opened = PostgresStore::open(std::move(settings));
    if (!opened) {
        error = std::move(opened).error();
        return 1;
    }
    store = *std::move(opened);
    return 0;
}
