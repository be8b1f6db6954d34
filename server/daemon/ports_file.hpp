// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.hpp"

namespace headway::server {

/// Writes `text` to a file atomically: a reader gets all of it or the old content. Replaces only a
/// regular file, follows no link, and writes to no file that another process created. Error:
/// kInternal.
core::Result<> write_ports_file(const std::filesystem::path& file, std::string_view text);

}  // namespace headway::server
