// SPDX-License-Identifier: Apache-2.0
#include "cli/app.hpp"
#include "cli/line/verb.hpp"
#include "config/load/load.hpp"

// `headway serve`: the daemon, which `Server` brings along.

namespace headway::cli {
namespace {

class Serve : public VerbOf<config::ServeOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Run the daemon");
        arguments.footer(
            R"(SIGTERM and Ctrl-C stop the daemon when the requests in progress are done; SIGHUP reloads the
settings.

Exit codes:
  0    stopped by a signal
  1    could not start, or failed
  2    a mistake in the settings
  64   usage

Examples:
  headway serve
  headway serve --listen 127.0.0.1:0 --ports-file ./ports.json --state-dir ./state
  headway serve --set log.level=debug --set policy.profile=strict
  headway config default > headway.toml              every setting with its explanation)");
        const auto set_ports_file = [this](const std::string& path) {
            options.ports_file = path;
            return std::string{};
        };
        arguments
            .option("--ports-file", set_ports_file,
                    "write the bound addresses into this file as JSON, once ready")
            .type("FILE");
        arguments.daemon_settings(options.sources);
    }

    int run(const Console&, const Server& server) override { return server.serve(options); }
};

}  // namespace

std::unique_ptr<Verb> make_serve() {
    return std::make_unique<Serve>();
}

}  // namespace headway::cli
