// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <istream>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>
#include <system_error>

#include "config/values/read_file.hpp"
#include "system/file_descriptor.hpp"

namespace headway::cli {

/// A stream on a file that a person named, or that is in a folder that a person named. Unlike
/// std::ifstream, it never waits for a writer and accepts no device (config::open_to_read). Its
/// beginning can be examined before reading, even that of a pipe opened by a shell.
class FileStream : public std::istream {
public:
    /// `flags`: further flags for open(2), such as O_NOFOLLOW to refuse a symbolic link. A file
    /// that cannot be opened gives a failed stream, with the reason in why().
    explicit FileStream(const std::string& path, int flags = 0)
        : std::istream(nullptr), buffer_(config::open_to_read(path, flags)) {
        if (!buffer_.file.open()) {
            why_ = errno == EINVAL  ? "is no file"
                   : errno == ELOOP ? "is a symbolic link"
                                    : "cannot be read: " + std::generic_category().message(errno);
        } else if (::fstat(buffer_.file.get(), &about_) != 0 || S_ISDIR(about_.st_mode)) {
            why_ = "is a folder";
        }
        rdbuf(&buffer_);
        if (!why_.empty()) setstate(std::ios::failbit);
    }

    /// Why the file could not be opened, in words; empty: it was opened.
    const std::string& why() const { return why_; }
    /// Attributes of the open file.
    const struct stat& about() const { return about_; }
    /// The first bytes, which the next reads return again. Only before the first read.
    std::string_view beginning() { return buffer_.beginning(); }
    /// Skips the first `bytes`. Only before the first read, and not for a pipe.
    void skip(std::uint64_t bytes) {
        if (::lseek(buffer_.file.get(), static_cast<off_t>(bytes), SEEK_SET) < 0)
            setstate(std::ios::failbit);
    }

private:
    class Buffer : public std::streambuf {
    public:
        explicit Buffer(int number) : file(number) {}

        std::string_view beginning() {
            bool more = held_ != nullptr || fill(nullptr);
            while (more && egptr() < held_.get() + kBytes)
                more = fill(egptr());
            return {gptr(), static_cast<std::size_t>(egptr() - gptr())};
        }

        system::FileDescriptor file;

    protected:
        int_type underflow() override {
            return fill(held_.get()) ? traits_type::to_int_type(*gptr()) : traits_type::eof();
        }

        /// Takes the held bytes first, then reads the file directly.
        std::streamsize xsgetn(char* to, std::streamsize count) override {
            std::streamsize got = std::min<std::streamsize>(count, egptr() - gptr());
            std::char_traits<char>::copy(to, gptr(), static_cast<std::size_t>(got));
            gbump(static_cast<int>(got));
            while (got < count) {
                const ssize_t read = read_some(to + got, static_cast<std::size_t>(count - got));
                if (read <= 0) break;
                got += read;
            }
            return got;
        }

    private:
        static constexpr std::size_t kBytes = std::size_t{256} << 10;

        /// Reads more after `end`, the end of the held bytes.
        bool fill(char* end) {
            if (held_ == nullptr) {
                held_ = std::make_unique_for_overwrite<char[]>(kBytes);
                end = held_.get();
            }
            const auto room = static_cast<std::size_t>(held_.get() + kBytes - end);
            const ssize_t read = read_some(end, room);
            if (read > 0) setg(held_.get(), held_.get(), end + read);
            return read > 0;
        }

        ssize_t read_some(char* to, std::size_t count) const {
            ssize_t got = -1;
            do {
                got = ::read(file.get(), to, count);
            } while (got < 0 && errno == EINTR);
            // As in the standard library's streams, bad() distinguishes an error from the end.
            if (got < 0) throw std::system_error(errno, std::generic_category());
            return got;
        }

        std::unique_ptr<char[]> held_;
    };

    Buffer buffer_;
    struct stat about_ {};
    std::string why_;
};

}  // namespace headway::cli
