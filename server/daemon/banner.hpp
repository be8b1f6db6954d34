// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// Lines that the daemon prints on stdout when it is ready.

namespace headway::server {

struct Banner {
    std::string url;
    std::string socket;  ///< path of the Unix socket; empty: no socket
    std::string database;
    std::string operator_file;
    std::string config_file;  ///< path of the configuration file; empty: no file
};

/// Prints one line of JSON for the parent process. Contains only data that may be logged.
void print_ready_line(const Banner& banner);

/// Prints the lines for a terminal; `dashboard` is a login link.
void print_banner(const Banner& banner, const std::string& dashboard);

}  // namespace headway::server
