// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string_view>

#include "cli/base/json.hpp"

namespace headway::cli {

/// For messages of failed checks.
inline std::ostream& operator<<(std::ostream& out, const Json& value) {
    return out << dump(value);
}

}  // namespace headway::cli

namespace headway::tests {

/// The value of a text that is JSON; anything else fails the test.
inline cli::Json parsed(std::string_view text) {
    return cli::Json::parse(text).value();
}

}  // namespace headway::tests
