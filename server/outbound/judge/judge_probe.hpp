// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/settings/judge_settings.hpp"
#include "core/base/result.hpp"

namespace headway::server {

/// Asks an endpoint one tiny question like the daemon, but without retries and with shorter limits:
/// connect_timeout, and a minute without a byte. Blocks until the answer. Returns which model
/// answered and how fast. Error: kInvalidConfig, with what to check. Any thread.
core::Result<std::string> probe_judge(const config::JudgeSettings& settings,
                                      const std::string& name);

}  // namespace headway::server
