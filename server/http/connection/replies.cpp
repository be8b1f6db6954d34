// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection/replies.hpp"

#include <boost/asio/post.hpp>

namespace headway::server {

void Replies::put(const ReplyTo& to, const Response& response) {
    HttpConnection* connection = http_.find(to.connection);
    if (connection != nullptr && !connection->streaming()) {
        connection->respond(to.slot, response);
    }
}

void Replies::respond(const ReplyTo& to, const Response& response) {
    put(to, response);
    net::post(io_.get_executor(), [this, id = to.connection] { flush(id); });
}

void Replies::flush(std::uint64_t connection) {
    HttpConnection* const found = http_.find(connection);
    if (found != nullptr && !found->streaming()) found->flush();
}

std::string_view Replies::path_of(const ReplyTo& to) {
    const HttpConnection* const connection = http_.find(to.connection);
    return connection == nullptr ? std::string_view{} : connection->path(to.slot);
}

}  // namespace headway::server
