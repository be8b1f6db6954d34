// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace headway::server {

/// Sets glibc's allocator to keep freed memory, at most kKeptBytes per thread. One thread allocates
/// a batch and another frees it. By default, the pages of every batch would be returned to the
/// system, and the next batch would fault them in again. Large blocks are still mapped separately
/// and returned at once.
void keep_freed_memory();

/// Returns the memory that was freed during startup to the system, once. To be called before other
/// threads run.
void give_back_start_memory();

}  // namespace headway::server
