// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/views/session_view.hpp"

// How much sessions usually use, for people. Pure.

namespace headway::cli {

class Json;

/// The reply of `GET /v1/analytics/expectations`: a line for each agent type, and for each tool if
/// the reply lists tools.
std::string expectations_text(const Json& reply, std::size_t width);

/// The expectation for a call in flight: "usually 2.0s, p95 40.0s" or, if the call already takes
/// longer than the p95, "p95 of bash here is 40.0s, this one is at 3m00s". Empty if too little is
/// known.
std::string expected_of_call(const Json& call, WallTime now);

}  // namespace headway::cli
