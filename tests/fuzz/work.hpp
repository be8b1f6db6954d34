// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "tests/fuzz/bytes.hpp"

// How much work an input may be.

namespace headway::tests {

/// The input again and again, up to 64 KiB: what is quadratic takes long on it.
inline std::string grown(std::string_view text) {
    constexpr std::size_t kBytes = 65'536;
    std::string out;
    while (!text.empty() && out.size() + text.size() <= kBytes)
        out += text;
    return out;
}

/// From here to the end of the block is less than a second of the processor's time, also with
/// sanitizers: 64 KiB are milliseconds where the work is linear.
class LittleWork {
public:
    LittleWork() = default;
    LittleWork(const LittleWork&) = delete;
    LittleWork& operator=(const LittleWork&) = delete;
    ~LittleWork() { require(seconds() - begin_ < 1); }

private:
    static double seconds() {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
    }
    const double begin_ = seconds();
};

}  // namespace headway::tests
