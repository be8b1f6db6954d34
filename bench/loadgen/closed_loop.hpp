// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/loadgen/options.hpp"
#include "bench/loadgen/report.hpp"

namespace headway::bench {

/// Runs modes kHttp and kRedis: every connection sends its next request when the reply is there,
/// or, with a rate, a request is sent when it is due and its latency counts from then. Throws
/// std::system_error on a lost connection.
Report run_load(const Options& options);

}  // namespace headway::bench
