// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace headway::tests {

/// A row of the table of what HEADWAY_URL may be.
struct DaemonUrl {
    std::string given;
    std::string kind;    ///< http, https, unix or wrong
    std::string normal;  ///< empty if it is wrong
};

inline std::vector<DaemonUrl> daemon_urls() {
    std::vector<DaemonUrl> rows;
    std::ifstream file{HEADWAY_SOURCE_DIR "/tests/support/daemon_urls.txt"};
    for (std::string line; std::getline(file, line);) {
        const std::size_t kind = line.find('\t');
        if (line.starts_with("# ") || kind == line.npos) continue;
        const std::size_t normal = std::min(line.find('\t', kind + 1), line.size());
        rows.push_back({line.substr(0, kind), line.substr(kind + 1, normal - kind - 1),
                        normal == line.size() ? "" : line.substr(normal + 1)});
    }
    return rows;
}

}  // namespace headway::tests
