// SPDX-License-Identifier: Apache-2.0
#include "server/hub/streams/intake.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "core/base/limits.hpp"

namespace headway::server {

bool Intake::stage(Request& request, const std::string& session) {
    request.watched = !session.empty() && views_.watched(session);
    queue_.set_listening(streams_.size() > 0);
    if (!queue_.stage(request)) return false;
    if (std::exchange(wake_posted_, true)) return true;
    net::post(io_.get_executor(), [this] {
        wake_posted_ = false;
        queue_.hand_over();
    });
    return true;
}

bool Intake::ask(Request request, const std::string& session, std::size_t bytes) {
    request.bytes = bytes;
    return stage(request, session);
}

void Intake::deliver(Request request, const std::string& session, std::size_t bytes) {
    Kept& kept = kept_.emplace_back();
    kept.session = session;
    kept.request = std::move(request);
    kept.request.bytes = bytes;
    pass_kept();
}

void Intake::pass_kept() {
    std::size_t passed = 0;
    while (passed < kept_.size() && stage(kept_[passed].request, kept_[passed].session))
        ++passed;
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(passed));
}

bool Intake::has_room() const {
    return queue_.size() < core::limits::kCommandQueueMax;
}

}  // namespace headway::server
