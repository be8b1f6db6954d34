// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/sqlite_journal.hpp"

#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "storage/base/checksum.hpp"
#include "storage/base/corrupt.hpp"
#include "storage/codec/codec.hpp"
#include "storage/codec/fold_row.hpp"
#include "storage/files/journal_scan.hpp"

namespace headway::storage {

using core::Error;
using core::Result;

namespace {

constexpr Cursor kCursorMax = INT64_MAX / 2;

}  // namespace

Result<> SqliteJournal::prepare() {
    const std::pair<Statement*, const char*> all[] = {
        {&append_,
         "INSERT INTO journal(cursor,session,n,prev,events,crc) VALUES(?1,?2,?3,?4,?5,?6)"},
        {&mark_, "INSERT INTO mark(session,n,cursor) VALUES(?1,?2,?3)"},
        {&row_, "SELECT cursor,session,n,prev,events,crc FROM journal WHERE cursor=?1"},
        {&mark_after_, "SELECT cursor FROM mark WHERE session=?1 AND n>?2 ORDER BY n LIMIT 1"},
        {&stream_,
         "SELECT cursor,session,n,prev,events,crc FROM journal WHERE cursor>=?1 ORDER BY cursor "
         "LIMIT ?2"},
        {&name_, "SELECT name FROM session WHERE key=?1"},
    };
    for (const auto& [statement, text] : all) {
        HEADWAY_TRY(*statement, database_.prepare(text));
    }
    return find_ends();
}

Result<> SqliteJournal::find_ends() {
    HEADWAY_TRY(const Cursor last, database_.query_integer("SELECT max(cursor) FROM journal"));
    HEADWAY_TRY(Cursor deleted, meta_.get("deleted_through"));
    deleted = std::clamp(deleted, Cursor{0}, kCursorMax);  // it has no checksum
    oldest_ = deleted + 1;
    next_ = deleted + 1;
    next_at_begin_ = next_;
    if (last == 0) return {};
    if (last > kCursorMax) {
        return Error{core::ErrorCode::kStorageCorrupt,
                     "journal row " + std::to_string(last) + " has an invalid number",
                     {}};
    }
    const auto newest = row(last);
    auto count = newest ? count_events(newest->events) : newest.error();
    if (!count && count.error().code != core::ErrorCode::kStorageCorrupt) return count.error();
    if (!count) {  // damaged: an event takes at least a byte, and cursors may skip
        HEADWAY_TRY(const std::int64_t bytes,
                    database_.query_integer("SELECT length(events) FROM journal WHERE cursor=" +
                                            std::to_string(last)));
        count = static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 1));
    }
    next_ = std::max(next_, last + static_cast<Cursor>(*count));
    next_at_begin_ = next_;
    HEADWAY_ASSERT(next_ > last && next_ >= oldest_ && oldest_ >= 1);
    return {};
}

void SqliteJournal::begin() {
    next_at_begin_ = next_;
    oldest_at_begin_ = oldest_;
}

void SqliteJournal::commit() {
    HEADWAY_ASSERT(next_at_begin_ <= next_ && oldest_at_begin_ <= oldest_);
    begin();
}

void SqliteJournal::rollback() {
    HEADWAY_ASSERT(next_at_begin_ <= next_);
    next_ = next_at_begin_;
    oldest_ = oldest_at_begin_;
    HEADWAY_ASSERT(next_ == next_at_begin_ && oldest_ <= next_);
}

void SqliteJournal::forget_through(Cursor deleted) {
    // The stored number has no checksum.
    oldest_ = std::clamp(deleted + 1, oldest_, std::max(oldest_, next_));
}

Result<Cursor> SqliteJournal::append(SessionKey key, Chain& chain,
                                     std::span<const core::Event> events) {
    HEADWAY_ASSERT(!events.empty());
    row_buffer_.clear();
    encode_events(events, row_buffer_);
    const Cursor cursor = next_;
    HEADWAY_ASSERT(chain.tail >= 0 && chain.tail < cursor);
    HEADWAY_ASSERT(events.front().n >= 1);
    HEADWAY_ASSERT(events.back().n - events.front().n + 1 == events.size());
    const auto first = static_cast<std::int64_t>(events.front().n);
    HEADWAY_CHECK(append_.bind(1, cursor)
                      .bind(2, key)
                      .bind(3, first)
                      .bind(4, chain.tail)
                      .bind_blob(5, row_buffer_)
                      .bind(6, row_checksum(cursor, key, first, chain.tail, row_buffer_))
                      .run());
    // A mark every kMarkEveryEvents events, so that a page of a long journal is found without
    // walking the whole chain.
    const std::uint64_t before = events.front().n - 1;
    if (before / core::limits::kMarkEveryEvents !=
        events.back().n / core::limits::kMarkEveryEvents) {
        HEADWAY_CHECK(mark_.bind(1, key).bind(2, first).bind(3, cursor).run());
    }
    chain.tail = cursor;
    next_ += static_cast<Cursor>(events.size());
    HEADWAY_ASSERT(next_ > cursor && chain.tail == cursor);
    return cursor;
}

Result<JournalRow> SqliteJournal::row(Cursor cursor) {
    Rows rows{row_.bind(1, cursor)};
    HEADWAY_TRY(const bool found, rows.next());
    if (!found) return corrupt("journal row " + std::to_string(cursor) + " is missing");
    HEADWAY_CHECK(check_row(rows.row()));
    JournalRow row;
    row.cursor = cursor;
    row.session = rows->integer(1);
    row.n = static_cast<std::uint64_t>(rows->integer(2));
    row.prev = rows->integer(3);
    row.events = rows->blob(4);
    HEADWAY_ASSERT(row.prev >= 0 && row.prev < row.cursor);
    return row;
}

Result<> SqliteJournal::replay(StoredSession& stored) {
    std::vector<Cursor> rows;
    for (Cursor cursor = stored.chain.tail; cursor != 0;) {
        HEADWAY_ASSERT(rows.empty() || cursor < rows.back());
        rows.push_back(cursor);
        HEADWAY_TRY(const JournalRow here, row(cursor));
        if (here.session != stored.key)
            return corrupt("journal row " + std::to_string(cursor) + " belongs to another session");
        cursor = here.prev;
    }
    for (auto cursor = rows.rbegin(); cursor != rows.rend(); ++cursor) {
        HEADWAY_TRY(const JournalRow here, row(*cursor));
        HEADWAY_TRY(const auto events, decode_events(here.events, here.n));
        HEADWAY_CHECK(fold_row(stored, here.n, events));
    }
    return {};
}

Result<std::vector<core::Event>> SqliteJournal::read_session(SessionKey key, Chain chain,
                                                             std::uint64_t after,
                                                             std::size_t limit) {
    const std::uint64_t last = after + limit;
    Cursor cursor = chain.tail;
    {
        Rows mark{mark_after_.bind(1, key).bind(2, static_cast<std::int64_t>(last))};
        HEADWAY_TRY(const bool marked, mark.next());
        if (marked) cursor = mark->integer(0);
    }
    std::vector<JournalRow> rows;
    while (cursor != 0) {
        HEADWAY_TRY(JournalRow here, row(cursor));
        if (here.session != key)
            return corrupt("journal row " + std::to_string(cursor) + " belongs to another session");
        cursor = here.n <= after + 1 ? 0 : here.prev;
        HEADWAY_ASSERT(rows.empty() || here.cursor < rows.back().cursor);
        if (here.n <= last) rows.push_back(std::move(here));
    }
    std::vector<core::Event> events;
    for (auto at = rows.rbegin(); at != rows.rend(); ++at) {
        HEADWAY_TRY(auto decoded, decode_events(at->events, at->n));
        for (core::Event& event : decoded) {
            if (event.n > after && event.n <= last) events.push_back(std::move(event));
        }
    }
    return events;
}

/// The id of a session; empty if it is being deleted, or what is left of it belongs to none.
Result<const std::string*> SqliteJournal::name_of(SessionKey key, Names& names) {
    const auto [name, fresh] = names.try_emplace(key);
    if (fresh) {
        Rows known{name_.bind(1, key)};
        HEADWAY_TRY(const bool found, known.next());
        if (found) name->second = known->text(0);
    }
    return &name->second;
}

Result<StreamPage> SqliteJournal::read_stream(Cursor after, std::size_t limit) {
    HEADWAY_ASSERT(limit > 0);
    StreamPage page;
    page.through = after;
    // A row holds the events from its cursor on; the row with the event behind `after` starts at
    // most a report earlier. Only wanted rows are read, because others may be damaged.
    HEADWAY_TRY(Statement inside, database_.prepare("SELECT max(cursor) FROM journal WHERE "
                                                    "cursor<=?1"));
    HEADWAY_TRY(const bool some, inside.bind(1, after + 1).step());
    const Cursor from = some && !inside.is_null(0) ? inside.integer(0) : after;
    // One more, because all of the first row may be before. So each call comes at least a row
    // further, also where all rows belong to a session that is being deleted.
    const std::size_t rows_max = limit + 1;
    Rows rows{stream_.bind(1, from).bind(2, static_cast<std::int64_t>(rows_max))};
    Names names;
    for (std::size_t read = 0; read < rows_max && page.events.size() < limit; ++read) {
        HEADWAY_TRY(const bool more, rows.next());
        if (!more) {
            page.through = std::max(after, next_ - 1);
            page.end = true;
            return page;
        }
        HEADWAY_CHECK(check_row(rows.row()));
        HEADWAY_TRY(const std::string* name, name_of(rows->integer(1), names));
        const auto first = static_cast<std::uint64_t>(rows->integer(2));
        Cursor cursor = rows->integer(0);
        if (name->empty()) {
            HEADWAY_TRY(const std::uint64_t count, count_events(rows->blob(4)));
            page.through = std::max(page.through, cursor + static_cast<Cursor>(count) - 1);
            continue;
        }
        HEADWAY_TRY(auto decoded, decode_events(rows->blob(4), first));
        HEADWAY_ASSERT(!decoded.empty());
        for (core::Event& event : decoded) {
            if (cursor > after) page.events.push_back({cursor, *name, std::move(event)});
            page.through = std::max(page.through, cursor++);
        }
    }
    page.end = page.through >= next_ - 1;
    return page;
}

}  // namespace headway::storage
