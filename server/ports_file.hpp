// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "core/result.hpp"

namespace headway::server {

/// Puts `text` into a file in one step: whoever reads it finds all of it or what was there before.
/// Only a regular file is replaced, no link is followed, and nothing that others made is written
/// to. Error: kInternal.
core::Result<> write_ports_file(const std::filesystem::path& file, std::string_view text);

}  // namespace headway::server
