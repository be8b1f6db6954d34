// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/approvals/access.hpp"
#include "core/base/result.hpp"

namespace headway::storage {

/// Access tokens: a part of the Store, with the same thread, transactions and errors.
class TokenStore {
public:
    virtual ~TokenStore() = default;

    /// Every token, including revoked and expired ones, oldest first.
    virtual core::Result<std::vector<core::TokenRecord>> tokens() = 0;
    /// Adds `token`. If there are already limits::kTokensMax tokens, the new one replaces the
    /// oldest token that is revoked or, at `token.created_at`, has expired. Error: kTooManyTokens
    /// if no token can be replaced.
    virtual core::Result<> add_token(const core::TokenRecord& token) = 0;
    /// Revokes a token and returns it, even if it was revoked earlier; empty for an unknown id.
    virtual core::Result<std::optional<core::TokenRecord>> revoke_token(std::string_view id,
                                                                        core::Timestamp now) = 0;
    /// Records the last use of tokens; ignores unknown ids.
    virtual core::Result<> note_token_uses(std::span<const core::TokenUse> uses) = 0;
};

}  // namespace headway::storage
