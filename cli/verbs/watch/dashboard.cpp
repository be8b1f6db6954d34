// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/watch/dashboard.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/process/process.hpp"
#include "system/file_descriptor.hpp"
#include "system/subprocess.hpp"

// `headway dashboard`: a link that logs a browser in.

namespace headway::cli {
namespace {

/// Letters of links that mean nothing to HTML.
bool is_plain_link(const std::string& url) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?#[]@!$()*+,;=%";
    return url.starts_with("http") && url.find_first_not_of(kPlain) == std::string::npos;
}

/// The folder for programs that run, which goes with the login; else the one for temporary files.
std::string folder_of_session(const std::map<std::string, std::string>& environment) {
    for (const char* name : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
        const auto found = environment.find(name);
        if (found != environment.end() && found->second.starts_with('/')) return found->second;
    }
    return "/tmp";
}

/// A page that leads to the link, which only its owner may read: every user sees the arguments of a
/// program. Its name, or nothing where it cannot be written.
std::string write_page(const std::string& url,
                       const std::map<std::string, std::string>& environment) {
    std::string name = folder_of_session(environment) + "/headway-dashboard-XXXXXX";
    if (!is_plain_link(url) || ::mkdtemp(name.data()) == nullptr) return {};
    name += "/open.html";
    const system::FileDescriptor file{
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
    const std::string page =
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">"
        "<title>Headway</title><meta http-equiv=\"refresh\" content=\"0; url=" +
        url + "\"><a href=\"" + url + "\">Headway</a>\n";
    const bool written = file.open() && ::write(file.get(), page.data(), page.size()) ==
                                            static_cast<ssize_t>(page.size());
    return written ? name : std::string{};
}

/// Whether the desktop has taken the page.
bool open_in_browser(const std::string& page,
                     const std::map<std::string, std::string>& environment) {
    if (page.empty()) return false;
    const system::Started browser =
        system::start({.argv = {"xdg-open", "file://" + page},
                       .environment = without_own_variables(environment)});
    if (browser.error != 0) return false;
    return system::wait_for_end(browser.pid) == 0;
}

int open_dashboard(const DashboardOptions& options, const Console& console) {
    Daemon daemon(options.client.url, options.client.credential);
    const HttpReply reply = daemon.post_text("/v1/login-codes", {});
    const std::optional<Json> json = body_json(reply);
    const bool usable = reply.ok() && json && (*json)["url"].is_string();
    if (!usable) return explain_failure(console, daemon, reply);
    const std::string url = clean_line(json->text_of("url"));
    if (options.client.json) {
        console.out << dump(*json) << "\n";
    } else {
        console.out << url << "\n";
        console.err << "valid once, for 10 minutes; it gives all rights\n";
    }
    const auto& environment = console.environment;
    if (options.open && !open_in_browser(write_page(url, environment), environment)) {
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
            R"(The link works once, within ten minutes. The login has all rights, and lasts for the time in `access.login_for`.
`headway token rotate-operator` ends all logins. --open passes the link in a file that only you can
read (in $XDG_RUNTIME_DIR, else $TMPDIR or /tmp), not on the command line of the browser.

Examples:
  headway dashboard
  headway dashboard --open)");
        arguments.client(options.client);
        arguments.flag("--open", options.open,
                       "open the link in this desktop's browser (xdg-open)");
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
