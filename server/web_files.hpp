// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace headway::server {

/// A file of the dashboard.
struct WebFile {
    std::string_view name;
    std::string_view content_type;
    std::string_view content;
    std::string_view gzip;  ///< the same compressed; empty where that would not be shorter
};

struct WebFiles {
    std::string_view hash;  ///< over all of them
    std::span<const WebFile> files;
};

/// What web/ held when the program was built (web/embed.py).
WebFiles web_files() noexcept;

}  // namespace headway::server
