// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace headway::config {

/// What a file holds; nothing if it cannot be opened or read to its end, or holds more than
/// `bytes_max`. Not a std::ifstream: its buffer throws where read() fails, as it does for a folder,
/// and in /proc for a process that has just ended. Never throws but for lack of memory.
std::optional<std::string> read_file(const std::filesystem::path& path,
                                     std::size_t bytes_max = 64U << 20);
/// The same of an open descriptor, which stays open; for standard input, which may be a socket.
std::optional<std::string> read_descriptor(int fd, std::size_t bytes_max = 64U << 20);

}  // namespace headway::config
