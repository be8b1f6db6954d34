// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.hpp"
#include "core/events/session_payloads.hpp"

namespace headway::api {

/// Checks ranges and other rules of a session's policy that its fields' types cannot express.
/// Error: kInvalidField, with the path inside the policy. Pure.
core::Result<> check_policy(const core::PolicyOverride& policy);

}  // namespace headway::api
