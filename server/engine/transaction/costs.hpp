// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "api/encode/parts/encode_adapter.hpp"
#include "core/session/session.hpp"
#include "server/engine/transaction/reader.hpp"

namespace headway::server {

/// The reason why a cap on the session's cost cannot be enforced. Before the first usage, the
/// reason is a model without a price, or hooks that report neither tokens nor cost; later, it is
/// usage whose cost is unknown. Empty if the cap may hold, or if there is no cap.
std::string cost_warning(const Reader& reader, const core::Session& session,
                         const std::optional<api::Adapter>& adapter);

/// The session's adapter. Its `missing` includes `cost` if a cap on cost cannot be enforced.
std::optional<api::Adapter> adapter_with_cost(const Reader& reader, storage::SessionKey key,
                                              const core::Session& session);

}  // namespace headway::server
