// SPDX-License-Identifier: Apache-2.0

// sanitizer_probe address | undefined | thread: makes one defect of that kind; exit status 0 unless
// a sanitizer reports it.

#include <cstddef>
#include <limits>
#include <string_view>
#include <thread>
#include <vector>

namespace {

void read_past_the_end() {
    volatile std::size_t end = 4;
    const std::vector<int> four(end);
    volatile int read = four.data()[end];
    static_cast<void>(read);
}

void overflow() {
    volatile int most = std::numeric_limits<int>::max();
    most = most + 1;
}

void race() {
    volatile int shared = 0;
    std::thread other{[&shared] { shared = 1; }};
    shared = 2;
    other.join();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view kind = argc == 2 ? argv[1] : "";
    if (kind == "address") read_past_the_end();
    if (kind == "undefined") overflow();
    if (kind == "thread") race();
    return 0;
}
