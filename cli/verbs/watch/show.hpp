// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/client/client_options.hpp"

namespace headway::cli {

struct ShowOptions {
    ClientOptions client;
    std::string session;
};

}  // namespace headway::cli
