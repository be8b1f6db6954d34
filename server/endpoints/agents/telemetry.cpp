// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/hooks/session_names.hpp"
#include "api/otlp/report.hpp"
#include "core/base/limits.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"
#include "server/http/message/gate.hpp"
#include "server/tokens/session_ids.hpp"

// Telemetry of agents by OTLP over HTTP. An exporter sends the whole export again only after 429
// and 503, so records that cannot be stored are answered as a partial success.

namespace headway::server {
namespace {

namespace otlp = api::otlp;
using core::Result;

/// An agent that only has telemetry says nothing while it thinks or waits for a person.
constexpr core::Millis kTelemetryInterval{core::kHeartbeatIntervalMax};

core::SessionStarted about_of(const otlp::SessionReport& report) {
    core::SessionStarted about;
    about.agent.type = agent_type(report.sub_agent.empty() ? report.agent : report.sub_agent);
    about.agent.name = report.agent;
    about.agent.model = report.model;
    about.labels.push_back({"adapter", std::string{kTelemetryAdapter}});
    if (!report.agent_version.empty())
        about.labels.push_back(
            {"agent_version",
             std::string{core::cut_text(report.agent_version, core::limits::kLabelBytesMax)}});
    about.policy.trust_origin = false;  // no such report has an origin
    about.policy.heartbeat_interval_ms = static_cast<std::uint64_t>(kTelemetryInterval.count());
    return about;
}

Result<TelemetryReport> telemetry_report(const Call& call, otlp::SessionReport&& session_report) {
    TelemetryReport report;
    report.about = about_of(session_report);
    report.opens = session_report.opens;
    report.session = session_report.own_name
                         ? session_report.session
                         : api::hooks::agent_session(session_report.agent, session_report.session);
    if (!api::valid_id(report.session)) {
        return core::Error{core::ErrorCode::kInvalidId,
                           "headway.session is no id of a session: " +
                               std::string{core::cut_text(session_report.session, 64)},
                           "headway.session"};
    }
    HEADWAY_CHECK(require_report(call.caller, report.session));
    if (!session_report.sub_agent.empty()) {
        report.sub_agent = api::hooks::child_session(report.session, session_report.sub_agent);
        HEADWAY_CHECK(require_report(call.caller, report.sub_agent));
    }
    report.events = std::move(session_report.events);
    return report;
}

struct ReadExport {
    std::vector<otlp::SessionReport> sessions;
    TelemetryTaken taken;
    bool empty = false;  ///< without a record
};

/// Any thread.
Result<ReadExport> read_export(api::JsonDocument& document, std::string_view body,
                               otlp::Signal signal, bool protobuf) {
    if (!protobuf) HEADWAY_CHECK(document.parse(body));
    HEADWAY_TRY(const otlp::Export received, protobuf ? otlp::read_protobuf(body, signal)
                                                      : otlp::read_json(document.root(), signal));
    otlp::Reports reports = otlp::report(document, otlp::understand(received, signal));
    ReadExport read;
    read.taken = {signal, protobuf, reports.rejected + received.dropped, std::move(reports.why)};
    if (received.dropped > 0 && reports.rejected == 0)
        read.taken.why = "send at most " + std::to_string(otlp::kRecordsMax) + " records at once";
    read.sessions = std::move(reports.sessions);
    read.empty = received.records == 0;
    return read;
}

Result<> pass_on_export(Call& call, ReadExport&& read) {
    TelemetryCommand command;
    command.taken = std::move(read.taken);
    for (otlp::SessionReport& session : read.sessions) {
        const std::size_t records = session.events.size();
        auto report = telemetry_report(call, std::move(session));
        if (!report && report.error().code != core::ErrorCode::kInvalidId)
            return std::move(report).error();
        if (report) {
            command.reports.push_back(*std::move(report));
        } else {
            if (command.taken.rejected == 0) command.taken.why = report.error().detail;
            command.taken.rejected += records;
        }
    }
    if (!read.empty && read.sessions.empty() && command.taken.why.empty())
        command.taken.why =
            "no record is about a session of an agent: set headway.session, or send "
            "gen_ai.conversation.id or session.id";
    if (command.reports.empty()) {
        call.respond(telemetry_response(command.taken));
        return {};
    }
    return call.write(std::move(command));
}

Result<> take(Call& call, otlp::Signal signal) {
    const bool protobuf = is_media_type(call.request.head.content_type, "application/x-protobuf");
    return call.read_body(
        [signal, protobuf](api::JsonDocument& document, std::string_view body) {
            return read_export(document, body, signal, protobuf);
        },
        pass_on_export);
}

}  // namespace

Result<> endpoints::telemetry_logs(Call& call) {
    return take(call, otlp::Signal::kLogs);
}

Result<> endpoints::telemetry_traces(Call& call) {
    return take(call, otlp::Signal::kTraces);
}

}  // namespace headway::server
