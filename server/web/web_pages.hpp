// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/result.hpp"
#include "server/http/message/request_head.hpp"
#include "server/http/message/response.hpp"
#include "server/web/web_files.hpp"

// The files of the dashboard and the documentation as replies. These files contain no data and need
// no token. Pure.

namespace headway::server {

/// A file that has its own route: "index.html", "docs.html", "openapi.json". Error: kInternal if
/// the file is not built in.
core::Result<Response> page_response(const WebFiles& web, std::string_view name,
                                     const RequestHead& head);

/// The file at `path`, which is `<hash>/<name>`. If the hash is that of another build, the file is
/// served but must not be cached: a tab may have stayed open while the daemon was replaced. Error:
/// kUnknownRoute.
core::Result<Response> asset_response(const WebFiles& web, std::string_view path,
                                      const RequestHead& head);

/// The page of /docs named `name`. Error: kUnknownRoute.
core::Result<Response> docs_response(const WebFiles& web, std::string_view name,
                                     const RequestHead& head);

/// openapi.json as it is served; empty if it is not built in.
std::string_view openapi_document() noexcept;

/// True if an Accept-Encoding allows gzip.
bool accepts_gzip(std::string_view accept_encoding) noexcept;

}  // namespace headway::server
