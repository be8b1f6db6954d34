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
    std::vector<std::string> skipped;  ///< why each of the others was not taken, for people
    std::vector<std::string> looked;   ///< folders of agents that are there or not, for people
    std::vector<std::filesystem::path> folders;  ///< all that were looked into
};

/// The stores of these agents, or of all that are known: in their usual folders, or where their
/// environment variables say. Files of another user, symbolic links and folders without permission
/// are a line in `skipped` each; no file is opened.
FoundStores find_stores(const std::map<std::string, std::string>& environment,
                        const std::vector<std::string>& agents = {});

/// The same of a file or a folder that a person named.
FoundStores find_stores(const std::vector<std::string>& paths);

}  // namespace headway::cli
