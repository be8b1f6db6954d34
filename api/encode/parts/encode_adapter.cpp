// SPDX-License-Identifier: Apache-2.0
#include "api/encode/parts/encode_adapter.hpp"

#include "api/json/json_writer.hpp"

namespace headway::api {

void write_adapter(JsonWriter& json, const Adapter* adapter) {
    if (adapter == nullptr) return;
    const core::HookChannel& channel = adapter->channel;
    json.key("adapter");
    json.open_object();
    json.member("name", channel.adapter);
    json.key("agent_version");
    if (channel.agent_version.empty()) {
        json.null();
    } else {
        json.value(channel.agent_version);
    }
    json.member("channel", adapter->state.health);
    json.member("last_hook_at", channel.last_hook_at);
    json.key("missing");
    json.open_array();
    for (const std::string_view name : adapter->state.missing)
        json.value(name);
    json.close_array();
    json.close_object();
}

}  // namespace headway::api
