// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

#include "core/events/event.hpp"
#include "storage/base/keys.hpp"

namespace headway::storage {

/// SQL condition on a row of `session`, for SQLite and PostgreSQL: no later generation of that
/// session (`<id>~2`, `<id>~3` and so on) is stored. Retention keeps an earlier generation as long
/// as a later one is stored: without it, the conversation would lose the decisions made in it.
inline constexpr const char* kIsNewestGeneration =
    "NOT EXISTS(SELECT 1 FROM session AS later WHERE later.name="
    "CASE WHEN rtrim(session.name,'0123456789')<>session.name "
    "AND rtrim(session.name,'0123456789') LIKE '%~' "
    "THEN rtrim(session.name,'0123456789')||CAST(CAST(substr(session.name,"
    "length(rtrim(session.name,'0123456789'))+1) AS NUMERIC)+1 AS TEXT) "
    "ELSE session.name||'~2' END)";

/// The name of the generation before this one; empty for the first.
inline std::string generation_before(std::string_view name) {
    const std::size_t mark = name.rfind('~');
    if (mark == std::string_view::npos) return {};
    std::uint64_t number = 0;
    const char* const end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + mark + 1, end, number);
    if (read.ec != std::errc{} || read.ptr != end || number < 2) return {};
    const std::string first{name.substr(0, mark)};
    return number == 2 ? first : first + "~" + std::to_string(number - 1);
}

/// True if the retention time of a session starts at this event: its end, or the opening of a
/// recorded session, whose import may never be complete.
inline bool starts_retention(const core::Payload& payload) {
    const auto* const opening = std::get_if<core::SessionStarted>(&payload);
    return std::holds_alternative<core::SessionEnded>(payload) ||
           (opening != nullptr && opening->recorded);
}

/// Position of retention in its walk through the ended sessions, oldest first. There may be many
/// earlier generations that must be kept. The walk passes them, and checks them again only when it
/// starts from the beginning.
struct RetentionWalk {
    static constexpr std::size_t kLooksPerStep = 128;  ///< takes about 0.4 ms

    std::int64_t ended_at = std::numeric_limits<std::int64_t>::min();
    SessionKey key = 0;
    /// The generation before the one just deleted. It need not be kept any longer.
    std::string before;
};

}  // namespace headway::storage
