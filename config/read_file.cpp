// SPDX-License-Identifier: Apache-2.0
#include "config/read_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace headway::config {

std::optional<std::string> read_file(const std::filesystem::path& path, std::size_t bytes_max) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
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
