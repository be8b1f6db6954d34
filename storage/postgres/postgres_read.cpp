// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"
#include "core/state/validity.hpp"
#include "storage/base/checksum.hpp"
#include "storage/base/corrupt.hpp"
#include "storage/codec/codec.hpp"
#include "storage/codec/fold_row.hpp"
#include "storage/postgres/postgres_store.hpp"

// Sessions, journals and the stream of all sessions, as committed.

namespace headway::storage {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// A snapshot may be replaced between two statements, so that the rows behind it do not fit.
constexpr int kTries = 4;

constexpr const char* kSelectSessions =
    "SELECT s.key,s.name,s.n,p.state FROM session s LEFT JOIN snapshot p ON p.session=s.key "
    "WHERE s.key=ANY($1) AND s.name IS NOT NULL AND s.n>0";
constexpr const char* kSelectTails =
    "SELECT j.session,j.n,j.count,j.events,j.crc FROM journal j WHERE j.session=ANY($1) AND "
    "j.n>coalesce((SELECT p.n FROM snapshot p WHERE p.session=j.session),0) ORDER BY "
    "j.session,j.n";
constexpr const char* kSelectWhole =
    "SELECT session,n,count,events,crc FROM journal WHERE session=$1 ORDER BY n";
constexpr const char* kSelectBehind =
    "SELECT j.session,j.n,j.count,j.events,j.crc FROM unnest($1::bigint[],$2::bigint[]) AS "
    "u(session,n) JOIN journal j ON j.session=u.session AND j.n>u.n ORDER BY j.session,j.n";

/// The session in a snapshot; empty without a sound one.
core::Session session_of(std::string name, std::string_view snapshot) {
    if (!snapshot.empty()) {
        auto state = decode_state(snapshot);
        if (state && core::is_valid(*state))
            return core::Session{std::move(name), *std::move(state)};
    }
    return core::Session{std::move(name)};
}

}  // namespace

/// The events of row `at` with the columns session, n, count, events, crc.
Result<std::vector<core::Event>> PostgresStore::events_of(const PostgresRows& rows, int at) {
    const std::int64_t session = rows.integer(at, 0);
    const std::int64_t n = rows.integer(at, 1);
    const std::string_view bytes = rows.bytes(at, 3);
    if (n < 1 || rows.integer(at, 4) != row_checksum(0, session, n, 0, bytes)) {
        return corrupt("event " + std::to_string(n) + " of session " + std::to_string(session) +
                       " does not match its checksum");
    }
    auto events = decode_events(bytes, static_cast<std::uint64_t>(n));
    if (events && events->size() == rows.count(at, 2)) return events;
    // The bytes are as they were written: by a program that knows more than this one.
    std::string what = "event " + std::to_string(n) + " of session " + std::to_string(session) +
                       (is_newer_row(bytes) ? " has a newer version" : " is of an unknown kind") +
                       ": a newer Headway wrote it, and this one does not guess what it says. Send "
                       "the request to a daemon of that release, and replace this one";
    if (met_newer_.empty()) met_newer_ = what;
    return Error{ErrorCode::kStorageTooNew, std::move(what), {}};
}

/// True if the turn holds the session, and its row knows fewer events: it was put back by hand, or
/// is from an older copy than the journal. Nothing can be appended then.
bool PostgresStore::is_ahead_of_row(SessionKey key, std::uint64_t n) const {
    const auto held = rows_.find(key);
    return held != rows_.end() && n > held->second.known.n;
}

/// Folds rows [from, to) into the session.
Result<> PostgresStore::fold(const PostgresRows& rows, int from, int to, StoredSession& stored) {
    for (int at = from; at < to; ++at) {
        if (rows.count(at, 1) <= stored.session.state().n) continue;  // in the snapshot
        HEADWAY_TRY(std::vector<core::Event> events, events_of(rows, at));
        HEADWAY_CHECK(fold_row(stored, rows.count(at, 1), events));
        for (core::Event& event : events) {
            if (!event.event_id.empty()) stored.new_ids.add(event.event_id, event.n);
        }
    }
    return {};
}

/// Another daemon may save a snapshot between hold() and here. The ids before it are then neither
/// among those that hold() has found nor behind the snapshot: they are looked up one by one.
void PostgresStore::forget_unknown_ids(std::span<const SessionKey> keys) {
    std::erase_if(known_ids_, [keys](const auto& known) {
        return known.second == 0 &&
               std::find(keys.begin(), keys.end(), known.first.first) != keys.end();
    });
}

Result<std::vector<StoredSession>> PostgresStore::load_all(std::span<const SessionKey> keys) {
    HEADWAY_CHECK(connect());
    forget_unknown_ids(keys);
    PostgresParameters values;
    values.add_numbers(keys);
    HEADWAY_CHECK(sql_.send_asking(kSelectSessions, values));
    HEADWAY_CHECK(sql_.send_asking(kSelectTails, values));
    HEADWAY_TRY(const std::vector<PostgresRows> rows, sql_.finish());
    const PostgresRows& tails = rows[1];
    std::unordered_map<SessionKey, std::pair<int, int>> places;
    for (int at = 0; at < tails.size(); ++at) {
        const auto [place, fresh] = places.try_emplace(tails.integer(at, 0), at, at);
        place->second.second = at + 1;
    }
    std::vector<StoredSession> loaded;
    for (int at = 0; at < rows[0].size(); ++at) {
        const SessionKey key = rows[0].integer(at, 0);
        StoredSession stored{
            key, session_of(std::string{rows[0].bytes(at, 1)}, rows[0].bytes(at, 3)), {}, {}};
        const auto place = places.find(key);
        auto folded = place == places.end()
                          ? Result<>{}
                          : fold(tails, place->second.first, place->second.second, stored);
        if (folded && stored.session.state().n >= rows[0].count(at, 2) &&
            !is_ahead_of_row(key, stored.session.state().n)) {
            loaded.push_back(std::move(stored));
            continue;
        }
        auto alone = load(key);
        if (alone) {
            loaded.push_back(*std::move(alone));
        } else if (alone.error().code == ErrorCode::kStorageUnavailable) {
            return std::move(alone).error();
        }
    }
    return loaded;
}

Result<StoredSession> PostgresStore::load(SessionKey key) {
    HEADWAY_CHECK(connect());
    forget_unknown_ids({&key, 1});
    PostgresParameters values;
    values.add_numbers({&key, 1});
    Result<> folded;
    for (int tries = 0; tries < kTries; ++tries) {
        HEADWAY_CHECK(sql_.send_asking(kSelectSessions, values));
        HEADWAY_CHECK(sql_.send_asking(kSelectTails, values));
        HEADWAY_TRY(std::vector<PostgresRows> rows, sql_.finish());
        if (rows[0].size() == 0) {
            return Error{
                ErrorCode::kUnknownSession, "session " + std::to_string(key) + " is gone", {}};
        }
        std::string name{rows[0].bytes(0, 1)};
        StoredSession stored{key, session_of(name, rows[0].bytes(0, 3)), {}, {}};
        folded = fold(rows[1], 0, rows[1].size(), stored);
        if (folded && is_ahead_of_row(key, stored.session.state().n)) {
            return corrupt("the journal of session " + stored.session.id() +
                           " has more events than its row says");
        }
        if (folded && stored.session.state().n >= rows[0].count(0, 2)) return stored;
        if (!folded && folded.error().code == ErrorCode::kStorageTooNew)
            return std::move(folded).error();
        // A snapshot of another version, or a damaged one: the journal is authoritative.
        PostgresParameters one;
        one.add(key);
        HEADWAY_TRY(const PostgresRows whole, sql_.ask(kSelectWhole, one));
        StoredSession anew{key, core::Session{std::move(name)}, {}, {}};
        folded = fold(whole, 0, whole.size(), anew);
        if (folded && anew.session.state().n >= rows[0].count(0, 2)) return anew;
    }
    return folded ? corrupt("the journal of session " + std::to_string(key) + " has a gap")
                  : std::move(folded).error();
}

Result<std::vector<Tail>> PostgresStore::read_tails(
    std::span<const std::pair<SessionKey, std::uint64_t>> behind) {
    std::vector<Tail> tails;
    if (behind.empty()) return tails;
    std::vector<std::int64_t> keys;
    std::vector<std::int64_t> numbers;
    for (const auto& [key, n] : behind) {
        keys.push_back(key);
        numbers.push_back(static_cast<std::int64_t>(n));
    }
    HEADWAY_CHECK(connect());
    PostgresParameters values;
    values.add_numbers(keys).add_numbers(numbers);
    HEADWAY_TRY(const PostgresRows rows, sql_.ask(kSelectBehind, values));
    for (int at = 0; at < rows.size(); ++at) {
        const SessionKey key = rows.integer(at, 0);
        if (tails.empty() || tails.back().key != key) tails.push_back({key, {}});
        std::vector<core::Event>& tail = tails.back().events;
        auto events = events_of(rows, at);
        if (events) {
            std::move(events->begin(), events->end(), std::back_inserter(tail));
            continue;
        }
        while (at + 1 < rows.size() && rows.integer(at + 1, 0) == key)
            ++at;
        tails.pop_back();
    }
    return tails;
}

Result<std::vector<KnownSession>> PostgresStore::numbers(std::span<const std::string_view> names) {
    HEADWAY_CHECK(connect());
    PostgresParameters values;
    values.add_texts(names);
    HEADWAY_TRY(const PostgresRows rows,
                sql_.ask("SELECT key,name,n FROM session WHERE name=ANY($1) AND n>0", values));
    std::vector<KnownSession> known;
    known.reserve(static_cast<std::size_t>(rows.size()));
    for (int at = 0; at < rows.size(); ++at)
        known.push_back({rows.integer(at, 0), std::string{rows.bytes(at, 1)}, rows.count(at, 2)});
    return known;
}

Result<std::vector<core::Event>> PostgresStore::read_session(SessionKey key, Chain,
                                                             std::uint64_t after,
                                                             std::size_t limit) {
    HEADWAY_CHECK(connect());
    const std::uint64_t last = after + limit;
    PostgresParameters values;
    values.add(key).add(static_cast<std::int64_t>(after + 1)).add(static_cast<std::int64_t>(last));
    HEADWAY_TRY(const PostgresRows rows,
                sql_.ask("SELECT session,n,count,events,crc FROM journal WHERE session=$1 AND "
                         "n>=coalesce((SELECT max(n) FROM journal WHERE session=$1 AND n<=$2),0) "
                         "AND n<=$3 ORDER BY n",
                         values));
    std::vector<core::Event> events;
    for (int at = 0; at < rows.size(); ++at) {
        HEADWAY_TRY(auto decoded, events_of(rows, at));
        for (core::Event& event : decoded) {
            if (event.n > after && event.n <= last) events.push_back(std::move(event));
        }
    }
    return events;
}

/// Events of the open transaction, which are not written yet.
StreamPage PostgresStore::read_appended(Cursor after, std::size_t limit) const {
    StreamPage page{{}, after, true};
    for (const Appended& row : appended_) {
        auto decoded = decode_events(row.events, row.n);
        HEADWAY_ASSERT(decoded.has_value());  // encoded here
        Cursor cursor = base_ + row.offset - 1;
        for (core::Event& event : *decoded) {
            if (++cursor <= after) continue;
            page.end = page.events.size() < limit;
            if (!page.end) return page;
            page.events.push_back({cursor, rows_.at(row.session).known.name, std::move(event)});
            page.through = cursor;
        }
    }
    return page;
}

Result<StreamPage> PostgresStore::read_stream(Cursor after, std::size_t limit) {
    HEADWAY_ASSERT(limit > 0);
    if (feed_locked_ && after >= base_) return read_appended(after, limit);
    HEADWAY_CHECK(connect());
    // One more, because all of the first row may be before. The limit counts rows before it is
    // known which sessions are being deleted: their rows cost a bounded amount of work, too.
    const std::size_t rows_max = limit + 1;
    PostgresParameters values;
    values.add(after + 1).add(static_cast<std::int64_t>(rows_max));
    HEADWAY_TRY(const PostgresRows rows,
                sql_.ask("SELECT j.session,j.n,j.count,j.events,j.crc,t.pos,s.name,t.count FROM "
                         "(SELECT pos,session,n,count FROM stream WHERE pos>=coalesce((SELECT "
                         "max(pos) FROM stream WHERE pos<=$1),0) ORDER BY pos LIMIT $2) t LEFT "
                         "JOIN session s ON s.key=t.session LEFT JOIN journal j ON s.name IS NOT "
                         "NULL AND j.session=t.session AND j.n=t.n ORDER BY t.pos",
                         values));
    StreamPage page{{}, after, false};
    int at = 0;
    for (; at < rows.size() && page.events.size() < limit; ++at) {
        Cursor cursor = rows.integer(at, 5);
        page.through = std::max(page.through, cursor + rows.integer(at, 7) - 1);
        if (rows.is_null(at, 0)) continue;  // being deleted
        HEADWAY_TRY(auto decoded, events_of(rows, at));
        for (core::Event& event : decoded) {
            if (cursor > after)
                page.events.push_back({cursor, std::string{rows.bytes(at, 6)}, std::move(event)});
            ++cursor;
        }
    }
    page.end = at == rows.size() && at < static_cast<int>(rows_max);
    return page;
}

Result<std::vector<FeedRow>> PostgresStore::read_feed(Cursor after, std::size_t limit) {
    HEADWAY_CHECK(connect());
    PostgresParameters values;
    values.add(after).add(static_cast<std::int64_t>(limit));
    HEADWAY_TRY(const PostgresRows rows,
                sql_.ask("SELECT t.pos,t.session,s.name,t.n,t.count FROM stream t JOIN session s "
                         "ON s.key=t.session WHERE t.pos>$1 ORDER BY t.pos LIMIT $2",
                         values));
    std::vector<FeedRow> feed;
    for (int at = 0; at < rows.size(); ++at) {
        FeedRow& row = feed.emplace_back();
        row.cursor = rows.integer(at, 0);
        row.first = rows.count(at, 3);
        row.count = rows.count(at, 4);
        row.session = {rows.integer(at, 1), std::string{rows.bytes(at, 2)},
                       row.first + row.count - 1};
    }
    return feed;
}

}  // namespace headway::storage
