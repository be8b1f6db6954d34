// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.hpp"
#include "core/events/session_payloads.hpp"

namespace headway::api {

/// Checks the ranges of a session's policy, and the other rules that the types of its fields cannot
/// express. Error: kInvalidField, with the path inside the policy. Pure.
core::Result<> check_policy(const core::PolicyOverride& policy);

}  // namespace headway::api
