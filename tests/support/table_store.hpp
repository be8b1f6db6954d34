// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

#ifdef HEADWAY_TABLES_ON_POSTGRES
#include "tests/support/postgres_here.hpp"
#else
#include "storage/sqlite/sqlite_store.hpp"
#include "tests/support/temp_dir.hpp"
#endif

// The tables beside the journal are one code for both databases, and so are their tests: they are
// compiled once for each.

namespace headway::tests {

#ifdef HEADWAY_TABLES_ON_POSTGRES

using TableStore = storage::PostgresStore;

/// Begins a transaction that may append to the session.
inline void begin_with(TableStore& store, std::string_view session) {
    storage::HoldRequest wanted;
    wanted.names = {session};
    require_ok(store.hold(wanted));
}

/// A session without a state: there it has its first event.
inline storage::SessionKey created(TableStore& store, const std::string& id) {
    begin_with(store, id);
    const storage::SessionKey key = store.create(id, at(0)).value();
    core::Session session{id};
    std::vector<core::Event> events;
    session.open({}, {}, context(0), events);
    storage::Chain chain;
    require_ok(store.append(key, chain, events));
    require_ok(store.commit());
    return key;
}

/// Where the store of one test is. Without a server the test is skipped.
class TablePlace {
public:
    std::unique_ptr<TableStore> open() const {
        static int daemons = 0;
        return here_.daemon("daemon " + std::to_string(++daemons));
    }

private:
    struct Need {
        Need() {
            if (!PostgresHere::found()) std::exit(0);
        }
    };
    Need need_;
    PostgresHere here_;
};

#else

using TableStore = storage::SqliteStore;

/// Begins a transaction that may append to the session.
inline void begin_with(TableStore& store, std::string_view) {
    require_ok(store.begin());
}

inline storage::SessionKey created(TableStore& store, const std::string& id) {
    return store.create(id, at(0)).value();
}

/// Where the store of one test is.
class TablePlace {
public:
    std::unique_ptr<TableStore> open() const {
        auto store = storage::SqliteStore::open(dir_.file());
        require_ok(store);
        return *std::move(store);
    }
    std::filesystem::path file() const { return dir_.file(); }

private:
    TempDir dir_;
};

#endif

}  // namespace headway::tests
