// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace headway::cli {

class Json;

/// Builds an event's data. `text` is a JSON object or empty. Then each "key=value" of `fields` sets
/// one member, where dots in the key mean nesting ("error.class=test"). A value that is a JSON
/// number, boolean, null, list, object or quoted string is taken as JSON, anything else as text.
/// Error: kInvalidJson, kInvalidField. Pure.
core::Result<Json> build_data(const std::string& text, const std::vector<std::string>& fields);

/// Checks that no field is set twice. Error: kInvalidField if two pairs set the same field, or if
/// one pair sets a part of the field that another pair sets. Pure.
core::Result<> check_once(const std::vector<std::string>& pairs);

/// "key=value" pairs as a JSON object of strings. Error: kInvalidField. Pure.
core::Result<Json> build_labels(const std::vector<std::string>& pairs);

}  // namespace headway::cli
