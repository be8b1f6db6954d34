// SPDX-License-Identifier: Apache-2.0
#include "storage/sql/sql_tables.hpp"

namespace headway::storage {

using core::Result;

Result<> SqlMeta::prepare() {
    HEADWAY_TRY(get_, database_.prepare("SELECT value FROM meta WHERE name=?1"));
    HEADWAY_TRY(set_, database_.prepare("INSERT INTO meta(name,value) VALUES(?1,?2) ON "
                                        "CONFLICT(name) DO UPDATE SET value=excluded.value"));
    HEADWAY_TRY(add_, database_.prepare("INSERT INTO meta(name,value) VALUES(?1,?2) ON "
                                        "CONFLICT(name) DO UPDATE SET "
                                        "value=meta.value+excluded.value"));
    return {};
}

Result<std::int64_t> SqlMeta::get(std::string_view name) {
    Rows rows{get_.bind(1, name)};
    HEADWAY_TRY(const bool found, rows.next());
    return found ? rows->integer(0) : std::int64_t{0};
}

Result<> SqlMeta::set(std::string_view name, std::int64_t value) {
    return set_.bind(1, name).bind(2, value).run();
}

Result<> SqlMeta::add(std::string_view name, std::int64_t delta) {
    return add_.bind(1, name).bind(2, delta).run();
}

}  // namespace headway::storage
