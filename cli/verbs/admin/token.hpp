// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/client/client_options.hpp"

namespace headway::cli {

using std::chrono::milliseconds;

struct TokenOptions {
    enum class Action : std::uint8_t { kCreate, kList, kRevoke, kRotateOperator };
    Action action = Action::kList;
    ClientOptions client;
    std::string name;
    std::vector<std::string> scopes;
    std::optional<milliseconds> expires;  ///< lifetime of the token; none: it never expires
    std::string id;
};

}  // namespace headway::cli
