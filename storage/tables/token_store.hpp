// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/approvals/access.hpp"
#include "core/base/result.hpp"

namespace headway::storage {

/// Access tokens: part of the Store, with its thread, transactions and errors.
class TokenStore {
public:
    virtual ~TokenStore() = default;

    /// Every token, including revoked and expired ones, oldest first.
    virtual core::Result<std::vector<core::TokenRecord>> tokens() = 0;
    /// At limits::kTokensMax, replaces the oldest token that is dead at `created_at`. Error:
    /// kTooManyTokens if none is dead.
    virtual core::Result<> add_token(const core::TokenRecord& token) = 0;
    /// Revokes a token and returns it, even if it was revoked earlier; empty for an unknown id.
    virtual core::Result<std::optional<core::TokenRecord>> revoke_token(std::string_view id,
                                                                        core::Timestamp now) = 0;
    /// Records the last use of tokens; ignores unknown ids.
    virtual core::Result<> note_token_uses(std::span<const core::TokenUse> uses) = 0;
};

}  // namespace headway::storage
