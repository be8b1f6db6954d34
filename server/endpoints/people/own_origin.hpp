// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace headway::server {

class Call;

/// `http://127.0.0.1:<port>` for a request to `localhost`, else empty. `localhost` could also
/// resolve to ::1, where another process may have the same port; besides, a login is valid for only
/// one origin.
std::string own_origin(const Call& call);

}  // namespace headway::server
