// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/keys.hpp"

// The keys of [judge], and those of its tables with free names: [judge.endpoints.NAME].

namespace headway::config {

/// Appends the keys of [judge] to the table of keys.
void add_judge_keys(std::vector<Key>& table);

/// "judge.endpoints.NAME.<key>" taken apart. Views into the whole.
struct EndpointKeyName {
    std::string_view name;  ///< not empty; assign_endpoint_key() says what it may hold
    std::string_view key;   ///< one of endpoint_key_names()
};

/// Nothing for the name of anything else, or of a key that no endpoint has. Pure.
std::optional<EndpointKeyName> parse_endpoint_key(std::string_view name);

/// What may stand in such a table. Any thread.
const std::vector<std::string_view>& endpoint_key_names();

Kind endpoint_key_kind(std::string_view key);

/// Parses, checks and stores one value; an endpoint that is not there yet is added. Error:
/// kInvalidConfig, nothing stored. Precondition: parse_endpoint_key(name).
core::Result<> assign_endpoint_key(Settings& settings, std::string_view name,
                                   std::string_view text);

/// What is wrong with the endpoints as a whole, which single values do not show: base_url or model
/// missing, more than one source of a key. One sentence each. Pure.
std::vector<std::string> mistakes_in(const JudgeSettings& judge);

/// Every value of an endpoint that is not the default: dotted name, and text to show. Keys and the
/// values of headers are secrets and shown as "(set)".
struct EndpointValue {
    std::string name;
    std::string text;
};
std::vector<EndpointValue> endpoint_values(const Settings& settings);

}  // namespace headway::config
