// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/transfer/curl_options.hpp"

#include <dlfcn.h>
#include <netdb.h>

#include <catch2/catch.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string_view>

#include "server/outbound/transfer/curl_loop.hpp"

using namespace headway::server;

namespace {

constexpr std::string_view kHangs = "hangs.test";

/// What the look-ups of that name have come to.
struct Lookup {
    std::mutex mutex;
    std::condition_variable changed;
    bool began = false;
    bool may_end = false;
    bool ended = false;

    void hang() {
        std::unique_lock lock{mutex};
        began = true;
        changed.notify_all();
        // Not without limit: a transfer that waits for it shall fail the test, and not hang.
        changed.wait_for(lock, std::chrono::seconds{3}, [this] { return may_end; });
        ended = true;
        changed.notify_all();
    }
    bool wait_for(const bool& flag) {
        std::unique_lock lock{mutex};
        return changed.wait_for(lock, std::chrono::seconds{30}, [&] { return flag; });
    }
    bool has_ended() {
        const std::lock_guard lock{mutex};
        return ended;
    }
    void let_end() {
        const std::lock_guard lock{mutex};
        may_end = true;
        changed.notify_all();
    }
};

Lookup& lookup() {
    static Lookup one;
    return one;
}

}  // namespace

/// Takes the place of libc's for this program.
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                           addrinfo** found) {
    if (name != nullptr && name == kHangs) {
        lookup().hang();
        return EAI_AGAIN;
    }
    static const auto libc =
        reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    return libc(name, service, hints, found);
}

TEST_CASE("curl options: a transfer ends at once while its name is looked up", "[server]") {
    const std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)> multi{curl_multi_init(),
                                                                      curl_multi_cleanup};
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> transfer{curl_easy_init(),
                                                                       curl_easy_cleanup};
    set_common_options(transfer.get(), std::chrono::seconds{60}, "");
    set_option(transfer.get(), CURLOPT_URL, "http://hangs.test/");
    REQUIRE(curl_multi_add_handle(multi.get(), transfer.get()) == CURLM_OK);
    int running = 0;
    curl_multi_perform(multi.get(), &running);
    REQUIRE(lookup().wait_for(lookup().began));
    curl_multi_remove_handle(multi.get(), transfer.get());
    CHECK_FALSE(lookup().has_ended());
    lookup().let_end();
    CHECK(lookup().wait_for(lookup().ended));
}

TEST_CASE("curl options: what libcurl refuses is said", "[server]") {
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> transfer{curl_easy_init(),
                                                                       curl_easy_cleanup};
    CHECK_THROWS_WITH(set_option(transfer.get(), CURLOPT_PROTOCOLS_STR, "pigeon"),
                      Catch::StartsWith("libcurl refuses an option: "));
}
