// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/client/http_client.hpp"
#include "cli/keep_going/keep_going_state.hpp"
#include "cli/keep_going/run_record.hpp"
#include "cli/process/proc_tree.hpp"
#include "config/values/read_file.hpp"

// The files of records, and the processes and folders that they name.

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".json";
constexpr off_t kRecordFileMax = 4 * 1024 * 1024;
constexpr int kHoldTries = 100;

core::Error record_fault(const std::string& path) {
    return {core::ErrorCode::kInternal, path + ": " + std::strerror(errno), {}};
}

core::Error not_own(const std::string& path) {
    return {core::ErrorCode::kInternal, path + ": is not this user's alone", {}};
}

std::string runs_folder(const std::string& state_folder) {
    return state_folder + "/runs";
}

std::string record_path(const std::string& state_folder, const std::string& session) {
    return runs_folder(state_folder) + "/" + url_encode(session) + kSuffix;
}

std::string start_path(const std::string& state_folder, const std::string& session) {
    return runs_folder(state_folder) + "/" + url_encode(session) + ".now";
}

/// True if only this user can have made or changed it.
bool is_own_alone(const struct stat& about) {
    return about.st_uid == ::geteuid() && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

core::Result<> check_folder(const std::string& folder) {
    struct stat about {};
    if (::lstat(folder.c_str(), &about) != 0) return record_fault(folder);
    if (!S_ISDIR(about.st_mode) || !is_own_alone(about)) return not_own(folder);
    return {};
}

core::Result<std::string> record_text(const std::string& path) {
    const system::FileDescriptor file(
        ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file.open() && errno == ENOENT)
        return core::Error{
            core::ErrorCode::kUnknownSession, path + ": there is no such record", {}};
    struct stat about {};
    if (!file.open() || ::fstat(file.get(), &about) != 0) return record_fault(path);
    if (!S_ISREG(about.st_mode) || !is_own_alone(about)) return not_own(path);
    if (about.st_size > kRecordFileMax)
        return core::Error{core::ErrorCode::kInvalidField, path + ": is too long", {}};
    std::string text(static_cast<std::size_t>(about.st_size), '\0');
    const ssize_t size = ::pread(file.get(), text.data(), text.size(), 0);
    if (size < 0) return record_fault(path);
    text.resize(static_cast<std::size_t>(size));
    return text;
}

/// The record in this file, which must have the file's name.
core::Result<RunRecord> record_at(const std::string& path) {
    HEADWAY_TRY(const std::string text, record_text(path));
    core::Result<RunRecord> record = read_record(text);
    if (!record) {
        core::Error error = record.error();
        error.detail = path + ": " + error.detail;
        return error;
    }
    if (fs::path(path).filename() != url_encode(record->session) + kSuffix)
        return core::Error{
            core::ErrorCode::kInvalidField, path + ": is the record of another session", {}};
    return record;
}

bool write_whole(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::fsync(file) == 0;
}

void sync_folder_of(const std::string& path) {
    const system::FileDescriptor folder(
        ::open(fs::path(path).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.open()) (void)::fsync(folder.get());
}

/// True if the path still names this file: the one who held it before has removed it else.
bool is_lock_at(const std::string& path, int file) {
    struct stat ours {};
    struct stat there {};
    return ::fstat(file, &ours) == 0 && ::lstat(path.c_str(), &there) == 0 &&
           ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/// It has ended, and only its parent has not noticed.
bool is_zombie(std::int64_t pid) {
    const std::string stat =
        config::read_file("/proc/" + std::to_string(pid) + "/stat").value_or("");
    const std::size_t name_end = stat.rfind(") ");
    return name_end != stat.npos && (stat[name_end + 2] == 'Z' || stat[name_end + 2] == 'X');
}

std::string boot_id() {
    std::string id = config::read_file("/proc/sys/kernel/random/boot_id").value_or("");
    while (id.ends_with('\n'))
        id.pop_back();
    return id;
}

}  // namespace

RecordedFolder recorded_folder(const std::string& path) {
    RecordedFolder folder{path, {}, {}};
    struct stat about {};
    if (path.empty() || ::stat(path.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) return folder;
    const std::string inode = ":" + std::to_string(about.st_ino);
    folder.identity = std::to_string(about.st_dev) + inode;
    struct statvfs disk {};
    if (::statvfs(path.c_str(), &disk) == 0 && disk.f_fsid != 0)
        folder.lasting = std::to_string(disk.f_fsid) + inode;
    return folder;
}

bool is_same_folder(const RecordedFolder& folder, bool same_boot) {
    const RecordedFolder now = recorded_folder(folder.path);
    if (!now.identity.empty() && now.identity == folder.identity) return true;
    return !same_boot && !now.lasting.empty() && now.lasting == folder.lasting;
}

RecordedProcess recorded_process(std::int64_t pid) {
    return {pid, process_began(pid), boot_id()};
}

bool is_of_this_boot(const RecordedProcess& process) {
    return !process.boot.empty() && process.boot == boot_id();
}

bool changed_since_boot(const std::string& path) {
    const std::string stat = config::read_file("/proc/stat").value_or("");
    const std::size_t line = stat.find("\nbtime ");
    struct stat about {};
    if (line == stat.npos || path.empty() || ::stat(path.c_str(), &about) != 0) return false;
    return about.st_mtim.tv_sec > std::atoll(stat.c_str() + line + 7);
}

bool is_running(const RecordedProcess& process) {
    return process.pid > 0 && is_of_this_boot(process) && !process.began.empty() &&
           process_began(process.pid) == process.began && !is_zombie(process.pid);
}

core::Result<RecordFile> RecordFile::hold(const std::string& state_folder,
                                          const std::string& session) {
    make_state_folder(runs_folder(state_folder));
    HEADWAY_CHECK(check_folder(runs_folder(state_folder)));
    RecordFile file;
    file.path_ = record_path(state_folder, session);
    const std::string lock = file.path_ + ".lock";
    for (int tries = 0; tries < kHoldTries; ++tries) {
        system::FileDescriptor held(
            ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!held.open()) return record_fault(lock);
        if (::flock(held.get(), LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK) return record_fault(lock);
            return core::Error{
                core::ErrorCode::kSessionOpen, "another process keeps " + session + " going", {}};
        }
        if (!is_lock_at(lock, held.get())) continue;
        file.lock_ = std::move(held);
        return file;
    }
    errno = EAGAIN;
    return record_fault(lock);
}

core::Result<> RecordFile::write(const RunRecord& record) {
    if (!held()) return {};
    const std::string text = print_record(record);
    if (text == last_) return {};
    // Text that is no UTF-8 would be another command or folder afterwards.
    const core::Result<RunRecord> again = read_record(text);
    if (!again || !(*again == record) || text.size() > static_cast<std::size_t>(kRecordFileMax))
        return core::Error{
            core::ErrorCode::kInternal, path_ + ": the command or a folder cannot be recorded", {}};
    const std::string next = path_ + ".new";
    (void)::unlink(next.c_str());  // of a killed process, or a pipe that would block this one
    const system::FileDescriptor file(
        ::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.open() && write_whole(file.get(), text) &&
        ::rename(next.c_str(), path_.c_str()) == 0) {
        sync_folder_of(path_);
        last_ = text;
        return {};
    }
    core::Error error = record_fault(path_);
    (void)::unlink(next.c_str());
    return error;
}

core::Result<RunRecord> RecordFile::read() const {
    return record_at(path_);
}

void RecordFile::remove() {
    if (!held()) return;
    (void)::unlink(path_.c_str());
    leave();
    sync_folder_of(path_);
}

void RecordFile::leave() {
    if (!held()) return;
    (void)::unlink((path_ + ".lock").c_str());
    lock_.reset();
}

std::vector<FoundRecord> records_in(const std::string& state_folder) {
    const std::string folder = runs_folder(state_folder);
    std::vector<std::string> files;
    std::error_code ec;
    for (fs::directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec)) {
        if (files.size() == kRecordsMost) break;
        if (at->path().extension() == kSuffix) files.push_back(at->path().string());
    }
    std::sort(files.begin(), files.end());
    std::vector<FoundRecord> found;
    const core::Result<> own = files.empty() ? core::Result<>{} : check_folder(folder);
    if (!own) return {{folder, own.error()}};
    found.reserve(files.size());
    for (const std::string& file : files)
        found.push_back({file, record_at(file)});
    return found;
}

std::string record_log(const std::string& state_folder, const std::string& session) {
    return runs_folder(state_folder) + "/" + url_encode(session) + ".log";
}

core::Result<RunRecord> waiting_run(const std::string& state_folder, const std::string& session) {
    for (const FoundRecord& found : records_in(state_folder)) {
        if (!found.record || found.record->phase != RunPhase::kWaiting) continue;
        const RunRecord& run = *found.record;
        const bool named = session == run.session || session == run.generation;
        if (named && is_running(run.run)) return run;
    }
    return core::Error{core::ErrorCode::kUnknownSession,
                       "no run of " + session + " waits; see `headway keep-going status`",
                       {}};
}

core::Result<> ask_to_start(const std::string& state_folder, const RunRecord& run) {
    const std::string path = start_path(state_folder, run.session);
    const system::FileDescriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    return file.open() ? core::Result<>{} : record_fault(path);
}

bool take_start(const std::string& state_folder, const std::string& session) {
    const std::string path = start_path(state_folder, session);
    struct stat about {};
    const bool asked = ::lstat(path.c_str(), &about) == 0 && is_own_alone(about);
    return asked && ::unlink(path.c_str()) == 0;
}

}  // namespace headway::cli
