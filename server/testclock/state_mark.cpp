// SPDX-License-Identifier: Apache-2.0
#include "server/testclock/state_mark.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace headway::server::testclock {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "made-by-headway-testclock";

core::Error refused(const fs::path& directory, const std::string& why) {
    return {core::ErrorCode::kInvalidConfig,
            "the state directory " + directory.string() + " is refused: " + why,
            "storage.state_dir"};
}

}  // namespace

core::Result<> claim_state(const fs::path& directory) {
    std::error_code ec;
    fs::create_directories(directory, ec);
    if (ec) return refused(directory, ec.message());
    const fs::path mark = directory / kMark;
    if (fs::is_regular_file(fs::symlink_status(mark, ec))) return {};
    const bool empty = fs::is_empty(directory, ec);
    if (ec) return refused(directory, ec.message());
    if (!empty) {
        return refused(directory,
                       "this test build did not make it, and its clock would spoil the stamps "
                       "in there; name a directory that is empty or does not exist");
    }
    const int file =
        ::open(mark.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return refused(directory, std::generic_category().message(errno));
    ::close(file);
    return {};
}

}  // namespace headway::server::testclock
