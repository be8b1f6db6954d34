// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace headway::server {

class Call;

/// The origin to which a request to `localhost` must be redirected, `http://127.0.0.1:<port>`;
/// empty for any other request. `localhost` could also resolve to ::1, where another process may
/// have the same port; besides, a login is valid for only one origin.
std::string own_origin(const Call& call);

}  // namespace headway::server
