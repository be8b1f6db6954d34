// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/events/event.hpp"
#include "core/session/session.hpp"

// Body sent to webhooks: `{"type","timestamp","data"}`, as Standard Webhooks recommends. The body
// is made from stored data, which contains no secrets.

namespace headway::api {

/// The message about one event. `session`: the session after that event. At most
/// limits::kWebhookBodyBytesMax bytes. A longer message is shortened until it fits: the arguments
/// of an approval are left out first, then the event's data, then the session's facts. Such a
/// message has `truncated` set. Pure.
std::string webhook_body(const core::Session& session, const core::Event& event);

/// The message that tests an endpoint, of the type "webhook.test". Pure.
std::string webhook_test_body(std::string_view endpoint, core::Timestamp at);

}  // namespace headway::api
