// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/client/client_options.hpp"

namespace headway::cli {

struct WebhookOptions {
    enum class Action : std::uint8_t { kList, kPending, kDead, kReplay, kTest, kSecret };
    Action action = Action::kList;
    ClientOptions client;
    std::string name;
    std::vector<std::string> ids;
    bool all = false;
    std::string out;  ///< kSecret: path of a new file that only its owner can read; empty: standard
                      ///< output
};

}  // namespace headway::cli
