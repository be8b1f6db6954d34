// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/calls/call_fingerprint.hpp"
#include "core/events/work_payloads.hpp"

namespace headway::api {

/// True if a call succeeded, but its short answer reports a failure: an error page, a pod that
/// crashes, a result that is not the expected one. False for the content of files, and for a member
/// without a value, such as `"error":null`. Pure.
bool brings_bad_news(const core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                     std::string_view command, std::string_view answer);

}  // namespace headway::api
