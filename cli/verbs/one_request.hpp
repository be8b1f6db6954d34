// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/base/console.hpp"
#include "cli/client/client_options.hpp"
#include "cli/client/http_client.hpp"

// The verbs that are one request each, and print its reply. Those that are safe to repeat are tried
// a few times; a nudge or an extension of a budget, which would count twice, is sent once.

namespace headway::cli {

class Json;

class Daemon;

/// Tries a few times while the daemon may answer later.
HttpReply post_patiently(Daemon& daemon, const std::string& path, const Json& body);

/// Posts, with retries, and prints the advice of the reply. Gives the exit code.
int post_and_print(const ClientOptions& client, const std::string& path, const Json& body,
                   const Console& console);

/// The same without retries.
int send_once(const ClientOptions& client, const std::string& path, const Json& body,
              const Console& console);

/// Adds `by`, the person who runs this, when the environment names one.
void add_by(Json& body, const Console& console);

}  // namespace headway::cli
