// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "bench/loadgen/histogram.hpp"

namespace headway::bench {

/// Results of one run. In mode kSse a request is a delivery to one subscriber.
struct Report {
    Histogram latency;                 ///< of the requests that were answered in the measured time
    double seconds = 0;                ///< measured
    std::uint64_t requests = 0;        ///< answered in the measured time
    std::uint64_t events = 0;          ///< events in these requests
    std::uint64_t total_requests = 0;  ///< with warm-up and what was in flight at the end
    std::uint64_t total_events = 0;
    std::map<int, std::uint64_t> bad_status;  ///< other than 2xx, with warm-up
    std::string first_bad;                    ///< the first such reply
    std::uint64_t published = 0;              ///< kSse: events posted in the measured time
};

}  // namespace headway::bench
