// SPDX-License-Identifier: Apache-2.0
#include "server/endpoints/call.hpp"

#include "core/limits.hpp"

namespace headway::server {

core::Result<> Call::ask_document(Command command, std::string id) const {
    if (const std::string* wait = query.find("wait")) {
        HEADWAY_TRY(const std::int64_t ms, api::parse_duration_ms(*wait, "wait"));
        if (core::Millis{ms} > core::limits::kWaitMax) {
            return core::Error{core::ErrorCode::kInvalidParameter,
                               "at most 10m; wait again after that", "wait"};
        }
        if (ms > 0 && !on.state.draining) {
            const core::Timestamp deadline = on.clock.now() + core::Millis{ms};
            HEADWAY_CHECK(on.polls.add_document(to, std::move(id), deadline));
        }
    }
    auto asked = ask(std::move(command));
    if (!asked) on.polls.answered(to);
    return asked;
}

}  // namespace headway::server
