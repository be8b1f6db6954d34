// SPDX-License-Identifier: Apache-2.0
#include "server/process/descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "core/base/limits.hpp"

namespace headway::server {

namespace {

constexpr std::uint64_t kFewest = 16;
constexpr std::uint64_t kOfAgents =
    core::limits::kPassedDescriptorsMax + core::limits::kAgentProcessesMax;

/// Descriptors that a soft limit leaves to clients.
std::uint64_t room_in(const rlimit& files) {
    const std::uint64_t limit = files.rlim_cur;
    return limit - std::min(limit, core::limits::kDescriptorsReserved);
}

}  // namespace

std::uint32_t connections_that_fit(std::uint32_t wanted) {
    const std::uint64_t passed = kOfAgents;
    const std::uint64_t needed = wanted + passed + core::limits::kDescriptorsReserved;
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return wanted;
    if (files.rlim_cur < needed) {
        files.rlim_cur = std::min<rlim_t>(needed, files.rlim_max);
        ::setrlimit(RLIMIT_NOFILE, &files);
        ::getrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur >= needed) return wanted;
    const std::uint64_t room = room_in(files);
    const std::uint64_t left = room - std::min(room / 8, passed);
    return static_cast<std::uint32_t>(std::max(std::min<std::uint64_t>(left, wanted), kFewest));
}

std::uint32_t passed_descriptors_that_fit(std::uint32_t connections) {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return 0;
    const std::uint64_t room = room_in(files);
    const std::uint64_t left = room - std::min<std::uint64_t>(room, connections);
    const std::uint64_t share = std::min(left, kOfAgents);
    return static_cast<std::uint32_t>(share * core::limits::kPassedDescriptorsMax / kOfAgents);
}

std::uint32_t agent_processes_that_fit(std::uint32_t connections) {
    constexpr std::uint64_t kEach = core::limits::kAgentProcessesMax;
    return static_cast<std::uint32_t>(passed_descriptors_that_fit(connections) * kEach /
                                      core::limits::kPassedDescriptorsMax);
}

}  // namespace headway::server
