// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace headway::server {

/// A file of the dashboard or the documentation.
struct WebFile {
    std::string_view name;
    std::string_view content_type;
    std::string_view content;  ///< empty where `gzip` is not
    std::string_view gzip;     ///< compressed content, where that is smaller
};

struct WebFiles {
    std::string_view hash;  ///< hash of all files
    std::span<const WebFile> files;
};

/// The files that web/embed.py has built into the program.
WebFiles web_files() noexcept;

}  // namespace headway::server
