// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agent_finder.hpp"

#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "cli/agents/agent_files.hpp"
#include "cli/agents/talk.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kVersionPatience{3'000};
constexpr int kPackageLevels = 4;  // PACKAGE/dist/bin/cli.js

bool is_program(const fs::path& path) {
    std::error_code none;
    return fs::is_regular_file(path, none) && ::access(path.c_str(), X_OK) == 0;
}

/// Version in package.json in a folder above a program, when it is one of these packages.
std::string version_beside(const AgentRow& row, const fs::path& program) {
    std::error_code error;
    fs::path folder = fs::canonical(program, error).parent_path();
    for (int level = 0; level < kPackageLevels && !error && folder.has_relative_path(); ++level) {
        const auto text = read_settings(folder / "package.json");
        if (text && *text) {
            const Json package = Json::parse(**text).value_or(Json());
            const bool known = std::find(row.packages.begin(), row.packages.end(),
                                         package.text_of("name")) != row.packages.end();
            return known ? version_in(package.text_of("version")) : std::string{};
        }
        folder = folder.parent_path();
    }
    return {};
}

/// The name is short enough to be that of other programs, too.
bool may_be_another(const AgentRow& row, const Environment& environment) {
    std::error_code none;
    return row.name == "pi" &&
           !fs::exists(fs::path{variable_of(environment, "HOME")} / ".pi", none);
}

}  // namespace

std::string variable_of(const Environment& environment, const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string{} : found->second;
}

std::optional<fs::path> find_program(std::string_view name, const Environment& environment) {
    for (const std::string& folder : split(variable_of(environment, "PATH"), ':')) {
        const fs::path path = fs::path{folder} / name;
        if (path.is_absolute() && is_program(path)) return path;
    }
    return {};
}

FoundAgent find_agent(const AgentRow& row, const Environment& environment) {
    FoundAgent found;
    for (const std::string_view name : row.programs) {
        const auto program = find_program(name, environment);
        if (!program) continue;
        found.version = version_beside(row, *program);
        if (found.version.empty() && may_be_another(row, environment)) continue;
        found.program = *program;
        if (found.version.empty()) {
            const CommandOutput answer =
                ask_command({program->string(), "--version"}, environment, {}, kVersionPatience);
            found.version = version_in(answer.out);
        }
        break;
    }
    return found;
}

fs::path own_program() {
    std::error_code none;
    return fs::read_symlink("/proc/self/exe", none);
}

std::optional<fs::path> find_hook_program(const Environment& environment) {
    const fs::path beside = own_program().parent_path() / "headway-hook";
    if (is_program(beside)) return beside;
    return find_program("headway-hook", environment);
}

}  // namespace headway::cli
