#pragma once

#include <functional>

#include "config/load.hpp"

namespace headway::cli {

/// Runs the daemon; gives the exit code.
using ServeFunction = std::function<int(const config::ServeOptions&)>;

/// Reads the command line and does what it says; gives the exit code of the process. The daemon
/// comes in as a function, because cli may not know the server. Main thread only, before any other
/// thread exists.
int run(int argc, char** argv, const ServeFunction& serve);

}  // namespace headway::cli
