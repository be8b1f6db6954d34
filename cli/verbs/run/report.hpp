// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/client/client_options.hpp"

namespace headway::cli {

struct ReportOptions {
    ClientOptions client;
    std::string session;
    std::string type;
    std::string data;                 ///< JSON text, "@FILE" for a file, or "-" for standard input
    std::vector<std::string> fields;  ///< "key=value", "error.class=test"
    std::string event_id;  ///< the event's id; empty: a random id, so that a retry is counted once
};

}  // namespace headway::cli
