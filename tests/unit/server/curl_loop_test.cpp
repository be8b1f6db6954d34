// SPDX-License-Identifier: Apache-2.0
#include "server/curl_loop.hpp"

#include <catch2/catch.hpp>
#include <future>
#include <stdexcept>

using namespace headway::server;

namespace {

/// Counts its turns and runs code of the test in them.
struct Counting final : CurlLoop::User {
    bool throws = false;
    std::promise<void> turned;
    std::promise<std::string> failure;
    std::promise<void> closed;
    int starts = 0;

    void start(CURLM*) override {
        if (throws) throw std::runtime_error("no memory");
        if (++starts == 1) turned.set_value();
    }
    bool ended(CURL*, CURLcode) override { return false; }
    CurlLoop::Instant finish() override { return CurlLoop::Instant::max(); }
    void close() override { closed.set_value(); }
    void failed(const std::string& why) override { failure.set_value(why); }
};

bool ready(std::future<void> future) {
    return future.wait_for(std::chrono::seconds{30}) == std::future_status::ready;
}

}  // namespace

TEST_CASE("curl loop: a user has turns until it is removed, and then none", "[server]") {
    CurlLoop loop;
    Counting user;
    loop.add(user);
    CHECK(ready(user.turned.get_future()));
    loop.remove(user);
    CHECK(ready(user.closed.get_future()));
    const int starts = user.starts;
    loop.wake();
    loop.remove(user);  // idempotent
    Counting another;
    loop.add(another);
    CHECK(ready(another.turned.get_future()));
    CHECK(user.starts == starts);
    loop.remove(another);
}

TEST_CASE("curl loop: one that throws is closed, the others go on", "[server]") {
    CurlLoop loop;
    Counting bad;
    Counting good;
    bad.throws = true;
    loop.add(bad);
    CHECK(bad.failure.get_future().get() == "no memory");
    CHECK(ready(bad.closed.get_future()));
    loop.add(good);
    CHECK(ready(good.turned.get_future()));
    loop.remove(bad);
    loop.remove(good);
}

TEST_CASE("curl loop: it closes those that are left when it ends", "[server]") {
    Counting user;
    {
        CurlLoop loop;
        loop.add(user);
        CHECK(ready(user.turned.get_future()));
    }
    CHECK(ready(user.closed.get_future()));
}
