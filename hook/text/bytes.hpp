// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Files and descriptors, without streams.

namespace headway::hook {

enum class Input : unsigned char { kWhole, kTooLong, kUnreadable };

/// Reads a descriptor to its end into `bytes`. More than `bytes_max` is read too, and dropped: a
/// writer whose reader goes away may fail.
Input read_all(int descriptor, std::size_t bytes_max, std::string& bytes);

/// Gives standard descriptors that are closed to /dev/null, from which input and to which output
/// fail as before: else the next socket or file would get the number, and be written to. To be
/// called first.
void hold_standard_descriptors();

/// Writes everything; false if the reader is gone.
bool write_all(int descriptor, std::string_view bytes);

/// The first 4096 bytes of a file; empty if it cannot be read.
std::string read_small_file(const std::string& path);

/// The last bytes of a file of this user; empty for a file of another user, a pipe or a device,
/// which could make us wait.
std::string tail_of(const std::string& path, std::size_t bytes_max);

/// The text up to its first line break, without blanks around it. Pure.
std::string trimmed_line(std::string_view text);

/// 1 to `size_max` visible ASCII characters, so that a header can hold it. Pure.
bool fits_header(std::string_view text, std::size_t size_max) noexcept;

}  // namespace headway::hook
