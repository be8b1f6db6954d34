// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace headway::cli {

/// Calls what `make()` gives with each number below `count`, in any order, on as many threads as
/// there are cores; each thread makes one for itself. It must not throw.
template <class Make>
void in_parallel(std::size_t count, const Make& make) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        auto one = make();
        for (std::size_t i = next++; i < count; i = next++)
            one(i);
    };
    std::vector<std::jthread> others;  // joined at the end
    const std::size_t threads = std::min<std::size_t>(std::thread::hardware_concurrency(), count);
    try {
        for (std::size_t i = 1; i < threads; ++i)
            others.emplace_back(work);
    } catch (const std::system_error&) {
        // No more threads here: those that there are do it all.
    }
    work();
}

}  // namespace headway::cli
