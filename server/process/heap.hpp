// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace headway::server {

/// Sets glibc's allocator to keep freed memory, at most kKeptBytes per thread. One thread allocates
/// a batch and another frees it: by default every batch returns its pages and faults them in again.
/// Larger blocks are still mapped separately and returned at once.
void keep_freed_memory();

/// Returns the memory that startup freed to the system, once. Call it before other threads run.
void give_back_start_memory();

}  // namespace headway::server
