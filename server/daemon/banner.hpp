// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// Lines that the daemon prints on stdout when it is ready.

namespace headway::server {

struct Banner {
    std::string url;
    std::string socket;  ///< empty: none
    std::string database;
    std::string operator_file;
    std::string config_file;  ///< empty: none was found
};

/// One line of JSON for the parent process. Contains nothing that must not be logged.
void print_ready_line(const Banner& banner);

/// For a terminal; `dashboard` is a login link.
void print_banner(const Banner& banner, const std::string& dashboard);

}  // namespace headway::server
