// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/scan/scan_file.hpp"

namespace headway::cli {

struct FoundStores {
    std::vector<StoreFile> files;      ///< sorted by path
    std::vector<std::string> skipped;  ///< why other files were not accepted, for people
    std::vector<std::string> looked;   ///< the agents' folders, existing or not, for people
    std::vector<std::filesystem::path> folders;  ///< all folders that were searched
};

/// The stores of these agents, or of all known agents: in the usual folders, or in those that the
/// agents' environment variables name. Files of another user, symbolic links and folders without
/// permission get a line each in `skipped`; no file is opened.
FoundStores find_stores(const std::map<std::string, std::string>& environment,
                        const std::vector<std::string>& agents = {});

/// The stores in files or folders that a person named.
FoundStores find_stores(const std::vector<std::string>& paths);

}  // namespace headway::cli
