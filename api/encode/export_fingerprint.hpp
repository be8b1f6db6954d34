// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/events/event.hpp"

namespace headway::api {

/// True if a secret was redacted from a text of the call.
bool holds_redacted(const core::ToolFinished& call);

/// The fingerprint of a call with a redacted secret, for an export of `session`. Each digest that
/// was made with the secret is replaced, because the stored texts cannot reproduce it and because
/// it could confirm a guess of the secret. Equal digests stay equal, but a reader without `key`
/// cannot test a guess against a new digest. Empty if the call has no fingerprint. Precondition:
/// `event` is a tool.finished.
std::string hidden_fingerprint(std::string_view session, const core::Event& event,
                               std::string_view key);

}  // namespace headway::api
