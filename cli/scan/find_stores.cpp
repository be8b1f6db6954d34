// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/find_stores.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/conversations/agent_homes.hpp"

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// Where an agent keeps its sessions.
struct StorePlace {
    const StoreFormat* format;
    const char* sessions;    ///< below the agent's folder
    const char* file_start;  ///< of the names of sessions
};

constexpr StorePlace kPlaces[] = {
    {&kClaudeStore, "projects", ""},
    {&kCodexStore, "sessions", "rollout-"},
    {&kCodexStore, "archived_sessions", "rollout-"},
    {&kCopilotStore, "session-state", "events"},
    {&kGeminiStore, ".gemini/tmp", ""},
    {&kClineStore, "data/sessions", ""},
    {&kKiloStore, "kilo", "kilo.db"},
    {&kOpencodeStore, "opencode", "opencode.db"},
    {&kPiStore, "sessions", ""},
    {&kQwenStore, "projects", ""},
};

/// Deeper than any agent stores; a loop of mounts has no end.
constexpr int kFoldersDeep = 16;

class StoreWalk {
public:
    StoreWalk(const StoreFormat* format, std::string_view file_start, FoundStores& found)
        : format_(format), file_start_(file_start), found_(found) {}

    void take_file(const fs::path& path) {
        struct stat about {};
        if (::lstat(path.c_str(), &about) != 0) {
            skip(path, std::generic_category().message(errno));
        } else if (S_ISLNK(about.st_mode)) {
            skip(path, "is a symbolic link");
        } else if (!S_ISREG(about.st_mode)) {
            skip(path, "is no file");
        } else if (about.st_uid != ::geteuid()) {
            skip(path, "belongs to another user");
        } else {
            const StoreFormat* const named = store_format_named(path.filename().string());
            found_.files.push_back(
                {path, format_ == nullptr ? named : format_,
                 static_cast<std::uint64_t>(about.st_size),
                 about.st_mtim.tv_sec * std::int64_t{1'000'000'000} + about.st_mtim.tv_nsec,
                 static_cast<std::uint64_t>(about.st_ino)});
        }
    }

    void take_folder(const fs::path& folder, int depth = 0) {
        std::error_code error;
        found_.folders.push_back(folder);
        fs::directory_iterator entry(folder, error);
        for (const fs::directory_iterator end; !error && entry != end; entry.increment(error))
            take_entry(*entry, depth);
        if (error) skip(folder, error.message());
    }

private:
    void take_entry(const fs::directory_entry& entry, int depth) {
        std::error_code ignored;
        const fs::path& path = entry.path();
        if (entry.is_symlink(ignored) && entry.is_directory(ignored)) {
            skip(path, "is a symbolic link");
        } else if (entry.is_directory(ignored)) {
            if (depth < kFoldersDeep) return take_folder(path, depth + 1);
            skip(path, "is too deep");
        } else if (is_wanted(path)) {
            take_file(path);
        }
    }

    bool is_wanted(const fs::path& path) const {
        const std::string name = path.filename().string();
        const bool lines = path.extension() == ".jsonl";
        const bool fits = format_ == nullptr || format_->shape == StoreShape::kLines
                              ? lines || (format_ == nullptr && store_format_named(name))
                              : store_format_named(name) == format_;
        return fits && name.starts_with(file_start_);
    }

    void skip(const fs::path& path, const std::string& why) {
        found_.skipped.push_back(path.string() + ": " + why);
    }

    const StoreFormat* format_;
    const std::string_view file_start_;
    FoundStores& found_;
};

void sort_files(FoundStores& found) {
    std::sort(found.files.begin(), found.files.end(),
              [](const StoreFile& a, const StoreFile& b) { return a.path < b.path; });
}

}  // namespace

FoundStores find_stores(const std::map<std::string, std::string>& environment,
                        const std::vector<std::string>& agents) {
    FoundStores found;
    for (const StorePlace& place : kPlaces) {
        if (!agents.empty() &&
            std::find(agents.begin(), agents.end(), place.format->agent) == agents.end())
            continue;
        fs::path folder = agent_folder(place.format->agent, environment);
        if (folder.empty()) continue;
        folder /= place.sessions;
        std::error_code ignored;
        const bool there = fs::is_directory(folder, ignored);
        found.looked.push_back(folder.string() + (there ? "" : " (not there)"));
        if (there) StoreWalk(place.format, place.file_start, found).take_folder(folder);
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
            StoreWalk(nullptr, "", found).take_folder(path);
        } else {
            StoreWalk(nullptr, "", found).take_file(path);
        }
    }
    sort_files(found);
    return found;
}

}  // namespace headway::cli
