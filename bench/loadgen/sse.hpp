// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/loadgen/options.hpp"
#include "bench/loadgen/report.hpp"

namespace headway::bench {

/// Runs mode kSse: `clients` subscribers of one stream and a publisher whose event holds
/// "hwb={now}". A delivery is that text at one subscriber; its latency counts from the sending of
/// the post. At most `window` events are on their way to the slowest subscriber, or, with a rate,
/// one event is posted when it is due. Throws std::system_error on a lost connection.
Report run_sse(const Options& options);

}  // namespace headway::bench
