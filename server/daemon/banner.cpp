// SPDX-License-Identifier: Apache-2.0
#include "server/daemon/banner.hpp"

#include <cstdio>

#include "core/base/version.hpp"

namespace headway::server {

void print_ready_line(const Banner& banner) {
    std::printf(
        "{\"event\":\"ready\",\"version\":\"%s\",\"url\":\"%s\",\"socket\":\"%s\",\"database\":"
        "\"%s\"}\n",
        std::string{core::version().version}.c_str(), banner.url.c_str(), banner.socket.c_str(),
        banner.database.c_str());
    std::fflush(stdout);
}

void print_banner(const Banner& banner, const std::string& dashboard) {
    const core::VersionInfo& version = core::version();
    std::printf(
        "\n  Headway %s (%s)\n\n"
        "  Dashboard %s\n            (good once, for 10 minutes; then: headway dashboard)\n"
        "  API       %s\n  Socket    %s\n  Metrics   %s/metrics\n  Database  %s\n  Operator  "
        "%s\n"
        "  Config    %s\n\n"
        "  Try       headway run -- make -j2     and     headway watch\n\n",
        std::string{version.version}.c_str(), std::string{version.git}.c_str(), dashboard.c_str(),
        banner.url.c_str(), banner.socket.empty() ? "none" : banner.socket.c_str(),
        banner.url.c_str(), banner.database.c_str(), banner.operator_file.c_str(),
        banner.config_file.empty() ? "defaults (no headway.toml found)"
                                   : banner.config_file.c_str());
    std::fflush(stdout);
}

}  // namespace headway::server
