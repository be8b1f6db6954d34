// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cli/client/daemon.hpp"

namespace headway::cli {

/// The id of a session that the daemon knows and that is most like `id`, or "" when none is near
/// enough to be meant, or when it is not to be had. Asks for one page of sessions, the newest.
std::string nearest_session(Daemon& daemon, std::string_view id);

}  // namespace headway::cli
