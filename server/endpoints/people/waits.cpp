// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "core/base/limits.hpp"
#include "core/views/wait.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"
#include "server/tokens/session_ids.hpp"

// Long polls on the verdict of sessions.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
namespace limits = core::limits;

constexpr std::int64_t kWaitDefaultMs = 55'000;  // below the 60 s of common proxies

/// Parses the parameters that both kinds of waits share.
Result<> parse_wait(const api::Query& query, core::Timestamp now, Wait& wait) {
    const std::string* until = query.find("until");
    HEADWAY_TRY(wait.what.until, core::parse_until(until != nullptr ? *until : "settled"));
    if (const std::string* mode = query.find("mode")) {
        if (*mode != "now" && *mode != "ever") {
            return Error{ErrorCode::kInvalidParameter, "must be now or ever", "mode"};
        }
        wait.what.mode = *mode == "ever" ? core::WaitMode::kEver : core::WaitMode::kNow;
    }
    if (const std::string* missing = query.find("missing")) {
        if (*missing != "wait" && *missing != "error") {
            return Error{ErrorCode::kInvalidParameter, "must be wait or error", "missing"};
        }
        wait.missing_ok = *missing == "wait";
    }
    if (const std::string* after = query.find("after")) {
        HEADWAY_TRY(wait.what.after, api::parse_number(*after, "after", 0, INT64_MAX));
    }
    if (const std::string* duration = query.find("silent_for")) {
        HEADWAY_TRY(const std::int64_t ms, api::parse_duration_ms(*duration, "silent_for"));
        wait.what.silent_for = core::Millis{ms};
    }
    if (const std::string* duration = query.find("open_within")) {
        HEADWAY_TRY(const std::int64_t ms, api::parse_duration_ms(*duration, "open_within"));
        if (query.find("missing") != nullptr && !wait.missing_ok) {
            return Error{ErrorCode::kInvalidParameter, "goes with missing=wait, not with error",
                         "open_within"};
        }
        wait.missing_ok = true;
        if (ms > 0) wait.open_by = now + core::Millis{ms};
    }
    std::int64_t ms = kWaitDefaultMs;
    if (const std::string* duration = query.find("wait")) {
        HEADWAY_TRY(ms, api::parse_duration_ms(*duration, "wait"));
        if (core::Millis{ms} > limits::kWaitMax) {
            return Error{ErrorCode::kInvalidParameter, "at most 10m; wait again after that",
                         "wait"};
        }
    }
    wait.deadline = now + core::Millis{ms};
    return {};
}

}  // namespace

Result<> endpoints::wait_for_session(Call& call) {
    const api::Query& query = call.query;
    Wait wait;
    wait.reply_to = call.to;
    wait.caller = call.place_holder();
    wait.sessions.push_back(call.session());
    HEADWAY_CHECK(parse_wait(query, call.on.clock.now(), wait));
    if (call.on.state.draining) wait.deadline = call.on.clock.now();
    return call.on.polls.add(std::move(wait));
}

Result<> endpoints::wait_for_sessions(Call& call) {
    const api::Query& query = call.query;
    const std::string* any = query.find("any");
    const std::string* all = query.find("all");
    if ((any == nullptr) == (all == nullptr)) {
        return Error{ErrorCode::kInvalidParameter, "give any=a,b or all=a,b", "any"};
    }
    Wait wait;
    wait.reply_to = call.to;
    wait.caller = call.place_holder();
    wait.several = true;
    wait.all = all != nullptr;
    HEADWAY_TRY(wait.sessions, parse_ids(wait.all ? *all : *any, wait.all ? "all" : "any",
                                         limits::kWaitSessionsMax));
    for (const std::string& session : wait.sessions) {
        HEADWAY_CHECK(require_read(call.caller, session));
    }
    HEADWAY_CHECK(parse_wait(query, call.on.clock.now(), wait));
    if (call.on.state.draining) wait.deadline = call.on.clock.now();
    return call.on.polls.add(std::move(wait));
}

}  // namespace headway::server
