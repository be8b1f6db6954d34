// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <boost/version.hpp>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/base/limits.hpp"
#include "core/base/version.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"
#include "server/metrics/metrics.hpp"
#include "storage/sql/sqlite_handle.hpp"

// State of the daemon itself.

namespace headway::server {
namespace {

using core::Result;

std::string version_text() {
    const core::VersionInfo& info = core::version();
    return "{\"version\":\"" + std::string{info.version} + "\",\"git\":\"" + std::string{info.git} +
           "\",\"compiler\":\"" + std::string{info.compiler} + "\",\"sqlite\":\"" +
           std::string{storage::sqlite_version()} + "\",\"boost\":\"" BOOST_LIB_VERSION "\"}";
}

/// Resident memory by the kernel; 0 if unknown.
std::uint64_t resident_bytes() {
    std::ifstream statm{"/proc/self/statm"};
    std::uint64_t all = 0;
    std::uint64_t resident = 0;
    statm >> all >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t file_bytes(const std::filesystem::path& file) {
    std::error_code ec;
    const auto bytes = std::filesystem::file_size(file, ec);
    return ec ? 0 : bytes;
}

std::string_view name_of(BreakerState state) {
    if (state == BreakerState::kClosed) return "closed";
    return state == BreakerState::kHalfOpen ? "half_open" : "open";
}

void add_judges(const DaemonState& state, api::SystemReport& report) {
    if (!state.judge_stats) return;
    for (const JudgeEndpointStats& judge : state.judge_stats().endpoints) {
        api::SystemJudge& shown = report.judges.emplace_back();
        shown.name = judge.name;
        shown.breaker = name_of(judge.breaker);
        shown.in_flight = judge.in_flight;
        shown.waiting = judge.waiting;
        const auto known = std::find_if(state.judges.begin(), state.judges.end(),
                                        [&](const auto& one) { return one.name == judge.name; });
        if (known == state.judges.end()) continue;
        shown.model = known->model;
        shown.role = known->role;
    }
}

}  // namespace

Result<> endpoints::version(Call& call) {
    Response response;
    response.body = version_text();
    call.respond(response);
    return {};
}

/// This thread's part of the report; the engine adds its own.
Result<> endpoints::system_report(Call& call) {
    const DaemonState& state = call.on.state;
    auto report = std::make_shared<api::SystemReport>();
    report->version = version_text();
    report->started_at = state.started_at;
    report->rss_bytes = resident_bytes();
    report->mode = call.on.access.mode();
    report->url = call.on.http.url();
    report->database = state.database.string();
    report->database_bytes = file_bytes(state.database);
    report->wal_bytes = file_bytes(state.database.string() + "-wal");
    std::error_code ec;
    const auto space = std::filesystem::space(state.database, ec);
    report->disk_free_bytes = ec ? 0 : space.available;
    report->queue = call.on.intake.size();
    report->queue_max = core::limits::kCommandQueueMax;
    report->streams = call.on.streams.size();
    report->streams_max = core::limits::kStreamsMax;
    report->waiters = call.on.polls.size();
    report->connections = call.on.http.stats().open;
    report->connections_max = call.on.http.limits().connections_max;
    add_judges(state, *report);
    return call.read(SystemQuery{std::move(report)});
}

Result<> endpoints::readyz(Call& call) {
    const api::Query& query = call.query;
    const DaemonState& state = call.on.state;
    const bool room = call.on.intake.has_room();
    const bool disk = !state.engine.short_of_space;
    const bool current = !state.engine.outdated;
    const bool ready = state.engine.writable && disk && !state.draining && room && current;
    Response response;
    response.status = ready ? 200 : 503;
    if (!ready) response.headers = "Retry-After: 1\r\n";
    response.body = std::string{"{\"status\":\""} + (ready ? "ready" : "not ready") + "\"";
    if (query.find("verbose") != nullptr) {
        const auto check = [](bool good) { return good ? "\"ok\"" : "\"failed\""; };
        response.body += std::string{",\"checks\":{\"writer\":"} + check(state.engine.writable) +
                         ",\"disk\":" + check(disk) + ",\"draining\":" + check(!state.draining) +
                         ",\"queue\":" + check(room) + ",\"version\":" + check(current) + "}";
    }
    response.body += "}";
    call.respond(response);
    return {};
}

Result<> endpoints::metrics(Call& call) {
    const DaemonState& state = call.on.state;
    MetricsInput input{call.on.http.stats(), state.engine, state.requests};
    input.held = call.on.streams.held();
    input.refused_access = call.on.access.refused();
    input.access_failures = call.on.access.failures();
    input.access_paused = call.on.access.paused();
    input.failing_addresses = call.on.access.failing_addresses();
    input.connections_max = call.on.http.connections_max();
    input.queue = call.on.intake.size();
    input.streams = call.on.streams.size();
    input.waiters = call.on.polls.sessions();
    input.views = call.on.views.size();
    input.frames_sent = call.on.streams.frames_sent();
    input.lagged = call.on.streams.lagged();
    JudgeStats judge;
    if (state.judge_stats) {
        judge = state.judge_stats();
        input.judge = &judge;
    }
    Response response;
    response.content_type = "text/plain; version=0.0.4";
    response.body = metrics_text(input);
    call.respond(response);
    return {};
}

Result<> endpoints::livez(Call& call) {
    Response alive;
    alive.body = R"({"status":"ok"})";
    call.respond(alive);
    return {};
}

}  // namespace headway::server
