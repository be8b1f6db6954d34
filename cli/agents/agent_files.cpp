// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agent_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "cli/agents/settings/settings_text.hpp"
#include "system/file_descriptor.hpp"

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kBackupsMax = 99;
constexpr mode_t kModeBits = 07777;

core::Error file_fault(const fs::path& path, const std::string& why) {
    return {core::ErrorCode::kInvalidParameter, path.string() + ": " + why, {}};
}

core::Error file_fault(const fs::path& path) {
    return file_fault(path, std::generic_category().message(errno));
}

/// The file that a link leads to; itself where it is none or leads nowhere.
core::Result<fs::path> real_path(const fs::path& path) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
    const fs::path real = fs::canonical(path, error);
    if (error) return file_fault(path, "it is a link that leads nowhere");
    return real;
}

core::Result<> write_all(int fd, const std::string& text, const fs::path& path) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t count = ::write(fd, text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return file_fault(path);
        done += static_cast<std::size_t>(count);
    }
    if (::fsync(fd) != 0) return file_fault(path);
    return {};
}

/// A file that root makes in the folder of a user is that user's: an agent could not read it
/// otherwise.
core::Result<> give_to_owner_of(const fs::path& folder, int fd) {
    struct stat owner {};
    if (::geteuid() != 0 || ::stat(folder.empty() ? "." : folder.c_str(), &owner) != 0) return {};
    if (owner.st_uid == 0 || ::fchown(fd, owner.st_uid, owner.st_gid) == 0) return {};
    return file_fault(folder);
}

/// Mode and owner of what it takes the place of.
core::Result<> dress(int fd, const fs::path& like, mode_t mode) {
    struct stat there {};
    const bool replaces = ::stat(like.c_str(), &there) == 0;
    if (replaces) {
        const bool same = there.st_uid == ::geteuid() && there.st_gid == ::getegid();
        if (!same && ::fchown(fd, there.st_uid, there.st_gid) != 0)
            return file_fault(like, "it belongs to another user or group, which a new file cannot");
        mode = there.st_mode & kModeBits;
    } else {
        HEADWAY_CHECK(give_to_owner_of(like.parent_path(), fd));
    }
    if (::fchmod(fd, mode) != 0) return file_fault(like);
    return {};
}

core::Result<> fill_draft(int fd, const fs::path& draft, const fs::path& real,
                          const std::string& text, mode_t mode) {
    HEADWAY_CHECK(dress(fd, real, mode));
    return write_all(fd, text, draft);
}

core::Result<> check_unchanged(const FileChange& change) {
    HEADWAY_TRY(const auto now, read_settings(change.path));
    if (now == change.before) return {};
    return file_fault(change.path, "another program has changed it meanwhile; try again");
}

/// Looks once more right before the change: a slow disk takes long to keep a backup and a draft.
core::Result<> replace_file(const fs::path& real, const FileChange& change) {
    std::string draft =
        (real.parent_path() / ("." + real.filename().string() + ".headway-XXXXXX")).string();
    const system::FileDescriptor file{::mkostemp(draft.data(), O_CLOEXEC)};
    if (!file.open()) return file_fault(real.parent_path());
    auto filled = fill_draft(file.get(), draft, real, *change.after, change.mode);
    if (filled) filled = check_unchanged(change);
    if (!filled || ::rename(draft.c_str(), real.c_str()) != 0) {
        core::Error error = filled ? file_fault(real) : filled.error();
        ::unlink(draft.c_str());
        return error;
    }
    return {};
}

/// Those that are missing, for their owner only.
core::Result<> make_folders(const fs::path& folder) {
    if (folder.empty() || ::access(folder.c_str(), F_OK) == 0) return {};
    HEADWAY_CHECK(make_folders(folder.parent_path()));
    if (::mkdir(folder.c_str(), 0700) != 0)
        return errno == EEXIST ? core::Result<>{} : file_fault(folder);
    const system::FileDescriptor descriptor{
        ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (!descriptor.open()) return file_fault(folder);
    return give_to_owner_of(folder.parent_path(), descriptor.get());
}

fs::path backup_name(const fs::path& path, int number) {
    return path.string() + ".headway-backup" + (number == 0 ? "" : "." + std::to_string(number));
}

core::Result<> keep_backup(const FileChange& change) {
    for (const fs::path& backup : backups_of(change.path)) {
        const auto kept = read_settings(backup);
        if (kept && *kept == change.before) return {};
    }
    for (int number = 0; number <= kBackupsMax; ++number) {
        const fs::path name = backup_name(change.path, number);
        const system::FileDescriptor file{
            ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
        if (!file.open() && errno == EEXIST) continue;
        if (!file.open()) return file_fault(name);
        HEADWAY_CHECK(dress(file.get(), change.path, 0600));
        return write_all(file.get(), *change.before, name);
    }
    return file_fault(change.path, "there are a hundred backups of it; delete some");
}

/// A backup of what stands in the file again is no backup.
void drop_backups(const FileChange& change) {
    for (const fs::path& backup : backups_of(change.path)) {
        const auto kept = read_settings(backup);
        if (kept && *kept == change.after) ::unlink(backup.c_str());
    }
}

}  // namespace

core::Result<std::optional<std::string>> read_settings(const fs::path& path) {
    const system::FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!file.open() && errno == ENOENT) {
        HEADWAY_TRY(const fs::path real, real_path(path));
        return std::optional<std::string>{};
    }
    if (!file.open()) return file_fault(path);
    struct stat there {};
    if (::fstat(file.get(), &there) != 0) return file_fault(path);
    if (!S_ISREG(there.st_mode)) return file_fault(path, "it is no file");
    std::string text;
    char block[65'536];
    while (text.size() <= kSettingsBytesMax) {
        const ssize_t count = ::read(file.get(), block, sizeof block);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return file_fault(path);
        if (count == 0) return std::optional<std::string>{std::move(text)};
        text.append(block, static_cast<std::size_t>(count));
    }
    return file_fault(path, "it has more than 4 MiB");
}

core::Result<> check_no_link(const fs::path& project, const fs::path& path) {
    if (project.empty()) return {};
    fs::path place = project;
    for (const fs::path& part : path.lexically_relative(project)) {
        std::error_code error;
        place /= part;
        if (!fs::is_symlink(fs::symlink_status(place, error))) continue;
        return file_fault(place, "it is a link to " + fs::read_symlink(place, error).string() +
                                     ", which the settings of a project are not written through; "
                                     "replace it with its target, or leave out --project");
    }
    return {};
}

std::string why_not_writable(const fs::path& path) {
    struct stat there {};
    if (::stat(path.c_str(), &there) != 0) return {};
    constexpr mode_t kWritable = 0222;
    const bool read_only = (there.st_mode & kWritable) == 0 || ::access(path.c_str(), W_OK) != 0;
    return read_only ? path.string() + ": it is read-only; `chmod u+w` it if it may be changed"
                     : std::string{};
}

core::Result<> apply_change(const FileChange& change) {
    HEADWAY_CHECK(check_no_link(change.project, change.path));  // it may be one since
    if (const std::string why = why_not_writable(change.path); !why.empty())
        return core::Error{core::ErrorCode::kInvalidParameter, why, {}};
    HEADWAY_CHECK(check_unchanged(change));
    HEADWAY_TRY(const fs::path real, real_path(change.path));
    if (!change.after) {
        if (change.backup) HEADWAY_CHECK(keep_backup(change));
        if (::unlink(change.path.c_str()) != 0) return file_fault(change.path);
        return {};
    }
    HEADWAY_CHECK(make_folders(change.path.parent_path()));
    if (change.before && change.backup) HEADWAY_CHECK(keep_backup(change));
    HEADWAY_CHECK(replace_file(real, change));
    drop_backups(change);
    return {};
}

std::vector<fs::path> backups_of(const fs::path& path) {
    std::vector<fs::path> found;
    for (int number = 0; number <= kBackupsMax; ++number) {
        const fs::path name = backup_name(path, number);
        if (::access(name.c_str(), F_OK) == 0) found.push_back(name);
    }
    return found;
}

}  // namespace headway::cli
