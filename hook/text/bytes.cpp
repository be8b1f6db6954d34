// SPDX-License-Identifier: Apache-2.0
#include "hook/text/bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace headway::hook {
namespace {

constexpr std::size_t kSmallFileBytesMax = 4096;

}  // namespace

Input read_all(int descriptor, std::size_t bytes_max, std::string& bytes) {
    bool too_long = false;
    char piece[65'536];
    for (;;) {
        const ssize_t count = ::read(descriptor, piece, sizeof piece);
        if (count == 0) return too_long ? Input::kTooLong : Input::kWhole;
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return Input::kUnreadable;
        too_long = too_long || bytes.size() + static_cast<std::size_t>(count) > bytes_max;
        if (!too_long) bytes.append(piece, static_cast<std::size_t>(count));
    }
}

void hold_standard_descriptors() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) >= 0) continue;
        // The lowest number is free. Opened for the other direction, so that use fails as before.
        const int wrong_way = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (::open("/dev/null", wrong_way) < 0) return;
    }
}

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

std::string read_small_file(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return {};
    char text[kSmallFileBytesMax];
    const ssize_t count = ::read(file, text, sizeof text);
    ::close(file);
    return count > 0 ? std::string(text, static_cast<std::size_t>(count)) : std::string{};
}

std::string tail_of(const std::string& path, std::size_t bytes_max) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return {};
    std::string tail;
    struct stat about {};
    if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == ::geteuid()) {
        const off_t begin = std::max<off_t>(about.st_size - static_cast<off_t>(bytes_max), 0);
        tail.resize(static_cast<std::size_t>(about.st_size - begin));
        const ssize_t count = ::pread(file, tail.data(), tail.size(), begin);
        tail.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    ::close(file);
    return tail;
}

std::string trimmed_line(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r";
    text = text.substr(0, text.find('\n'));
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == text.npos) return {};
    return std::string{text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1)};
}

bool fits_header(std::string_view text, std::size_t size_max) noexcept {
    return !text.empty() && text.size() <= size_max &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace headway::hook
