// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/messages/acp_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "config/values/read_file.hpp"
#include "system/file_descriptor.hpp"

namespace headway::cli {
namespace {

bool is_missing(const std::string& path) {
    struct stat about {};
    return ::lstat(path.c_str(), &about) != 0 && errno == ENOENT;
}

/// To open a pipe or a device would have effects.
bool is_regular(const std::string& path) {
    struct stat about {};
    return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
}

}  // namespace

AcpFile acp_read_file(const std::string& path) {
    AcpFile file;
    if (!path.starts_with('/') || path.find('\0') != path.npos) return file;
    if (!is_regular(path)) {
        file.missing = is_missing(path);
        return file;
    }
    const system::FileDescriptor open{
        ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (!open.open()) return file;
    struct stat about {};
    if (::fstat(open.get(), &about) != 0 || !S_ISREG(about.st_mode)) return file;
    file.text = config::read_descriptor(open.get(), kAcpFileBytesMax);
    return file;
}

}  // namespace headway::cli
