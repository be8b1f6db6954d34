// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "api/hooks/dialect.hpp"
#include "tests/support/names.hpp"

namespace headway::tests {

/// A body of a real agent in the folder of its dialect.
struct Fixture {
    const api::hooks::Dialect* dialect = nullptr;
    std::filesystem::path path;
};

inline std::filesystem::path fixture_folder() {
    return std::filesystem::path{HEADWAY_SOURCE_DIR} / "tests/unit/api/hooks/fixtures";
}

inline std::string read_whole(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    std::ostringstream out;
    out << file.rdbuf();
    return std::move(out).str();
}

/// All of them, in the order of their names.
inline std::vector<Fixture> all_fixtures() {
    std::vector<Fixture> out;
    for (const api::hooks::Dialect* dialect : api::hooks::all_dialects()) {
        std::vector<std::filesystem::path> paths;
        for (const auto& entry :
             std::filesystem::directory_iterator{fixture_folder() / dialect->name}) {
            if (entry.path().extension() == ".json") paths.push_back(entry.path());
        }
        std::sort(paths.begin(), paths.end());
        for (auto& path : paths)
            out.push_back({dialect, std::move(path)});
    }
    return out;
}

}  // namespace headway::tests
