// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/result.hpp"
#include "server/request_head.hpp"
#include "server/response.hpp"
#include "server/web_files.hpp"

// The dashboard's files as replies. They hold no data and are given to anybody. Pure.

namespace headway::server {

/// A file that has an address of its own: "index.html", "docs.html", "openapi.json". Error:
/// kInternal, when it was not built in.
core::Result<Response> page_response(const WebFiles& web, std::string_view name,
                                     const RequestHead& head);

/// The file at `path`, which is `<hash>/<name>`. That of another build is still served, for a tab
/// that was open while the daemon was replaced, but not kept. Error: kUnknownRoute.
core::Result<Response> asset_response(const WebFiles& web, std::string_view path,
                                      const RequestHead& head);

/// Whether an Accept-Encoding takes gzip.
bool accepts_gzip(std::string_view accept_encoding) noexcept;

}  // namespace headway::server
