// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.hpp"
#include "core/events/session_payloads.hpp"

namespace headway::api {

/// Rules of a session's policy that its single fields cannot express. Errors: kInvalidField, with
/// the path inside of the policy. Pure.
core::Result<> check_policy(const core::PolicyOverride& policy);

}  // namespace headway::api
