// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace headway::cli {

/// Calls a function with each number below `count`, in any order, on as many threads as there are
/// cores. Each thread calls `make()` for its own function, which must not throw.
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
        // No more threads can be started: the existing ones do all the work.
    }
    work();
}

}  // namespace headway::cli
