// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/stores/stored_line.hpp"

namespace headway::cli {

/// A file that may hold a stored session.
struct StoreFile {
    std::filesystem::path path;
    const StoreFormat* format = nullptr;  ///< null: by its first lines
    std::uint64_t bytes = 0;
    double changed = 0;  ///< seconds since 1970
};

struct FoundStores {
    std::vector<StoreFile> files;      ///< sorted by path
    std::vector<std::string> skipped;  ///< why each of the others was not taken, for people
    std::vector<std::string> looked;   ///< folders of agents that are there or not, for people
};

/// The stores of known agents: in their usual folders, or where their environment variables say.
/// Files of another user, and symbolic links, are skipped; nothing is opened.
FoundStores find_stores(const std::map<std::string, std::string>& environment);

/// The same of a file or a folder that a person named.
FoundStores find_stores(const std::vector<std::string>& paths);

}  // namespace headway::cli
