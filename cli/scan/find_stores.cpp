// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/find_stores.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// Where an agent keeps its sessions.
struct StorePlace {
    const StoreFormat* format;
    const char* variable;    ///< environment variable of its folder; empty: none is known
    const char* home;        ///< its folder below the home folder
    const char* sessions;    ///< below its folder
    const char* file_start;  ///< of the names of sessions
};

constexpr StorePlace kPlaces[] = {
    {&kClaudeStore, "CLAUDE_CONFIG_DIR", ".claude", "projects", ""},
    {&kCodexStore, "CODEX_HOME", ".codex", "sessions", "rollout-"},
    {&kCodexStore, "CODEX_HOME", ".codex", "archived_sessions", "rollout-"},
    {&kCopilotStore, "", ".copilot", "session-state", "events"},
    {&kGeminiStore, "", ".gemini", "tmp", ""},
    {&kPiStore, "", ".pi/agent", "sessions", ""},
    {&kQwenStore, "", ".qwen", "projects", ""},
};

std::string value_of(const std::map<std::string, std::string>& environment, const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string{} : found->second;
}

void take_file(const fs::path& path, const StoreFormat* format, FoundStores& found) {
    struct stat about {};
    if (::lstat(path.c_str(), &about) != 0) {
        found.skipped.push_back(path.string() + ": " + std::generic_category().message(errno));
    } else if (S_ISLNK(about.st_mode)) {
        found.skipped.push_back(path.string() + ": is a symbolic link");
    } else if (!S_ISREG(about.st_mode)) {
        found.skipped.push_back(path.string() + ": is no file");
    } else if (about.st_uid != ::geteuid()) {
        found.skipped.push_back(path.string() + ": belongs to another user");
    } else {
        found.files.push_back({path, format, static_cast<std::uint64_t>(about.st_size),
                               static_cast<double>(about.st_mtime)});
    }
}

void take_folder(const fs::path& folder, const StoreFormat* format, std::string_view file_start,
                 FoundStores& found) {
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                           error);
    for (const fs::recursive_directory_iterator end; !error && entry != end;
         entry.increment(error)) {
        std::error_code ignored;
        const fs::path& path = entry->path();
        if (entry->is_directory(ignored) || path.extension() != ".jsonl") continue;
        if (!path.filename().string().starts_with(file_start)) continue;
        take_file(path, format, found);
    }
    if (error) found.skipped.push_back(folder.string() + ": " + error.message());
}

void sort_files(FoundStores& found) {
    std::sort(found.files.begin(), found.files.end(),
              [](const StoreFile& a, const StoreFile& b) { return a.path < b.path; });
}

}  // namespace

FoundStores find_stores(const std::map<std::string, std::string>& environment) {
    FoundStores found;
    const std::string home = value_of(environment, "HOME");
    for (const StorePlace& place : kPlaces) {
        fs::path folder = value_of(environment, place.variable);
        if (folder.empty() && home.empty()) continue;
        if (folder.empty()) folder = fs::path(home) / place.home;
        folder /= place.sessions;
        std::error_code ignored;
        const bool there = fs::is_directory(folder, ignored);
        found.looked.push_back(folder.string() + (there ? "" : " (not there)"));
        if (there) take_folder(folder, place.format, place.file_start, found);
    }
    sort_files(found);
    return found;
}

FoundStores find_stores(const std::vector<std::string>& paths) {
    FoundStores found;
    for (const std::string& path : paths) {
        std::error_code ignored;
        found.looked.push_back(path);
        if (fs::is_directory(path, ignored)) {
            take_folder(path, nullptr, "", found);
        } else {
            take_file(path, nullptr, found);
        }
    }
    sort_files(found);
    return found;
}

}  // namespace headway::cli
