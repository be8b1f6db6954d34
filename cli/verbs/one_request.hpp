// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/base/console.hpp"
#include "cli/client/client_options.hpp"
#include "cli/client/http_client.hpp"

// Verbs that send one request each and print its reply. Requests that are safe to repeat are
// retried a few times. A repeated nudge or budget extension would take effect twice, so it is sent
// only once.

namespace headway::cli {

class Json;

class Daemon;

/// Posts, and retries a few times if the reply shows that a retry may succeed.
HttpReply post_patiently(Daemon& daemon, const std::string& path, const Json& body);

/// Posts, with retries, and prints the advice of the reply. Returns the exit code.
int post_and_print(const ClientOptions& client, const std::string& path, const Json& body,
                   const Console& console);

/// post_and_print() without retries.
int send_once(const ClientOptions& client, const std::string& path, const Json& body,
              const Console& console);

/// Sets `by` to the person who runs this program, if the environment has the name.
void add_by(Json& body, const Console& console);

}  // namespace headway::cli
