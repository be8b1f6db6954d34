// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/dispatcher.hpp"

namespace headway::server {

/// Internal to the dispatcher_*.cpp files.
struct Dispatcher::Call {
    HttpConnection& connection;
    ReplyTo to;
    const HttpRequest& request;
    const Principal* caller;  ///< never null once it is routed

    const std::string& session() const { return request.target.session; }
    std::string_view query() const { return request.target.query; }
    std::string path() const {
        const std::string_view target = request.head.target;
        return std::string{target.substr(0, target.find('?'))};
    }
};

/// A comma list of session ids, each once. Errors: kInvalidId; kInvalidParameter for more than
/// `count_max`. Pure.
core::Result<std::vector<std::string>> parse_ids(const std::string& list, std::string_view field,
                                                 std::size_t count_max);

/// What a long poll on a check is kept under, apart from approvals.
inline std::string check_key(const std::string& id) {
    return "check/" + id;
}

}  // namespace headway::server
