// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/events/event.hpp"

namespace headway::api {

/// True if a secret was redacted from a text of the call.
bool holds_redacted(const core::ToolFinished& call);

/// The fingerprint of a call with a redacted secret, for an export of `session`. A digest made with
/// the secret, which the stored texts cannot reproduce, is replaced by another: calls with equal
/// digests stay equal, and a reader without `key` cannot test guesses against the new one. Empty
/// without a fingerprint. Precondition: `event` is a tool.finished.
std::string hidden_fingerprint(std::string_view session, const core::Event& event,
                               std::string_view key);

}  // namespace headway::api
