// SPDX-License-Identifier: Apache-2.0
#include "server/daemon/ports_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "server/tokens/token_text.hpp"

namespace headway::server {
namespace {

core::Error cannot(const std::filesystem::path& file, const std::string& why) {
    return {core::ErrorCode::kInternal, "cannot write " + file.string() + ": " + why, {}};
}

std::string last_error() {
    return std::generic_category().message(errno);
}

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace

core::Result<> write_ports_file(const std::filesystem::path& file, std::string_view text) {
    struct stat there {};
    const bool exists = ::lstat(file.c_str(), &there) == 0;
    if (exists && !S_ISREG(there.st_mode))
        return cannot(file, "it is no regular file; name another");
    HEADWAY_TRY(const std::string tag, random_letters(12));
    const std::string draft = file.string() + "." + tag;
    const int fd =
        ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0) return cannot(file, last_error());
    bool done = write_all(fd, text);
    std::string why = done ? std::string{} : last_error();
    if (::close(fd) != 0 && done) {
        done = false;
        why = last_error();
    }
    if (done && ::rename(draft.c_str(), file.c_str()) == 0) return {};
    if (done) why = last_error();
    ::unlink(draft.c_str());
    return cannot(file, why);
}

}  // namespace headway::server
