// SPDX-License-Identifier: Apache-2.0
#include "cli/copy_report.hpp"

#include <ostream>

#include "cli/json.hpp"
#include "cli/text.hpp"

namespace headway::cli {

core::Result<std::string> database_of(const config::LoadRequest& sources) {
    HEADWAY_TRY(const config::Loaded loaded, config::load(sources));
    const auto directory = config::state_directory(loaded.settings.storage, sources.environment);
    return (directory / "headway.db").string();
}

Json copy_json(const std::string& file, const CopyReport& report) {
    return {{"file", file},
            {"bytes", report.bytes},
            {"sessions", report.sessions},
            {"events", report.events}};
}

void say_copy(const Console& console, const std::string& verb, const std::string& file,
              std::uint64_t sessions, std::uint64_t events) {
    console.out << verb << " " << clean_line(file) << ": " << sessions << " sessions, " << events
                << " events, checked\n";
}

}  // namespace headway::cli
