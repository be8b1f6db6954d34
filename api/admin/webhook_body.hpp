// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/events/event.hpp"
#include "core/session/session.hpp"

// Body sent to webhooks: `{"type","timestamp","data"}`, as Standard Webhooks recommends. Made from
// stored data, which is redacted.

namespace headway::api {

/// The message about one event; `session` has the state after that event. At most
/// limits::kWebhookBodyBytesMax bytes: if it would be longer, the arguments of an approval, then
/// the event's data, then the session's facts are left out, and `truncated` is set. Pure.
std::string webhook_body(const core::Session& session, const core::Event& event);

/// The message of a test, of type "webhook.test". Pure.
std::string webhook_test_body(std::string_view endpoint, core::Timestamp at);

}  // namespace headway::api
