// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "api/otlp/export.hpp"

namespace headway::api::otlp {

/// How an export was taken.
struct Taken {
    Signal signal = Signal::kLogs;
    bool protobuf = false;     ///< how the exporter reads the answer
    std::size_t rejected = 0;  ///< records; sending them again does not help
    std::string why = {};      ///< of the first of them, or a warning; or empty
};

/// Appends the answer: with a `partialSuccess` if there is something to say.
void append_taken(std::string& out, const Taken& taken);

}  // namespace headway::api::otlp
