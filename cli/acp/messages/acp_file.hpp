// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace headway::cli {

/// A file as it is on disk. Neither member is set: nothing is known for certain.
struct AcpFile {
    bool missing = false;  ///< nothing has this path, not even a link that leads nowhere
    std::optional<std::string> text{};
};

/// Returns the file with this path, as it is now.
using AcpReadFile = std::function<AcpFile(const std::string& path)>;

inline constexpr std::size_t kAcpFileBytesMax = 8U << 20;

/// Reads a regular file of at most kAcpFileBytesMax bytes, by its absolute path. It neither waits
/// for a pipe nor takes from one: the editor's messages come through one (/dev/stdin).
AcpFile acp_read_file(const std::string& path);

}  // namespace headway::cli
