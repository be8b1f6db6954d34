// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/client/client_options.hpp"

namespace headway::cli {

struct EndOptions {
    ClientOptions client;
    std::string session;
    std::string outcome = "completed";
    std::string reason;
};

}  // namespace headway::cli
