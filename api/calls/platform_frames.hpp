// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace headway::api {

/// Cuts from a canonical answer what the agent's platform adds to it, and makes up for each call:
/// the id and the usage of a sub-agent, the file where a long output is kept, the id of work that
/// was left to run, reminders, and how many bytes a page had. Linear in the text.
void cut_platform_frames(std::string& canonical);

}  // namespace headway::api
