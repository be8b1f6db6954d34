// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "storage/sql/sql_tables.hpp"

// Access tokens. Rarely used, so statements are prepared on demand.

namespace headway::storage {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::string_view kSelectToken =
    "SELECT id,name,scopes,hash,created_at,expires_at,revoked_at,used_at FROM token ";

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

std::vector<std::string> split(std::string_view text) {
    std::istringstream stream{std::string{text}};
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

/// Scopes that cannot be read, as those of a newer version, are none: the token is as if revoked,
/// and the others can be used.
core::TokenRecord token_of(const Statement& row) {
    core::TokenRecord token;
    token.id = row.text(0);
    token.name = row.text(1);
    auto grants = core::Grants::parse(split(row.text(2)));
    const bool readable = grants.has_value();
    if (readable) token.grants = *std::move(grants);
    token.hash = row.blob(3);
    token.created_at = row.time(4);
    token.expires_at = row.time(5);
    token.revoked_at = row.time(6);
    if (!readable && token.revoked_at == core::kNever) token.revoked_at = token.created_at;
    token.used_at = row.time(7);
    return token;
}

}  // namespace

Result<std::vector<core::TokenRecord>> SqlTokens::tokens() {
    HEADWAY_TRY(Statement rows,
                database_.prepare(std::string{kSelectToken} + "ORDER BY created_at,id"));
    std::vector<core::TokenRecord> tokens;
    while (true) {
        HEADWAY_TRY(const bool found, rows.step());
        if (!found) return tokens;
        tokens.push_back(token_of(rows));
    }
}

Result<> SqlTokens::add_token(const core::TokenRecord& token) {
    HEADWAY_TRY(const std::int64_t count, database_.query_integer("SELECT count(*) FROM token"));
    if (count >= static_cast<std::int64_t>(core::limits::kTokensMax)) {
        HEADWAY_TRY(Statement make_room,
                    database_.prepare(
                        "DELETE FROM token WHERE id=(SELECT id FROM token WHERE revoked_at>0 OR "
                        "(expires_at>0 AND expires_at<=?1) ORDER BY created_at,id LIMIT 1)"));
        HEADWAY_CHECK(make_room.bind(1, token.created_at).run());
        HEADWAY_TRY(const std::int64_t dropped, database_.changes());
        if (dropped == 0) {
            return Error{ErrorCode::kTooManyTokens,
                         "there are " + std::to_string(core::limits::kTokensMax) +
                             " tokens already; revoke one that is no longer needed",
                         {}};
        }
    }
    const std::string scopes = joined(token.grants.scopes());
    HEADWAY_ASSERT(split(scopes) == token.grants.scopes());
    HEADWAY_TRY(Statement add,
                database_.prepare("INSERT INTO token(id,name,scopes,hash,created_at,expires_at,"
                                  "revoked_at,used_at) VALUES(?1,?2,?3,?4,?5,?6,?7,?8)"));
    return add.bind(1, token.id)
        .bind(2, token.name)
        .bind(3, scopes)
        .bind_blob(4, token.hash)
        .bind(5, token.created_at)
        .bind(6, token.expires_at)
        .bind(7, token.revoked_at)
        .bind(8, token.used_at)
        .run();
}

Result<std::optional<core::TokenRecord>> SqlTokens::revoke_token(std::string_view id,
                                                                 core::Timestamp now) {
    HEADWAY_TRY(Statement revoke,
                database_.prepare("UPDATE token SET revoked_at=?2 WHERE id=?1 AND revoked_at=0"));
    HEADWAY_CHECK(revoke.bind(1, id).bind(2, now).run());
    HEADWAY_TRY(Statement row, database_.prepare(std::string{kSelectToken} + "WHERE id=?1"));
    HEADWAY_TRY(const bool found, row.bind(1, id).step());
    if (!found) return std::optional<core::TokenRecord>{};
    return std::optional{token_of(row)};
}

Result<> SqlTokens::note_token_uses(std::span<const core::TokenUse> uses) {
    HEADWAY_TRY(Statement note,
                database_.prepare("UPDATE token SET used_at=?2 WHERE id=?1 AND used_at<?2"));
    for (const core::TokenUse& use : uses) {
        HEADWAY_CHECK(note.bind(1, use.id).bind(2, use.at).run());
    }
    return {};
}

}  // namespace headway::storage
