// SPDX-License-Identifier: Apache-2.0
#include "cli/process/report_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "system/file_descriptor.hpp"

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kReportMode = 0666;  // what the umask leaves of it

core::Error cannot_write(const std::string& path) {
    const int why = errno;
    return {
        core::ErrorCode::kInvalidParameter, "cannot write " + path + ": " + std::strerror(why), {}};
}

/// A link that lies in a checkout: what it points to would be lost. An open file, as /dev/stdout,
/// is one by its nature.
bool is_link(const std::string& path) {
    struct stat there {};
    const bool named = path.starts_with("/dev/") || path.starts_with("/proc/");
    return !named && ::lstat(path.c_str(), &there) == 0 && S_ISLNK(there.st_mode);
}

core::Error refused_link(const std::string& path) {
    std::error_code none;
    return {core::ErrorCode::kInvalidParameter,
            "cannot write " + path + ": it is a link to " + fs::read_symlink(path, none).string() +
                "; name the file itself",
            {}};
}

/// Where there is no file that a rename could take the place of: a device, a pipe, or a name of
/// what is open already, /dev/stdout, which may be a file that others hold too.
bool is_special(const std::string& path) {
    for (const char* const folder : {"/dev/fd/", "/dev/std", "/proc/"}) {
        if (path.starts_with(folder)) return true;
    }
    struct stat there {};
    return ::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
}

/// Errors of a rename at a place where a file can be written though none can take its place: a file
/// that is mounted, or one in a folder that is not ours.
bool no_rename(int why) {
    return why == EBUSY || why == EACCES || why == EPERM || why == EROFS;
}

bool fill(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// Draft of this process, so that two that write the same report do not write one draft.
std::string draft_of(const std::string& path) {
    return path + ".headway-" + std::to_string(::getpid());
}

system::FileDescriptor open_draft(const std::string& draft) {
    ::unlink(draft.c_str());
    return system::FileDescriptor{
        ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kReportMode)};
}

}  // namespace

ReportFile::ReportFile(std::string path) : path_(std::move(path)) {}

core::Result<> ReportFile::check() const {
    if (is_output()) return {};
    if (is_link(path_)) return refused_link(path_);
    struct stat there {};
    if (::stat(path_.c_str(), &there) == 0 && S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        return cannot_write(path_);
    }
    if (is_special(path_)) {
        // Not opened: who reads a pipe would take that for the whole report.
        if (::access(path_.c_str(), W_OK) != 0) return cannot_write(path_);
        return {};
    }
    const std::string draft = draft_of(path_);
    const system::FileDescriptor file = open_draft(draft);
    if (file.open()) {
        ::unlink(draft.c_str());
        return {};
    }
    const int why = errno;
    core::Error error = cannot_write(path_);
    if (!no_rename(why)) return error;
    // It is there already, or there will be none.
    const system::FileDescriptor place{::open(path_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC)};
    if (!place.open()) return error;
    return {};
}

core::Result<> ReportFile::write(std::string_view text) const {
    if (is_link(path_)) return refused_link(path_);  // since it was looked at
    if (is_output() || is_special(path_)) {
        // At the end: what is in a file behind /dev/stdout was written by others.
        const system::FileDescriptor file{
            is_output() ? ::dup(STDOUT_FILENO)
                        : ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)};
        if (!file.open() || !fill(file.get(), text))
            return cannot_write(is_output() ? "to standard output" : path_);
        return {};
    }
    const std::string draft = draft_of(path_);
    system::FileDescriptor file = open_draft(draft);
    struct stat there {};
    bool done = file.open() && fill(file.get(), text);
    if (done && ::stat(path_.c_str(), &there) == 0)
        done = ::fchmod(file.get(), there.st_mode & 07777U) == 0;
    // With its bytes, also when the machine goes down: a name of an empty file would be a lie.
    if (done) done = ::fsync(file.get()) == 0 && ::rename(draft.c_str(), path_.c_str()) == 0;
    if (done) return {};
    const int why = errno;
    core::Error error = cannot_write(path_);
    ::unlink(draft.c_str());
    if (!no_rename(why)) return error;
    const system::FileDescriptor place{
        ::open(path_.c_str(), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)};
    if (!place.open()) return error;
    if (!fill(place.get(), text) || ::fsync(place.get()) != 0) return cannot_write(path_);
    return {};
}

}  // namespace headway::cli
