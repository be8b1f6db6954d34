// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace headway::server {

struct Call;

/// `http://127.0.0.1:<port>` for who asked `localhost`, else nothing. That name may lead to ::1,
/// where another process can have our port; and a login counts for one origin only.
std::string own_origin(const Call& call);

}  // namespace headway::server
