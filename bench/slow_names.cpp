// SPDX-License-Identifier: Apache-2.0

// Preloaded into a daemon that is measured: the names below slow.test take as long as those of a
// distant or tired name server, and lead to 127.0.0.1. All other names are the system's.

#include <dlfcn.h>
#include <netdb.h>

#include <chrono>
#include <string_view>
#include <thread>

namespace {

constexpr std::string_view kSlow = ".slow.test";
constexpr std::chrono::milliseconds kLookup{100};

using Lookup = int (*)(const char*, const char*, const addrinfo*, addrinfo**);

}  // namespace

extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                           addrinfo** found) {
    static const auto next = reinterpret_cast<Lookup>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    if (name == nullptr || !std::string_view{name}.ends_with(kSlow)) {
        return next(name, service, hints, found);
    }
    std::this_thread::sleep_for(kLookup);
    return next("127.0.0.1", service, hints, found);
}
