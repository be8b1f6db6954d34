// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/settings/webhook_settings.hpp"
#include "config/values/value.hpp"
#include "core/base/result.hpp"

// Keys that the formats of [webhooks.endpoints.NAME] need. Errors: kInvalidConfig, with a sentence
// that follows the name of the key. Pure.

namespace headway::config {

/// An http, https, smtp or smtps URL without a name, password or fragment. It may be a secret, so
/// only one with another beginning is quoted.
core::Result<std::string> parse_webhook_url(std::string text);

/// Where the dashboard is, without the slash at its end; or empty. Nothing in it means anything in
/// a message of any format.
core::Result<std::string> read_webhook_link(const Value& value);

core::Result<std::string> read_topic(const Value& value);
core::Result<std::string> read_chat(const Value& value);
core::Result<std::string> read_mail_address(const Value& value);
core::Result<Value::List> read_mail_addresses(const Value& value);
core::Result<std::string> read_mail_user(const Value& value);
core::Result<Value::List> read_argv(const Value& value);

/// Mistakes in an endpoint as a whole: keys that its format lacks, or does not have. Each sentence
/// follows the endpoint's name.
std::vector<std::string> webhook_mistakes(const WebhookEndpoint& endpoint);

}  // namespace headway::config
