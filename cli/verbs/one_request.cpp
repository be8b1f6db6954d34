// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/one_request.hpp"

#include <ostream>
#include <thread>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/client/daemon.hpp"
#include "cli/views/session_view.hpp"

namespace headway::cli {

namespace {

constexpr int kTries = 4;

int print_advice(const ClientOptions& client, const Daemon& daemon, const HttpReply& reply,
                 const Console& console) {
    const std::optional<Json> advice = body_json(reply);
    if (!reply.ok() || !advice) return explain_failure(console, daemon, reply);
    console.out << (client.json ? dump(*advice) + "\n" : advice_text(*advice));
    return kExitOk;
}

}  // namespace

HttpReply post_patiently(Daemon& daemon, const std::string& path, const Json& body) {
    Backoff backoff;
    HttpReply reply = daemon.post(path, body);
    for (int attempt = 1; attempt < kTries && worth_retrying(reply); ++attempt) {
        std::this_thread::sleep_for(backoff.next());
        reply = daemon.post(path, body);
    }
    return reply;
}

int post_and_print(const ClientOptions& client, const std::string& path, const Json& body,
                   const Console& console) {
    Daemon daemon(client.url, client.credential);
    return print_advice(client, daemon, post_patiently(daemon, path, body), console);
}

int send_once(const ClientOptions& client, const std::string& path, const Json& body,
              const Console& console) {
    Daemon daemon(client.url, client.credential);
    return print_advice(client, daemon, daemon.post(path, body), console);
}

void add_by(Json& body, const Console& console) {
    const auto user = console.environment.find("USER");
    if (user != console.environment.end()) body["by"] = user->second;
}

}  // namespace headway::cli
