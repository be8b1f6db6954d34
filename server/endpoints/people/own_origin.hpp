// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace headway::server {

class Call;

/// `http://127.0.0.1:<port>` for a request to `localhost`, else empty. The name could also resolve
/// to ::1, where another process can have the same port; besides, a login is valid for one origin
/// only.
std::string own_origin(const Call& call);

}  // namespace headway::server
