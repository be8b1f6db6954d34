// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cli/client/client_options.hpp"

namespace headway::cli {

struct EventsOptions {
    ClientOptions client;
    std::string session;
    std::uint64_t after = 0;
};

}  // namespace headway::cli
