// SPDX-License-Identifier: Apache-2.0
#include "core/base/assert.hpp"
#include "storage/sql/sql_tables.hpp"

// Retention deletes the rows (sqlite_retention.cpp).

namespace headway::storage {

using core::Result;

Result<> SqlIdempotency::prepare() {
    HEADWAY_TRY(find_, database_.prepare("SELECT fingerprint,session,at FROM idempotency WHERE "
                                         "key=?1"));
    HEADWAY_TRY(add_, database_.prepare("INSERT INTO idempotency(key,fingerprint,session,at) "
                                        "VALUES(?1,?2,?3,?4) ON CONFLICT(key) DO UPDATE SET "
                                        "fingerprint=excluded.fingerprint,"
                                        "session=excluded.session,at=excluded.at"));
    return {};
}

Result<std::optional<IdempotentUse>> SqlIdempotency::find_key(std::string_view key) {
    Rows rows{find_.bind(1, key)};
    HEADWAY_TRY(const bool found, rows.next());
    if (!found) return std::optional<IdempotentUse>{};
    IdempotentUse use;
    use.fingerprint = rows->text(0);
    use.session = rows->text(1);
    use.at = core::Timestamp{core::Millis{rows->integer(2)}};
    return std::optional{std::move(use)};
}

Result<> SqlIdempotency::add_key(std::string_view key, const IdempotentUse& use,
                                 core::Timestamp now) {
    HEADWAY_ASSERT(!key.empty() && !use.session.empty());
    return add_.bind(1, key).bind(2, use.fingerprint).bind(3, use.session).bind(4, now).run();
}

}  // namespace headway::storage
