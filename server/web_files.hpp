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
    std::string_view gzip;  ///< compressed content; empty if that is not shorter
};

struct WebFiles {
    std::string_view hash;  ///< over all files
    std::span<const WebFile> files;
};

/// The files of web/ that were built in (web/embed.py).
WebFiles web_files() noexcept;

}  // namespace headway::server
