// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace headway::storage {

/// SQL condition on a row of `session`, for SQLite and PostgreSQL: no later generation of it
/// (`<id>~2`, `<id>~3` and so on) is stored. An earlier generation is kept as long as a later one
/// is stored: if it were deleted, the conversation would begin again, without the decisions made
/// about it.
inline constexpr const char* kIsNewestGeneration =
    "NOT EXISTS(SELECT 1 FROM session AS later WHERE later.name="
    "CASE WHEN rtrim(session.name,'0123456789')<>session.name "
    "AND rtrim(session.name,'0123456789') LIKE '%~' "
    "THEN rtrim(session.name,'0123456789')||CAST(CAST(substr(session.name,"
    "length(rtrim(session.name,'0123456789'))+1) AS NUMERIC)+1 AS TEXT) "
    "ELSE session.name||'~2' END)";

}  // namespace headway::storage
