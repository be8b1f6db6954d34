// SPDX-License-Identifier: Apache-2.0
#include "storage/files/database_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <system_error>

#include "core/base/assert.hpp"
#include "storage/files/wal.hpp"

namespace headway::storage {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;
using core::Result;

Error failed(const std::string& doing, const std::error_code& ec) {
    const bool full = ec == std::errc::no_space_on_device;
    return {full ? ErrorCode::kStorageFull : ErrorCode::kStorageUnavailable,
            doing + ": " + ec.message(),
            {}};
}

Result<> rename_file(const fs::path& from, const fs::path& to) {
    std::error_code ec;
    fs::rename(from, to, ec);
    if (ec) return failed("cannot rename " + from.string() + " to " + to.string(), ec);
    return {};
}

/// If root works for the daemon's user: gives the file to the owner of its folder.
Result<> give_to_owner(const fs::path& file) {
    struct stat folder {};
    if (::geteuid() != 0 || ::stat(file.parent_path().c_str(), &folder) != 0) return {};
    if (::chown(file.c_str(), folder.st_uid, folder.st_gid) == 0) return {};
    return failed("cannot give " + file.string() + " to the owner of its folder",
                  std::error_code{errno, std::generic_category()});
}

/// Adds a second name for the file; renames it if there are no hard links.
Result<> name_too(const fs::path& file, const fs::path& name) {
    std::error_code ec;
    fs::create_hard_link(file, name, ec);
    if (ec) return rename_file(file, name);
    return {};
}

Result<> copy_one(const fs::path& from, const fs::path& to) {
    std::error_code ec;
    fs::copy_file(from, to, ec);
    if (!ec) fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write, ec);
    if (ec) return failed("cannot copy " + from.string() + " to " + to.string(), ec);
    return {};
}

}  // namespace

Result<> make_private(const fs::path& file) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        ::close(fd);
        return {};
    }
    if (errno == EEXIST)
        return Error{ErrorCode::kFileExists, file.string() + " is there already", {}};
    return Error{ErrorCode::kBackupFailed,
                 "cannot make " + file.string() + ": " + std::generic_category().message(errno),
                 {}};
}

fs::path unused_name(const fs::path& file, const std::string& suffix) {
    std::error_code ec;
    for (int number = 1;; ++number) {
        fs::path name = file.string() + suffix + std::to_string(number);
        if (!fs::exists(name, ec)) return name;
    }
}

Result<> replace_database(const fs::path& target, const fs::path& file, const fs::path& aside) {
    HEADWAY_CHECK(give_to_owner(target));
    std::error_code ec;
    if (fs::exists(file, ec)) HEADWAY_CHECK(name_too(file, aside));
    // Before the new file gets its name: a log would be replayed into any database beside it.
    if (fs::exists(wal::path_of(file), ec))
        HEADWAY_CHECK(rename_file(wal::path_of(file), wal::path_of(aside)));
    return rename_file(target, file);
}

void remove_database(const fs::path& file) {
    std::error_code ec;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"})
        fs::remove(file.string() + suffix, ec);
}

Result<> copy_database(const fs::path& from, const fs::path& to) {
    auto done = copy_one(from, to);
    std::error_code ec;
    if (done && fs::exists(wal::path_of(from), ec))
        done = copy_one(wal::path_of(from), wal::path_of(to));
    if (!done) remove_database(to);
    return done;
}

Result<> lengthen_database(const fs::path& copy) {
    constexpr std::size_t kHeader = 100;
    std::array<unsigned char, kHeader> head{};
    std::ifstream in{copy, std::ios::binary};
    if (!in.read(reinterpret_cast<char*>(head.data()), kHeader)) return {};  // no header to check
    const std::uint64_t stored = (std::uint64_t{head[16]} << 8U) | head[17];
    const std::uint64_t page = stored == 1 ? 65'536 : stored;
    std::uint64_t pages = 0;
    for (std::size_t i = 28; i < 32; ++i)
        pages = (pages << 8U) | head.at(i);
    std::error_code ec;
    const auto bytes = fs::file_size(copy, ec);
    // A damaged number must not make an unbounded file. If a file ends inside a page, the rest of
    // the page is missing too.
    const bool believable = page >= 512 && std::has_single_bit(page) && pages < bytes * 64;
    if (ec || !believable || bytes >= pages * page) return {};
    HEADWAY_ASSERT(pages * page > bytes && page <= 65'536);
    fs::resize_file(copy, pages * page, ec);
    if (!ec) return {};
    return Error{
        ErrorCode::kStorageFull, "cannot lengthen " + copy.string() + ": " + ec.message(), {}};
}

}  // namespace headway::storage
