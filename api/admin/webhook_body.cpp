// SPDX-License-Identifier: Apache-2.0
#include "api/admin/webhook_body.hpp"

#include "api/json/json_writer.hpp"
#include "core/approvals/approvals.hpp"
#include "core/base/limits.hpp"

namespace headway::api {
namespace {

namespace limits = core::limits;

/// How much of an event a message holds.
enum class Shown { kWhole, kWithoutArgs, kWithoutData, kName };

void write_data(JsonWriter& json, const core::Event& event, Shown extent) {
    const auto* asked = std::get_if<core::ApprovalRequested>(&event.payload);
    if (asked != nullptr && extent == Shown::kWithoutArgs) {
        core::ApprovalRequested shown = *asked;
        shown.args.text.clear();
        json.value(shown);
    } else {
        std::visit([&json](const auto& data) { json.value(data); }, event.payload);
    }
}

void write_session(JsonWriter& json, const core::SessionState& state) {
    json.member("agent", state.about.agent.type);
    json.member("goal", core::cut_text(state.about.goal.kept, limits::kGoalLineBytesMax));
    json.member("labels", state.about.labels);
    if (!state.about.parent.empty()) json.member("parent", state.about.parent);
    json.member("reason", core::cut_text(state.judgement->reason, limits::kGoalLineBytesMax));
}

std::string body_of(const core::Session& session, const core::Event& event, Shown extent) {
    const core::SessionState& state = session.state();
    std::string body;
    JsonWriter json{body};
    json.open_object();
    json.member("type", core::type_of(event.payload));
    json.member("timestamp", event.at);
    json.key("data");
    json.open_object();
    json.member("session", session.id());
    json.member("n", event.n);
    json.member("verdict", state.judgement->verdict);
    if (std::holds_alternative<core::ApprovalRequested>(event.payload))
        json.member("approval", core::approval_id(session.id(), event.n));
    const auto* alarm = std::get_if<core::ApprovalAlarm>(&event.payload);
    if (alarm != nullptr && !alarm->id.empty()) json.member("approval", alarm->id);
    if (const core::RaisedAlarm* worst = state.approvals.worst_alarm())
        json.member("alarm", worst->kind);
    if (extent != Shown::kName) write_session(json, state);
    if (extent < Shown::kWithoutData) {
        json.key("event");
        write_data(json, event, extent);
    }
    if (extent != Shown::kWhole) json.member("truncated", true);
    json.close_object();
    json.close_object();
    return body;
}

}  // namespace

std::string webhook_body(const core::Session& session, const core::Event& event) {
    for (const Shown extent : {Shown::kWhole, Shown::kWithoutArgs, Shown::kWithoutData}) {
        std::string body = body_of(session, event, extent);
        if (body.size() <= limits::kWebhookBodyBytesMax) return body;
    }
    return body_of(session, event, Shown::kName);  // labels may be long when they are escaped
}

std::string webhook_test_body(std::string_view endpoint, core::Timestamp at) {
    std::string body;
    JsonWriter json{body};
    json.open_object();
    json.member("type", "webhook.test");
    json.member("timestamp", at);
    json.key("data");
    json.open_object();
    json.member("endpoint", endpoint);
    json.member("message", "A test: Headway was asked whether this endpoint can be reached.");
    json.close_object();
    json.close_object();
    return body;
}

}  // namespace headway::api
