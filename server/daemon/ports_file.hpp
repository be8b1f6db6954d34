// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.hpp"

namespace headway::server {

/// Writes `text` to a file atomically: a reader gets either all of `text` or the old content. Only
/// a regular file is replaced, no link is followed, and no file that another process created is
/// written to. Error: kInternal.
core::Result<> write_ports_file(const std::filesystem::path& file, std::string_view text);

}  // namespace headway::server
