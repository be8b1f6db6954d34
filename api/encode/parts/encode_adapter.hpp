// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hooks/hook_channel.hpp"

namespace headway::api {

class JsonWriter;

/// How the hooks of a session's agent arrive.
struct Adapter {
    core::HookChannel channel;
    core::ChannelState state;
};

/// The member `adapter` of a session, in documents and rows; nothing for null. Pure.
void write_adapter(JsonWriter& json, const Adapter* adapter);

}  // namespace headway::api
