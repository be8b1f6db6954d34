#pragma once

#include <functional>
#include <string>

#include "config/load.hpp"
#include "core/result.hpp"

namespace headway::cli {

/// The parts of the daemon that verbs need. They come in as values, because cli may not know the
/// server.
struct Server {
    /// Runs the daemon; gives the exit code.
    std::function<int(const config::ServeOptions&)> serve;
    /// Asks the endpoint of this name one tiny question: how it went, else what is wrong and what
    /// to do. Waits for the answer.
    std::function<core::Result<std::string>(const config::JudgeSettings&, const std::string& name)>
        probe_judge;
    int schema_version = 0;  ///< of the databases it writes
};

/// Reads the command line and does what it says; gives the exit code of the process. Main thread
/// only, before any other thread exists.
int run(int argc, char** argv, const Server& server);

}  // namespace headway::cli
