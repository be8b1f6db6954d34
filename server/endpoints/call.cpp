// SPDX-License-Identifier: Apache-2.0
#include "server/endpoints/call.hpp"

#include <utility>

#include "core/limits.hpp"

namespace headway::server {

core::Result<> Call::ask(Request made, const std::string& session) const {
    if (on.intake.ask(std::move(made), session)) return {};
    return core::Error{
        core::ErrorCode::kOverloaded, "too many requests are waiting; try again", {}};
}

core::Result<> Call::begin_wait(std::string id) const {
    const std::string* wait = query.find("wait");
    if (wait == nullptr) return {};
    HEADWAY_TRY(const std::int64_t ms, api::parse_duration_ms(*wait, "wait"));
    if (core::Millis{ms} > core::limits::kWaitMax) {
        return core::Error{core::ErrorCode::kInvalidParameter, "at most 10m; wait again after that",
                           "wait"};
    }
    if (ms <= 0 || on.state.draining) return {};
    const core::Timestamp deadline = on.clock.now() + core::Millis{ms};
    return on.polls.add_document(to, std::move(id), deadline);
}

}  // namespace headway::server
