// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace headway::config {

/// Opens a file for reading, with O_CLOEXEC and `flags`; returns -1 with errno on failure. A pipe,
/// a device or a socket is EINVAL, since a read may never end; only a file that is already open
/// (/dev/fd/63, /dev/stdin) may be of such a type. All files named by settings, variables or
/// arguments are opened here.
int open_to_read(const std::filesystem::path& path, int flags = 0);

/// The content of a file; nothing if open_to_read() fails, or if the file cannot be read to its end
/// or holds more than `bytes_max`. Not a std::ifstream: its buffer throws where read() fails, as
/// read() does for a folder, and in /proc for a process that has just ended. Throws only for lack
/// of memory.
std::optional<std::string> read_file(const std::filesystem::path& path,
                                     std::size_t bytes_max = 64U << 20);
/// Like read_file(), from an open descriptor, which stays open; for standard input, which may be a
/// socket.
std::optional<std::string> read_descriptor(int fd, std::size_t bytes_max = 64U << 20);

}  // namespace headway::config
