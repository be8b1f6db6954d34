// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cli/client/daemon.hpp"

namespace headway::cli {

/// The id of the session that is most similar to `id`, among the newest sessions (one page of the
/// list). Empty if no id is similar enough, or if the list cannot be read. Sends a request.
std::string nearest_session(Daemon& daemon, std::string_view id);

}  // namespace headway::cli
