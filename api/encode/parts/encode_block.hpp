// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/json/json_writer.hpp"
#include "core/state/session_state.hpp"
#include "core/values/verdict.hpp"

namespace headway::api {

/// Writes the judgement's `cause` and `retry_at`, each only if it is set. They are set for a
/// session that is blocked, or that failed because of its provider.
inline void write_block(JsonWriter& json, const core::Judgement& judgement) {
    if (judgement.cause != core::Cause::kNone) json.member("cause", judgement.cause);
    if (judgement.retry_at != core::kNever) json.member("retry_at", judgement.retry_at);
}

/// Writes `background`, the names of the tasks that continue after the turn; nothing if there are
/// none.
inline void write_background(JsonWriter& json, const core::SessionState& state) {
    if (!state.background->tasks.empty()) json.member("background", state.background->tasks);
}

}  // namespace headway::api
