// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <map>
#include <utility>

#include "core/base/assert.hpp"
#include "storage/codec/codec.hpp"
#include "storage/sql/sql_tables.hpp"

// Messages between sessions, written in the transaction of the events that caused them.

namespace headway::storage {

using core::Result;

Result<> SqlInbox::prepare() {
    HEADWAY_TRY(post_, database_.prepare("INSERT INTO inbox(session,event) VALUES(?1,?2)"));
    // In one statement: another daemon may post between two of them.
    HEADWAY_TRY(take_, database_.prepare("DELETE FROM inbox WHERE session=?1 RETURNING id,event"));
    return {};
}

Result<> SqlInbox::post(SessionKey to, const core::Event& event) {
    HEADWAY_ASSERT(to > 0);
    buffer_.clear();
    encode_events({&event, 1}, buffer_);
    return post_.bind(1, to).bind_blob(2, buffer_).run();
}

Result<std::vector<core::Event>> SqlInbox::take(SessionKey to) {
    std::map<std::int64_t, core::Event> taken;  // in the order in which they were posted
    std::vector<std::string> newer;             // left for a daemon that can read them
    Rows rows{take_.bind(1, to)};
    while (true) {
        HEADWAY_TRY(const bool found, rows.next());
        if (!found) break;
        auto read = decode_events(rows->blob(1), 1);
        if (is_newer_row(rows->blob(1))) newer.emplace_back(rows->blob(1));
        if (read && read->size() == 1) taken.emplace(rows->integer(0), std::move(read->front()));
    }
    for (const std::string& message : newer)
        HEADWAY_CHECK(post_.bind(1, to).bind_blob(2, message).run());
    std::vector<core::Event> messages;
    messages.reserve(taken.size());
    for (auto& [id, message] : taken)
        messages.push_back(std::move(message));
    return messages;
}

Result<std::vector<SessionKey>> SqlInbox::receivers() {
    HEADWAY_TRY(Statement list,
                database_.prepare("SELECT DISTINCT session FROM inbox ORDER BY session"));
    std::vector<SessionKey> keys;
    while (true) {
        HEADWAY_TRY(const bool row, list.step());
        if (!row) return keys;
        keys.push_back(list.integer(0));
    }
}

}  // namespace headway::storage
