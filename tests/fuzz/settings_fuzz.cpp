// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "config/load/load.hpp"
#include "tests/fuzz/bytes.hpp"

// headway.toml: read, or refused with sentences that name a place.

using namespace headway;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const int file = ::memfd_create("headway.toml", MFD_CLOEXEC);
    tests::require(file >= 0 && ::ftruncate(file, 0) == 0);
    tests::require(::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
    config::LoadRequest request;
    request.file = "/proc/self/fd/" + std::to_string(file);
    const auto loaded = config::load(request);
    if (!loaded) tests::require(!loaded.error().detail.empty());
    return 0;
}
