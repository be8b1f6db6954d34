// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <boost/version.hpp>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/limits.hpp"
#include "core/version.hpp"
#include "server/dispatcher_call.hpp"
#include "storage/sqlite_handle.hpp"

// What the daemon says of itself.

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

std::string version_text() {
    const core::VersionInfo& info = core::version();
    return "{\"version\":\"" + std::string{info.version} + "\",\"git\":\"" + std::string{info.git} +
           "\",\"compiler\":\"" + std::string{info.compiler} + "\",\"sqlite\":\"" +
           std::string{storage::sqlite_version()} + "\",\"boost\":\"" BOOST_LIB_VERSION "\"}";
}

/// Memory in use, as the kernel counts it; 0 where it does not say.
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

}  // namespace

Result<> Dispatcher::version(Call& call) {
    Response response;
    response.body = version_text();
    call.connection.respond(call.to.slot, response);
    return {};
}

/// What this thread knows; the supervisor adds its part.
Result<> Dispatcher::system_report(Call& call) {
    HEADWAY_CHECK(api::Query::parse(call.query(), {}));
    auto report = std::make_shared<api::SystemReport>();
    report->version = version_text();
    report->started_at = started_at_;
    report->rss_bytes = resident_bytes();
    report->mode = access_.mode();
    report->database = database_.string();
    report->database_bytes = file_bytes(database_);
    report->wal_bytes = file_bytes(database_.string() + "-wal");
    std::error_code ec;
    const auto space = std::filesystem::space(database_, ec);
    report->disk_free_bytes = ec ? 0 : space.available;
    report->queue = queue_.size();
    report->queue_max = core::limits::kCommandQueueMax;
    report->streams = streams_.size();
    report->streams_max = core::limits::kStreamsMax;
    report->waiters = waiters_.size() + document_waits_.size();
    report->connections = http_.stats().open;
    report->connections_max = http_.limits().connections_max;
    add_judges(*report);
    if (!ask(call.to, SystemQuery{std::move(report)}, {}, 0)) {
        return Error{ErrorCode::kOverloaded, "too many requests are waiting; try again", {}};
    }
    return {};
}

void Dispatcher::add_judges(api::SystemReport& report) const {
    if (!judge_stats_) return;
    for (const JudgeEndpointStats& judge : judge_stats_().endpoints) {
        api::SystemJudge& shown = report.judges.emplace_back();
        shown.name = judge.name;
        shown.breaker = name_of(judge.breaker);
        shown.in_flight = judge.in_flight;
        shown.waiting = judge.waiting;
        const auto known = std::find_if(judges_.begin(), judges_.end(),
                                        [&](const auto& one) { return one.name == judge.name; });
        if (known == judges_.end()) continue;
        shown.model = known->model;
        shown.role = known->role;
    }
}

}  // namespace headway::server
