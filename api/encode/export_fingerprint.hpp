// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/events/event.hpp"

namespace headway::api {

/// Whether a text of the call is stored without the secret that was in it.
bool holds_redacted(const core::ToolFinished& call);

/// The fingerprint of such a call, for an export of `session`: a digest that its texts do not give,
/// since the secret went into it, is replaced by one that is equal where it was equal, and that no
/// reader without `key` can try values against. Empty if the call has none. Precondition: `event`
/// is a tool.finished.
std::string hidden_fingerprint(std::string_view session, const core::Event& event,
                               std::string_view key);

}  // namespace headway::api
