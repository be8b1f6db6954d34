// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace headway::config {

/// Opens a file for reading, with O_CLOEXEC and `flags`; returns -1 with errno on failure. For a
/// pipe, a device or a socket, errno is EINVAL, because reading it might never end; such a file is
/// accepted only if it is already open (/dev/fd/63, /dev/stdin). Every file that a setting, a
/// variable or an argument names is opened with this function.
int open_to_read(const std::filesystem::path& path, int flags = 0);

/// The content of a file; nothing if open_to_read() fails, if the file cannot be read to its end,
/// or if it has more than `bytes_max` bytes. std::ifstream is not used, because its buffer throws
/// if read() fails, which happens for a folder and, in /proc, for a process that has just ended.
/// Throws only for lack of memory.
std::optional<std::string> read_file(const std::filesystem::path& path,
                                     std::size_t bytes_max = 64U << 20);
/// Like read_file(), but reads an open descriptor, which stays open. Used for standard input, which
/// may be a socket.
std::optional<std::string> read_descriptor(int fd, std::size_t bytes_max = 64U << 20);

}  // namespace headway::config
