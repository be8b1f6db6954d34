// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.hpp"
#include "core/events/session_payloads.hpp"

namespace headway::api {

/// What the fields of a session's policy cannot say about themselves. Errors: kInvalidField, with
/// the path inside of the policy. Pure.
core::Result<> check_policy(const core::PolicyOverride& policy);

}  // namespace headway::api
