// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace headway::api {

/// An error as sent to a client (RFC 9457); API.md lists all errors.
struct ProblemKind {
    int status = 500;
    std::string_view code;
    std::string_view title;
    bool retryable = false;
};

/// Status, code and title for an error code; defined for every `code`. Pure.
ProblemKind problem_kind(core::ErrorCode code) noexcept;

/// The name and the JSON text of a further member of a problem document; or empty.
struct ProblemMember {
    std::string_view name;
    std::string_view json;
};

/// Appends the application/problem+json body. `instance` is the request's path.
void append_problem(std::string& out, const core::Error& error, std::string_view instance,
                    ProblemMember more = {});

}  // namespace headway::api
