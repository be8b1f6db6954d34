// SPDX-License-Identifier: Apache-2.0
#include "core/assert.hpp"
#include "storage/codec.hpp"
#include "storage/sql_tables.hpp"

// Messages between sessions, written in the transaction of the events that caused them.

namespace headway::storage {

using core::Result;

Result<> SqlInbox::prepare() {
    HEADWAY_TRY(post_, database_.prepare("INSERT INTO inbox(session,event) VALUES(?1,?2)"));
    HEADWAY_TRY(list_, database_.prepare("SELECT event FROM inbox WHERE session=?1 ORDER BY id"));
    HEADWAY_TRY(drop_, database_.prepare("DELETE FROM inbox WHERE session=?1"));
    return {};
}

Result<> SqlInbox::post(SessionKey to, const core::Event& told) {
    HEADWAY_ASSERT(to > 0);
    buffer_.clear();
    encode_events({&told, 1}, buffer_);
    return post_.bind(1, to).bind_blob(2, buffer_).run();
}

Result<std::vector<core::Event>> SqlInbox::take(SessionKey to) {
    std::vector<core::Event> messages;
    {
        Rows rows{list_.bind(1, to)};
        while (true) {
            HEADWAY_TRY(const bool found, rows.next());
            if (!found) break;
            auto told = decode_events(rows->blob(0), 1);
            if (told && told->size() == 1) messages.push_back(std::move(told->front()));
        }
    }
    HEADWAY_CHECK(drop_.bind(1, to).run());
    return messages;
}

Result<std::vector<SessionKey>> SqlInbox::receivers() {
    HEADWAY_TRY(Statement list, database_.prepare("SELECT DISTINCT session FROM inbox ORDER BY session"));
    std::vector<SessionKey> keys;
    while (true) {
        HEADWAY_TRY(const bool row, list.step());
        if (!row) return keys;
        keys.push_back(list.integer(0));
    }
}

}  // namespace headway::storage
