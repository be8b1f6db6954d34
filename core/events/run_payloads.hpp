// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/events/event_type.hpp"

// Events about sessions that work together. The rules of session_payloads.hpp apply.

namespace headway::core {

/// Two sessions of one run reverted each other's version of a file (docs/detection.md, section
/// 5.3). Written to the journal of the session that made the last reversal.
struct RunConflict {
    static constexpr EventType kType = EventType::kRunConflict;
    std::string path;
    std::string other;                    ///< the session whose content this session reverted
    std::uint64_t reversals = 0;          ///< consecutive reversals, by both sessions together
    std::vector<std::uint64_t> evidence;  ///< events of this session, the newest last
    bool operator==(const RunConflict&) const = default;
    static constexpr auto fields() {
        return field_list(field("path", &RunConflict::path), field("other", &RunConflict::other),
                          field("reversals", &RunConflict::reversals),
                          field("evidence", &RunConflict::evidence));
    }
};

}  // namespace headway::core
