// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/access.hpp"
#include "core/result.hpp"

namespace headway::storage {

/// Where access tokens are kept: a part of the Store, with its threads, transactions and errors.
class TokenStore {
public:
    virtual ~TokenStore() = default;

    /// Every token, also revoked and expired ones, oldest first.
    virtual core::Result<std::vector<core::TokenRecord>> tokens() = 0;
    /// Where limits::kTokensMax are there already, the oldest one that is dead at `created_at`
    /// makes room. Error: kTooManyTokens when none is.
    virtual core::Result<> add_token(const core::TokenRecord& token) = 0;
    /// The token, revoked now or before; nothing when there is none with this id.
    virtual core::Result<std::optional<core::TokenRecord>> revoke_token(std::string_view id,
                                                                        core::Timestamp now) = 0;
    /// Notes when tokens were used last; unknown ids do no harm.
    virtual core::Result<> note_token_uses(std::span<const core::TokenUse> uses) = 0;
};

}  // namespace headway::storage
