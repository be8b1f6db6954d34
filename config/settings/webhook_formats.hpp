// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/settings/webhook_settings.hpp"
#include "config/values/value.hpp"
#include "core/base/result.hpp"

// Functions that read and check the keys of [webhooks.endpoints.NAME] for the message formats.
// Errors: kInvalidConfig; the detail continues a sentence that begins with the key's name. Pure.

namespace headway::config {

/// Reads an http, https, smtp or smtps URL, which must have no user name, password or fragment. The
/// URL may be a secret, so the error quotes it only if its scheme is none of these.
core::Result<std::string> parse_webhook_url(std::string text);

/// Reads the dashboard's URL, which may be empty, and removes a slash at its end. Refuses
/// characters that have a meaning in some message format.
core::Result<std::string> read_webhook_link(const Value& value);

core::Result<std::string> read_topic(const Value& value);
core::Result<std::string> read_chat(const Value& value);
core::Result<std::string> read_mail_address(const Value& value);
core::Result<Value::List> read_mail_addresses(const Value& value);
core::Result<std::string> read_mail_user(const Value& value);
core::Result<Value::List> read_argv(const Value& value);

/// Mistakes in an endpoint as a whole: keys that its format requires or does not accept. Each text
/// continues a sentence that begins with the endpoint's name.
std::vector<std::string> webhook_mistakes(const WebhookEndpoint& endpoint);

}  // namespace headway::config
