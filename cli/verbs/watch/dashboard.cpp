// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/watch/dashboard.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ostream>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"

// `headway dashboard`: a link that logs a browser in.

namespace headway::cli {
namespace {

/// Whether the desktop has taken the link.
bool open_in_browser(const std::string& url) {
    char program[] = "xdg-open";
    std::string address = url;
    char* const argv[] = {program, address.data(), nullptr};
    pid_t pid = -1;
    posix_spawn_file_actions_t files{};  // the connection to the daemon is not for a browser
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    const int error = ::posix_spawnp(&pid, program, &files, nullptr, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) return false;
    int status = 0;
    return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int open_dashboard(const DashboardOptions& options, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    const HttpReply reply = daemon.post_text("/v1/login-codes", {});
    const std::optional<Json> made = body_json(reply);
    const bool usable = reply.ok() && made && (*made)["url"].is_string();
    if (!usable) return explain_failure(console, daemon, reply);
    const std::string url = clean_line(made->text_of("url"));
    if (options.client.json) {
        console.out << dump(*made) << "\n";
    } else {
        console.out << url << "\n";
        console.err << "good once, for 10 minutes; the person who opens it may do everything\n";
    }
    if (options.open && !open_in_browser(url)) {
        return complain(console, kExitFailed,
                        "no browser could be started: open the link yourself");
    }
    return kExitOk;
}

class Dashboard : public VerbOf<DashboardOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Print a link that logs a browser in");
        arguments.footer(
            R"(The link is good once, for ten minutes, and the login for `access.login_for`. The person who has it
may do everything. All logins end with `headway token rotate-operator`.

Examples:
  headway dashboard
  headway dashboard --open)");
        arguments.client(options.client);
        arguments.flag("--open", options.open, "open it in this desktop's browser (xdg-open)");
    }

    int run(const Console& console, const Server&) override {
        return open_dashboard(options, console);
    }
};

}  // namespace

std::unique_ptr<Verb> make_dashboard() {
    return std::make_unique<Dashboard>();
}

}  // namespace headway::cli
