// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/lazy_optional.hpp"
#include "core/events/event.hpp"

namespace headway::core {

/// The agent's last call, in a line for people: `bash: make test`.
struct LastAction {
    std::string text;  ///< the line, at most limits::kLastActionBytesMax
    Timestamp at = kNever;
    bool operator==(const LastAction&) const = default;
    static constexpr auto fields() {
        return field_list(field("text", &LastAction::text), field("at", &LastAction::at));
    }
};

/// A call replaces `last`; other events do not change it.
void note_action(LazyOptional<LastAction>& last, const Event& event);

/// The tool, and the subject of the call: its target, or the most informative argument. `args` is
/// the call's JSON object. Pure.
std::string action_text(std::string_view tool, std::string_view target, std::string_view args);

}  // namespace headway::core
