// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Reads and writes files and descriptors, without streams.

namespace headway::hook {

enum class Input : unsigned char { kWhole, kTooLong, kUnreadable };

/// Reads a descriptor to its end into `bytes`. Input beyond `bytes_max` is read and dropped,
/// because a writer may fail if its reader stops.
Input read_all(int descriptor, std::size_t bytes_max, std::string& bytes);

/// Replaces each closed standard descriptor with /dev/null, opened in the wrong direction (input
/// only for writing, output only for reading), so that using it still fails. Otherwise the next
/// socket or file would get the number of the descriptor, and output would be written there. To be
/// called before any file or socket is opened.
void hold_standard_descriptors();

/// Writes all bytes; false if the reader is gone.
bool write_all(int descriptor, std::string_view bytes);

/// The first 4096 bytes of a file; empty if it cannot be read.
std::string read_small_file(const std::string& path);

/// The last bytes of a file that this user owns; empty for the file of another user, and for a pipe
/// or a device, because reading these could block.
std::string tail_of(const std::string& path, std::size_t bytes_max);

/// The first line of `text`, without surrounding blanks. Pure.
std::string trimmed_line(std::string_view text);

/// True if `text` fits a header: 1 to `size_max` visible ASCII characters. Pure.
bool fits_header(std::string_view text, std::size_t size_max) noexcept;

}  // namespace headway::hook
