// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.hpp"
#include "core/events/session_payloads.hpp"

namespace headway::api {

/// Checks that the values of a session's policy are in range, and all other rules that the types of
/// the fields cannot express. Error: kInvalidField, with the path inside the policy. Pure.
core::Result<> check_policy(const core::PolicyOverride& policy);

}  // namespace headway::api
