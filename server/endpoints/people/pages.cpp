// SPDX-License-Identifier: Apache-2.0
#include "server/endpoints/people/own_origin.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"
#include "server/web/web_pages.hpp"

// The dashboard and the documentation.

namespace headway::server {
namespace {

using core::Result;

Result<> page(Call& call, std::string_view name) {
    HEADWAY_TRY(const Response response, page_response(web_files(), name, call.request.head));
    call.respond(response);
    return {};
}

}  // namespace

/// Redirects `localhost` to 127.0.0.1: see own_origin().
Result<> endpoints::dashboard(Call& call) {
    const std::string origin = own_origin(call);
    if (origin.empty()) return page(call, "index.html");
    Response response;
    response.status = 307;
    response.content_type = "text/plain; charset=utf-8";
    response.headers = "Location: " + origin + "/\r\n";
    call.respond(response);
    return {};
}

Result<> endpoints::asset(Call& call) {
    HEADWAY_TRY(const Response response,
                asset_response(web_files(), call.target().asset, call.request.head));
    call.respond(response);
    return {};
}

Result<> endpoints::docs_index(Call& call) {
    return page(call, "docs.html");
}

Result<> endpoints::docs_page(Call& call) {
    HEADWAY_TRY(const Response response,
                docs_response(web_files(), call.target().asset, call.request.head));
    call.respond(response);
    return {};
}

Result<> endpoints::openapi_document(Call& call) {
    return page(call, "openapi.json");
}

}  // namespace headway::server
