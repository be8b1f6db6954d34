// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace headway::server {

/// Sets glibc's allocator to keep freed memory, at most kKeptBytes per thread. One thread allocates
/// a batch and the other frees it: by default the pages are returned and faulted in again with
/// every batch. Larger blocks are still mapped separately and returned at once.
void keep_freed_memory();

/// Returns to the system the memory that the start freed, once. Before other threads run.
void give_back_start_memory();

}  // namespace headway::server
