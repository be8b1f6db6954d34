// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace headway::server {

/// What one thread allocates for a batch the other frees: glibc would give the pages back and fault
/// them in again with every batch. Keeps at most kKeptBytes a thread; larger blocks are still
/// mapped on their own and returned at once.
void keep_freed_memory();

}  // namespace headway::server
