// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "storage/postgres/postgres_store.hpp"
#include "tests/support/make.hpp"
#include "tests/support/names.hpp"

namespace headway::tests {

/// A session that one daemon writes.
struct PostgresWriter {
    storage::PostgresStore& store;
    core::Session session;
    storage::SessionKey key = 0;
    storage::Chain chain = {};
    storage::EventIds new_ids = {};

    PostgresWriter(storage::PostgresStore& to, const std::string& id,
                   const core::SessionStarted& about = {})
        : store(to), session(id) {
        hold();
        std::vector<core::Event> out;
        key = store.create(id, at(0)).value();
        session.open(about, core::Policy{}, context(0), out);
        append(out);
        require_ok(store.commit());
    }
    storage::Held hold() {
        const std::string id = session.id();
        storage::HoldRequest claim;
        claim.names = {id};
        auto held = store.hold(claim);
        require_ok(held);
        return *std::move(held);
    }
    storage::Cursor append(const std::vector<core::Event>& out) {
        for (const core::Event& one : out) {
            if (!one.event_id.empty()) new_ids.add(one.event_id, one.n);
        }
        return store.append(key, chain, out).value();
    }
    storage::Cursor report(std::vector<core::Event> events) {
        std::vector<core::Event> out;
        session.report(events, context(10), out);
        return append(out);
    }
    storage::Cursor write(std::vector<core::Event> events) {
        hold();
        const storage::Cursor cursor = report(std::move(events));
        require_ok(store.commit());
        return store.settled(cursor);
    }
    void save() {
        require_ok(store.begin());
        require_ok(store.save(key, session, chain, new_ids));
        require_ok(store.commit());
    }
};

}  // namespace headway::tests
