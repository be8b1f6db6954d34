// SPDX-License-Identifier: Apache-2.0
#include "config/values/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace headway::config {
namespace {

bool is_open_already(const std::filesystem::path& path) {
    const std::string_view name = path.native();
    return name == "/dev/stdin" || name.starts_with("/dev/fd/") ||
           name.starts_with("/proc/self/fd/");
}

}  // namespace

int open_to_read(const std::filesystem::path& path, int flags) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags);
    struct stat about {};
    if (fd < 0 || ::fstat(fd, &about) != 0) return fd;
    const bool fits = S_ISREG(about.st_mode) || S_ISDIR(about.st_mode) || is_open_already(path);
    if (fits && ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0) return fd;
    ::close(fd);
    errno = EINVAL;
    return -1;
}

std::optional<std::string> read_file(const std::filesystem::path& path, std::size_t bytes_max) {
    const int fd = open_to_read(path);
    if (fd < 0) return std::nullopt;
    auto text = read_descriptor(fd, bytes_max);
    ::close(fd);
    return text;
}

std::optional<std::string> read_descriptor(int fd, std::size_t bytes_max) {
    constexpr std::size_t kPiece = 16'384;
    std::string text;
    ssize_t got = 1;
    while (got > 0 && text.size() <= bytes_max) {
        const std::size_t size = text.size();
        text.resize(size + kPiece);
        do {
            got = ::read(fd, text.data() + size, kPiece);
        } while (got < 0 && errno == EINTR);
        text.resize(size + static_cast<std::size_t>(got > 0 ? got : 0));
    }
    if (got < 0 || text.size() > bytes_max) return std::nullopt;
    return text;
}

}  // namespace headway::config
