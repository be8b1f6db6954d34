// SPDX-License-Identifier: Apache-2.0
#include "server/process/heap.hpp"

#include <malloc.h>

namespace headway::server {

void keep_freed_memory() {
    constexpr int kKeptBytes = 16 << 20;
    constexpr int kGrowthBytes = 1 << 20;
    constexpr int kMappedFrom = 4 << 20;
    ::mallopt(M_TRIM_THRESHOLD, kKeptBytes);
    ::mallopt(M_TOP_PAD, kGrowthBytes);
    ::mallopt(M_MMAP_THRESHOLD, kMappedFrom);
}

void give_back_start_memory() {
    ::malloc_trim(0);
}

}  // namespace headway::server
