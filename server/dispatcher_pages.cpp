// SPDX-License-Identifier: Apache-2.0
#include "server/dispatcher_call.hpp"
#include "server/web_pages.hpp"

// The dashboard.

namespace headway::server {

using core::Result;

Result<> Dispatcher::page(Call& call, std::string_view name) {
    HEADWAY_TRY(const Response response, page_response(web_files(), name, call.request.head));
    call.connection.respond(call.to.slot, response);
    return {};
}

Result<> Dispatcher::asset(Call& call) {
    HEADWAY_TRY(const Response response,
                asset_response(web_files(), call.request.target.asset, call.request.head));
    call.connection.respond(call.to.slot, response);
    return {};
}

}  // namespace headway::server
