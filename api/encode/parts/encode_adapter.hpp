// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hooks/hook_channel.hpp"

namespace headway::api {

class JsonWriter;

/// The hook channel of a session's agent.
struct Adapter {
    core::HookChannel channel;
    core::ChannelState state;
};

/// Writes the member `adapter` of a session's document or row. Writes nothing if `adapter` is null.
/// Changes only `json`.
void write_adapter(JsonWriter& json, const Adapter* adapter);

}  // namespace headway::api
