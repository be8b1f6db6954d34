// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/event.hpp"
#include "core/rare.hpp"

namespace headway::core {

/// What the agent did last, in a line for people: `bash: make test`.
struct LastAction {
    std::string text;  ///< at most limits::kLastActionBytesMax
    Timestamp at = kNever;
    bool operator==(const LastAction&) const = default;
    static constexpr auto fields() {
        return field_list(field("text", &LastAction::text), field("at", &LastAction::at));
    }
};

/// A call moves it; anything else leaves it alone.
void note_action(Rare<LastAction>& last, const Event& event);

/// The tool, and what the call is about: its target, or the argument that says most. `args` is a
/// JSON object as a call carries it. Pure.
std::string action_text(std::string_view tool, std::string_view target, std::string_view args);

}  // namespace headway::core
