// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/transfer/curl_loop.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <future>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/base/limits.hpp"

using namespace headway::server;

namespace {

/// Counts its turns and runs code of the test in them.
struct Counting final : CurlLoop::User {
    bool throws = false;
    bool throws_at_end = false;
    std::promise<void> turned;
    std::promise<std::string> failure;
    std::promise<void> closed;
    CURLM* multi = nullptr;
    int turns = 0;
    int closings = 0;

    void begin(CURLM* handle) override { multi = handle; }
    bool ended(CURL*, CURLcode) override {
        if (throws_at_end) throw std::runtime_error("no memory");
        return false;
    }
    CurlLoop::Instant finish() override {
        if (throws) throw std::runtime_error("no memory");
        if (++turns == 1) turned.set_value();
        return CurlLoop::Instant::max();
    }
    void close() override {
        if (++closings == 1) closed.set_value();
    }
    void failed(const std::string& why) override { failure.set_value(why); }
};

bool ready(std::future<void> future) {
    return future.wait_for(std::chrono::seconds{30}) == std::future_status::ready;
}

/// Keeps the loop's thread busy until it is released, so that what is posted meanwhile waits.
struct Held {
    std::promise<void> released;
    bool let_go = false;

    Held(CurlLoop& loop, CurlLoop::User& user) {
        const auto reached = std::make_shared<std::promise<void>>();
        loop.post(user, [reached, until = std::shared_future<void>{released.get_future()}] {
            reached->set_value();
            until.wait();
        });
        reached->get_future().wait();
    }
    ~Held() { release(); }
    void release() {
        if (!std::exchange(let_go, true)) released.set_value();
    }
};

}  // namespace

TEST_CASE("curl loop: a user has turns until it is removed, and then none", "[server]") {
    CurlLoop loop;
    Counting user;
    loop.add(user);
    CHECK(ready(user.turned.get_future()));
    loop.remove(user);
    CHECK(ready(user.closed.get_future()));
    CHECK(user.multi != nullptr);
    const int turns = user.turns;
    CHECK_FALSE(loop.post(user, [] { FAIL("work of a user that is removed"); }));
    loop.remove(user);  // idempotent
    Counting another;
    loop.add(another);
    CHECK(ready(another.turned.get_future()));
    CHECK(user.turns == turns);
    CHECK(user.closings == 1);
    loop.remove(another);
}

TEST_CASE("curl loop: work is done in order, and before the user is closed", "[server]") {
    CurlLoop loop;
    Counting user;
    loop.add(user);
    std::vector<int> done;
    for (int i = 0; i < 1000; ++i)
        REQUIRE(loop.post(user, [&, i] {
            if (user.closings == 0) done.push_back(i);
        }));
    loop.remove(user);
    REQUIRE(done.size() == 1000);
    CHECK(std::is_sorted(done.begin(), done.end()));
}

TEST_CASE("curl loop: its thread yields, and the one that made it does not", "[server]") {
    const auto nice = [] { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())); };
    const int own = nice();
    CurlLoop loop;
    Counting user;
    loop.add(user);
    int others = own;
    REQUIRE(loop.post(user, [&] { others = nice(); }));
    loop.remove(user);
    CHECK(others == 10);
    CHECK(nice() == own);
}

TEST_CASE("curl loop: what waits for it has a bound, and a removal finds room", "[server]") {
    CurlLoop loop;
    Counting user;
    loop.add(user);
    constexpr std::size_t kMost = headway::core::limits::kOutboundQueueMax;
    std::size_t done = 0;
    std::size_t taken = 0;
    {
        const Held held{loop, user};
        while (taken <= kMost && loop.post(user, [&] { ++done; }))
            ++taken;
    }
    CHECK(taken == kMost);
    loop.remove(user);
    CHECK(done == taken);
}

TEST_CASE("curl loop: one that throws is closed, the others go on", "[server]") {
    CurlLoop loop;
    Counting bad;
    Counting good;
    bad.throws = true;
    loop.add(bad);
    CHECK(bad.failure.get_future().get() == "no memory");
    CHECK(ready(bad.closed.get_future()));
    CHECK_FALSE(loop.post(bad, [] { FAIL("work of a user that has failed"); }));
    loop.add(good);
    CHECK(ready(good.turned.get_future()));
    loop.remove(bad);
    loop.remove(good);
    CHECK(bad.closings == 1);
}

TEST_CASE("curl loop: a transfer finds its user behind one that throws", "[server]") {
    /// With a transfer of a file, which has ended in its first turn.
    struct Transferring final : CurlLoop::User {
        std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy{curl_easy_init(),
                                                                 &curl_easy_cleanup};
        CURLM* multi = nullptr;
        std::promise<CURLcode> done;

        void begin(CURLM* handle) override {
            multi = handle;
            curl_easy_setopt(easy.get(), CURLOPT_URL, "file:///dev/null");
            curl_easy_setopt(easy.get(), CURLOPT_NOBODY, 1L);
            curl_multi_add_handle(multi, easy.get());
        }
        bool ended(CURL* handle, CURLcode code) override {
            if (handle != easy.get()) return false;
            done.set_value(code);
            return true;
        }
        CurlLoop::Instant finish() override { return CurlLoop::Instant::max(); }
        void close() override { curl_multi_remove_handle(multi, easy.get()); }
        void failed(const std::string& why) override { FAIL(why); }
    };
    CurlLoop loop;
    Counting bad;
    bad.throws_at_end = true;
    loop.add(bad);
    Transferring good;
    loop.add(good);
    auto done = good.done.get_future();
    const bool found = done.wait_for(std::chrono::seconds{10}) == std::future_status::ready;
    loop.remove(good);
    loop.remove(bad);
    REQUIRE(found);
    CHECK(done.get() == CURLE_OK);
    CHECK(bad.failure.get_future().get() == "no memory");
    CHECK(ready(bad.closed.get_future()));
}

TEST_CASE("curl loop: work that throws closes its user, and what was posted is still done",
          "[server]") {
    CurlLoop loop;
    Counting user;
    loop.add(user);
    int closings = 0;
    {
        Held held{loop, user};
        REQUIRE(loop.post(user, [] { throw std::runtime_error("no memory"); }));
        REQUIRE(loop.post(user, [&] { closings = user.closings; }));
        held.release();
    }
    CHECK(user.failure.get_future().get() == "no memory");
    loop.remove(user);
    CHECK(closings == 1);
}

TEST_CASE("curl loop: it does what is queued and closes those that are left when it ends",
          "[server]") {
    Counting user;
    bool done = false;
    {
        CurlLoop loop;
        loop.add(user);
        REQUIRE(loop.post(user, [&] { done = true; }));
    }
    CHECK(done);
    CHECK(ready(user.closed.get_future()));
}
