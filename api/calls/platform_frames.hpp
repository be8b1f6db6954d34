// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace headway::api {

/// Removes the parts that the agent's platform adds to a canonical answer and that differ from call
/// to call: the id and the usage of a sub-agent, the name of the file to which the platform moved a
/// long output, the id of work that continues in the background, reminders, and the size of a
/// fetched page. Changes only `canonical`. Linear in the text.
void cut_platform_frames(std::string& canonical);

}  // namespace headway::api
