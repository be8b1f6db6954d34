// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/events/event.hpp"

namespace headway::api {

/// Whether a text of the call is stored without the secret that was in it.
bool holds_redacted(const core::ToolFinished& call);

/// The fingerprint of such a call, for an export of `session`. A digest that was made with the
/// secret, so that it does not follow from the stored texts, is replaced by another: calls with
/// equal digests stay equal, and a reader without `key` cannot test guesses against it. Empty
/// if the call has none. Precondition: `event` is a tool.finished.
std::string hidden_fingerprint(std::string_view session, const core::Event& event,
                               std::string_view key);

}  // namespace headway::api
