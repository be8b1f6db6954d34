#pragma once

#include <filesystem>
#include <string>

#include "cli/daemon.hpp"

// What `headway doctor` looks at, one function each.

namespace headway::cli {

/// One line of the doctor.
struct Finding {
    std::string about;
    bool ok = true;
    std::string detail;
    std::string fix;  ///< when it is not ok: what to do
};

/// One that is not there yet is fine, here and below: the first start makes it.
Finding check_state_directory(const std::filesystem::path& directory);

/// Reads the header only, so it may be in use. `schema_version` is what this build writes.
Finding check_database(const std::filesystem::path& file, int schema_version);

/// The operator's token may be read by its owner only.
Finding check_operator_file(const std::filesystem::path& file);

/// Asks a daemon whether it is ready.
Finding check_daemon(Daemon& daemon);

/// "ok     daemon            ready at http://..." without what a terminal would obey. Pure.
std::string finding_line(const Finding& finding);

}  // namespace headway::cli
