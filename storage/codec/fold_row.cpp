// SPDX-License-Identifier: Apache-2.0
#include "storage/codec/fold_row.hpp"

#include "core/base/assert.hpp"
#include "storage/base/corrupt.hpp"

namespace headway::storage {

core::Result<> fold_row(StoredSession& stored, std::uint64_t first,
                        std::span<const core::Event> events) {
    const std::uint64_t expected = stored.session.state().n + 1;
    if (first != expected) {
        return corrupt("event " + std::to_string(expected) + " of session " + stored.session.id() +
                       " is missing: a journal row begins with " + std::to_string(first));
    }
    for (const core::Event& event : events)
        stored.session.apply(event);
    HEADWAY_ASSERT(stored.session.state().n == first + events.size() - 1);
    return {};
}

}  // namespace headway::storage
