// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "cli/app.hpp"
#include "server/daemon/app.hpp"
#include "server/testclock/control.hpp"
#include "server/testclock/jumps.hpp"
#include "server/testclock/state_mark.hpp"

// headway-testclock: the daemon on a clock that tests move. Never installed.

namespace {

using namespace headway;

constexpr int kExitMistake = 2;
constexpr const char* kWallVariable = "TESTCLOCK_WALL_AHEAD_MS";
constexpr const char* kAbout =
    "headway-testclock: a test build, never for use; its clock is moved over a socket";

int refuse(const std::string& why) {
    std::fprintf(stderr, "headway-testclock: %s\n", why.c_str());
    return kExitMistake;
}

/// Where the wall clock begins: an earlier process may have moved it, or time passed since.
core::Result<> set_wall_clock(const std::map<std::string, std::string>& environment) {
    const auto found = environment.find(kWallVariable);
    if (found == environment.end()) return {};
    const std::string& text = found->second;
    std::int64_t ahead = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), ahead);
    if (ec != std::errc{} || end != text.data() + text.size()) {
        return core::Error{core::ErrorCode::kInvalidConfig,
                           std::string{kWallVariable} + " is no number of milliseconds",
                           {}};
    }
    server::testclock::jump(server::testclock::Jump::step(core::Millis{ahead}));
    return {};
}

int serve(const config::ServeOptions& options) {
    const auto loaded = config::load(options.sources);
    if (!loaded) return refuse(loaded.error().detail);
    const auto directory =
        config::state_directory(loaded->settings.storage, options.sources.environment);
    if (const auto claimed = server::testclock::claim_state(directory); !claimed)
        return refuse(claimed.error().detail);
    if (const auto set = set_wall_clock(options.sources.environment); !set)
        return refuse(set.error().detail);
    const auto socket = directory / "testclock.sock";
    std::fprintf(stderr, "%s, %s\n", kAbout, socket.c_str());
    return server::serve(options, [&](boost::asio::io_context& io) -> core::Result<server::Guest> {
        auto control = std::make_shared<server::testclock::Control>(io);
        HEADWAY_CHECK(control->open(socket));
        return server::Guest{std::move(control)};
    });
}

}  // namespace

int main(int argc, char** argv) try {
    const std::string_view verb = argc > 1 ? argv[1] : "";
    const bool version = verb == "--version" || verb == "version";
    if (version) {
        std::puts(kAbout);
    } else if (verb != "serve") {
        return refuse("a test build that has `serve` and `version` only; headway has the rest");
    }
    cli::Server parts;
    parts.serve = serve;
    return cli::run(argc, argv, parts);
} catch (const std::exception& e) {
    std::fprintf(stderr, "headway-testclock: %s\n", e.what());
    return 1;
}
