// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/base/time.hpp"

namespace headway::storage {

/// An earlier use of an `Idempotency-Key`.
struct IdempotentUse {
    std::string fingerprint;
    std::string session;
    /// Set by find_key(): the time of this use. If a session with the id `session` was opened
    /// later, it is a different session.
    core::Timestamp at = core::kNever;
};

/// The used `Idempotency-Key`s. They are kept as long as ended sessions are. A part of the Store,
/// with the same thread, transactions and errors.
class IdempotencyTable {
public:
    virtual ~IdempotencyTable() = default;

    virtual core::Result<std::optional<IdempotentUse>> find_key(std::string_view key) = 0;
    /// Adds a key, or replaces its earlier use.
    virtual core::Result<> add_key(std::string_view key, const IdempotentUse& use,
                                   core::Timestamp now) = 0;
};

}  // namespace headway::storage
