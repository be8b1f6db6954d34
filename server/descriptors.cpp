// SPDX-License-Identifier: Apache-2.0
#include "server/descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "core/limits.hpp"

namespace headway::server {

std::uint32_t connections_that_fit(std::uint32_t wanted) {
    constexpr std::uint64_t kFewest = 16;
    const std::uint64_t needed = wanted + core::limits::kDescriptorsReserved;
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return wanted;
    if (files.rlim_cur < needed) {
        files.rlim_cur = std::min<rlim_t>(needed, files.rlim_max);
        ::setrlimit(RLIMIT_NOFILE, &files);
        ::getrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur >= needed) return wanted;
    const std::uint64_t room = files.rlim_cur > core::limits::kDescriptorsReserved
                                   ? files.rlim_cur - core::limits::kDescriptorsReserved
                                   : 0;
    return static_cast<std::uint32_t>(std::max(room, kFewest));
}

}  // namespace headway::server
