// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/judge_settings.hpp"
#include "core/result.hpp"

namespace headway::server {

/// Asks the endpoint of this name one tiny question, in the way the daemon asks, but once and with
/// less patience. Waits for the answer: at most connect_timeout, and a minute without a byte. Who
/// answered and how fast; else kInvalidConfig, with what to look at. Any thread.
core::Result<std::string> probe_judge(const config::JudgeSettings& settings,
                                      const std::string& name);

}  // namespace headway::server
