// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/module.hpp"

#include <string>
#include <utility>

#include "storage/postgres/postgres_store.hpp"

using headway::core::Error;
using headway::storage::PostgresOpening;
using headway::storage::PostgresStore;
using headway::storage::Store;

extern "C" __attribute__((visibility("default"))) const char* headway_postgres_version() {
    static const std::string version = headway::storage::postgres_module_version();
    return version.c_str();
}

extern "C" __attribute__((visibility("default"))) int headway_open_postgres(
    const PostgresOpening& opening, std::unique_ptr<Store>& store, Error& error) {
    PostgresStore::Settings settings;
    settings.connection.url = opening.url;
    settings.connection.connect_timeout = opening.connect_timeout;
    settings.connection.answer_timeout = opening.answer_timeout;
    settings.id = opening.id;
    settings.name = opening.name;
    settings.version = opening.version;
    settings.now = opening.now;
    auto opened = PostgresStore::open(std::move(settings));
    if (!opened) {
        error = std::move(opened).error();
        return 1;
    }
    store = *std::move(opened);
    return 0;
}
