// SPDX-License-Identifier: Apache-2.0
#include "server/intake.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "core/limits.hpp"

namespace headway::server {

Request Intake::request_of(const ReplyTo& to, Command command, const std::string& session,
                           std::size_t bytes) const {
    Request request;
    request.reply_to = to;
    request.watched = !session.empty() && views_.watched(session);
    request.listening = streams_.size() > 0;
    request.bytes = bytes;
    request.command = std::move(command);
    return request;
}

bool Intake::stage(Request& request) {
    if (!queue_.stage(request)) return false;
    if (std::exchange(wake_posted_, true)) return true;
    net::post(io_.get_executor(), [this] {
        wake_posted_ = false;
        queue_.hand_over();
    });
    return true;
}

bool Intake::ask(const ReplyTo& to, Command command, const std::string& session,
                 std::size_t bytes) {
    Request request = request_of(to, std::move(command), session, bytes);
    return stage(request);
}

void Intake::deliver(const ReplyTo& to, Command command, const std::string& session,
                     std::size_t bytes) {
    kept_.push_back(request_of(to, std::move(command), session, bytes));
    pass_kept();
}

void Intake::pass_kept() {
    std::size_t passed = 0;
    while (passed < kept_.size() && stage(kept_[passed]))
        ++passed;
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(passed));
}

bool Intake::has_room() const {
    return queue_.size() < core::limits::kCommandQueueMax;
}

}  // namespace headway::server
