// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/settings/judge_settings.hpp"
#include "core/base/result.hpp"

namespace headway::server {

/// Sends an endpoint one tiny question, as the daemon would, but without retries and with shorter
/// time limits: connect_timeout, and a minute without a byte. Blocks until the answer has come.
/// Returns a text that names the model that answered and its speed. Error: kInvalidConfig, with a
/// hint on what to check. Any thread.
core::Result<std::string> probe_judge(const config::JudgeSettings& settings,
                                      const std::string& name);

}  // namespace headway::server
