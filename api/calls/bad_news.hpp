// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/calls/call_fingerprint.hpp"
#include "core/events/work_payloads.hpp"

namespace headway::api {

/// True for a short answer of a call that ended well and all the same names a failure: an error
/// page, a pod that crashes, a result that is not the expected one. Content of files is no answer
/// of this kind, nor is a member without a value: `"error":null`. Pure.
bool brings_bad_news(const core::CallFingerprint& fingerprint, const core::ToolFinished& call,
                     std::string_view command, std::string_view answer);

}  // namespace headway::api
