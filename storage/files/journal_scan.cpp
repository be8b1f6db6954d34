// SPDX-License-Identifier: Apache-2.0
#include "storage/files/journal_scan.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "storage/base/checksum.hpp"
#include "storage/codec/codec.hpp"

namespace headway::storage {
namespace {

constexpr Cursor kStepMax = Cursor{1} << 60;

}  // namespace

core::Result<> check_row(const Statement& row) {
    HEADWAY_ASSERT(row.columns() == 6);
    const Cursor cursor = row.integer(0);
    const Cursor prev = row.integer(3);
    const auto corrupt = [cursor](const char* what) {
        return core::Error{
            core::ErrorCode::kStorageCorrupt, "journal row " + std::to_string(cursor) + what, {}};
    };
    const std::int64_t sum =
        row_checksum(cursor, row.integer(1), row.integer(2), prev, row.blob(4));
    if (!row.is_null(5) && row.integer(5) != sum) return corrupt(" does not match its checksum");
    // Following the chain must terminate.
    if (prev < 0 || prev >= cursor) return corrupt(" has an invalid predecessor");
    return {};
}

void JournalScan::run(FoundRows& rows) {
    Cursor after = 0;
    while (!read_from(after, rows)) {
        ++unread_places_;
        const auto next = next_readable(after);
        if (!next || *next <= after) return;
        after = *next - 1;
    }
}

/// Reads on from `after` and moves it; false at an unreadable place.
bool JournalScan::read_from(Cursor& after, FoundRows& rows) {
    auto scan = database_.prepare(
        "SELECT cursor,session,n,prev,events,crc FROM journal WHERE cursor>?1 "
        "ORDER BY cursor");
    if (!scan) return false;
    scan->bind(1, after);
    while (true) {
        const auto row = scan->step();
        if (!row) return false;
        if (!*row) return true;
        after = std::max(after, scan->integer(0));
        const auto n = static_cast<std::uint64_t>(scan->integer(2));
        const auto events = decode_events(scan->blob(4), n);
        if (!check_row(*scan) || !events || events->empty() || n == 0) {
            ++unread_rows_;
            continue;
        }
        rows[scan->integer(1)].push_back({scan->integer(0), n, events->size()});
    }
}

bool JournalScan::readable(Cursor from) {
    auto probe = database_.prepare("SELECT events FROM journal WHERE cursor>=?1 LIMIT 1");
    return probe && probe->bind(1, from).step().has_value();
}

/// The first readable position behind `after`, by doubling and then bisecting; nothing if there is
/// none.
std::optional<Cursor> JournalScan::next_readable(Cursor after) {
    if (after >= kStepMax) return std::nullopt;  // far beyond any journal
    Cursor bad = after + 1;
    Cursor good = after + 2;
    for (Cursor step = 2; !readable(good); step *= 2) {
        if (step >= kStepMax) return std::nullopt;
        bad = good;
        good = after + step;
    }
    while (good - bad > 1) {
        const Cursor middle = bad + (good - bad) / 2;
        (readable(middle) ? good : bad) = middle;
    }
    HEADWAY_ASSERT(good >= bad && bad > after);
    // An unreadable range behind the last row is no error either.
    auto rest = database_.prepare("SELECT cursor FROM journal WHERE cursor>=?1 LIMIT 1");
    if (!rest) return std::nullopt;
    const auto row = rest->bind(1, good).step();
    if (!row || !*row) return std::nullopt;
    return good;
}

}  // namespace headway::storage
