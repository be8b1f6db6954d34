// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/values/value.hpp"

namespace headway::config {

/// One `key = value` of a file.
struct FileValue {
    std::string key;  ///< dotted
    Value value;
    std::string where;  ///< place in the file, as "PATH:LINE"
};

struct FileValues {
    std::vector<FileValue>
        values;  ///< known keys with values of the right kind, in the file's order
    std::vector<std::string> mistakes;  ///< one line each, beginning with PATH:LINE
};

/// Reads a TOML file and checks it against the table of keys. Never fails: each error, from a
/// missing file to an unknown key, becomes a mistake in the result. Any thread.
FileValues read_toml(const std::filesystem::path& path);

}  // namespace headway::config
