// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "api/otlp/export.hpp"

namespace headway::api::otlp {

/// How much of an export was accepted.
struct Taken {
    Signal signal = Signal::kLogs;
    bool protobuf = false;     ///< reply in protobuf; else in JSON
    std::size_t rejected = 0;  ///< number of rejected records; a retry does not help
    std::string why = {};      ///< reason for the first rejection, or a warning; or empty
};

/// Appends the reply, with a `partialSuccess` if `why` is not empty.
void append_taken(std::string& out, const Taken& taken);

}  // namespace headway::api::otlp
