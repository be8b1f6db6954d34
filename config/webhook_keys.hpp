// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/judge_keys.hpp"
#include "config/keys.hpp"

// The keys of [webhooks], and those of its tables with free names: [webhooks.endpoints.NAME].

namespace headway::config {

/// Appends the keys of [webhooks] to the table of keys.
void add_webhook_keys(std::vector<Key>& table);

/// "webhooks.endpoints.NAME.<key>" taken apart; nothing for the name of anything else, or of a key
/// that no webhook has. Pure.
std::optional<EndpointKeyName> parse_webhook_key(std::string_view name);

/// What may stand in such a table. Any thread.
const std::vector<std::string_view>& webhook_key_names();

Kind webhook_key_kind(std::string_view key);

/// As assign_endpoint_key(), of webhooks.
core::Result<> assign_webhook_key(Settings& settings, std::string_view name, std::string_view text);

/// What is wrong with the webhooks as a whole: no url, no secret or two sources of one. One
/// sentence each. Pure.
std::vector<std::string> mistakes_in(const WebhookSettings& webhooks);

/// Every value of a webhook that is not the default. Secrets are in files and variables, so none is
/// among them.
std::vector<EndpointValue> webhook_values(const Settings& settings);

}  // namespace headway::config
