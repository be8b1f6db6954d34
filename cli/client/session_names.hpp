// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cli/client/daemon.hpp"

namespace headway::cli {

/// The id of the session that is most like `id`; "" if no id is similar enough, or if the daemon
/// sends none. Requests one page, the newest sessions.
std::string nearest_session(Daemon& daemon, std::string_view id);

}  // namespace headway::cli
