// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/engine/base/stats.hpp"
#include "server/http/connection/http_server.hpp"
#include "server/outbound/judge/judge_ledger.hpp"

namespace headway::server {

/// The values of /metrics. Labels have bounded sets of values (routes, verdicts, configured judges
/// and webhooks), and never name a session.
struct MetricsInput {
    const HttpStats& http;
    const EngineStats& engine;
    const std::vector<std::uint64_t>&
        routes;  ///< number of requests for each row of the route table
    std::uint64_t refused_access = 0;
    std::uint64_t access_failures = 0;
    std::uint64_t access_paused = 0;
    std::uint64_t failing_addresses = 0;
    std::uint64_t connections_max = 0;
    std::uint64_t held = 0;  ///< bytes of stream frames, which clients share
    std::uint64_t queue = 0;
    std::uint64_t streams = 0;
    std::uint64_t waiters = 0;
    std::uint64_t views = 0;
    std::uint64_t frames_sent = 0;
    std::uint64_t lagged = 0;
    const JudgeStats* judge = nullptr;  ///< null if no judge is configured
};

/// The metrics in the Prometheus text exposition format.
std::string metrics_text(const MetricsInput& input);

}  // namespace headway::server
