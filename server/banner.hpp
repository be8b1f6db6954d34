// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// The first words of a daemon that is ready, on stdout.

namespace headway::server {

struct Banner {
    std::string url;
    std::string socket;  ///< empty: none
    std::string database;
    std::string operator_file;
    std::string config_file;  ///< empty: none was found
};

/// One line of JSON, for whoever started us. Says nothing that a log must not have.
void print_ready_line(const Banner& banner);

/// For a person at a terminal; `dashboard` is a link that logs a browser in.
void print_banner(const Banner& banner, const std::string& dashboard);

}  // namespace headway::server
