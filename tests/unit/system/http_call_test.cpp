// SPDX-License-Identifier: Apache-2.0
#include "system/http_call.hpp"

#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "system/file_descriptor.hpp"

using namespace headway::system;

namespace {

constexpr std::string_view kHangs = "hangs.test";

/// Counts of the look-ups of that name.
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

/// A server of this machine that gives each connection one reply, and keeps what it was asked last.
class Far {
public:
    explicit Far(std::string reply)
        : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), reply_(std::move(reply)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        REQUIRE(::bind(listener_.get(), generic, size) == 0);
        REQUIRE(::listen(listener_.get(), 8) == 0);
        REQUIRE(::getsockname(listener_.get(), generic, &size) == 0);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread{[this] { serve(); }};
    }
    Far(const Far&) = delete;
    Far& operator=(const Far&) = delete;
    ~Far() {
        ::shutdown(listener_.get(), SHUT_RDWR);  // ends accept()
        thread_.join();
    }

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    std::string asked() const {
        const std::lock_guard lock{mutex_};
        return asked_;
    }

private:
    void serve() {
        while (true) {
            const FileDescriptor wire{::accept(listener_.get(), nullptr, nullptr)};
            if (!wire.open()) return;
            answer(wire);
        }
    }
    void answer(const FileDescriptor& wire) {
        std::string text;
        std::array<char, 4096> part{};
        ssize_t count = 1;
        while (count > 0 && !is_whole(text)) {
            count = ::read(wire.get(), part.data(), part.size());
            if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
        }
        {
            const std::lock_guard lock{mutex_};
            asked_ = text;
        }
        static_cast<void>(::send(wire.get(), reply_.data(), reply_.size(), MSG_NOSIGNAL));
    }
    static bool is_whole(const std::string& text) {
        const std::size_t end = text.find("\r\n\r\n");
        if (end == std::string::npos) return false;
        const std::size_t at = text.find("Content-Length: ");
        const std::size_t size = at == std::string::npos ? 0 : std::stoul(text.substr(at + 16));
        return text.size() >= end + 4 + size;
    }

    FileDescriptor listener_;
    int port_ = 0;
    const std::string reply_;
    std::string asked_;
    mutable std::mutex mutex_;
    std::thread thread_;
};

struct Kept : HttpReceiver {
    std::string body;
    int lines = 0;

    bool take_header(std::string_view) override {
        ++lines;
        return true;
    }
    bool take_body(std::string_view bytes) override {
        body += bytes;
        return true;
    }
};

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

TEST_CASE("http call: one ends at once while its name is looked up", "[system]") {
    const MultiHandle multi = make_multi();
    HttpReceiver nothing;
    HttpCall call;
    call.prepare({.url = "http://hangs.test/", .connect_timeout = std::chrono::seconds{60}},
                 nothing);
    call.join(multi.get());
    int running = 0;
    curl_multi_perform(multi.get(), &running);
    REQUIRE(lookup().wait_for(lookup().began));
    call.leave();
    CHECK_FALSE(lookup().has_ended());
    lookup().let_end();
    CHECK(lookup().wait_for(lookup().ended));
}

TEST_CASE("http call: what libcurl refuses is said", "[system]") {
    HttpReceiver nothing;
    HttpCall call;
    CHECK_THROWS_WITH(call.prepare({.protocols = "pigeon"}, nothing),
                      Catch::StartsWith("libcurl refuses an option: "));
}

TEST_CASE("http call: a reply comes in parts, and is bounded", "[system]") {
    const Far far{"HTTP/1.1 429 Too Many\r\nRetry-After: 7\r\nContent-Length: 5\r\n\r\nhello"};
    Kept kept;
    HttpCall call;
    call.prepare({.url = far.url()}, kept);
    CHECK(call.perform() == CURLE_OK);
    CHECK(call.status() == 429);
    CHECK(call.retry_after(std::chrono::seconds{60}) == std::chrono::seconds{7});
    CHECK(call.retry_after(std::chrono::seconds{5}) == std::chrono::seconds{5});
    CHECK(kept.body == "hello");
    CHECK(kept.lines == 4);
    CHECK(call.address() == "127.0.0.1");

    call.prepare({.url = far.url(), .reply_bytes_max = 60}, kept);
    CHECK(call.perform() == CURLE_WRITE_ERROR);
    CHECK(call.oversized());
}

TEST_CASE("http call: what a receiver throws ends the call and is kept", "[system]") {
    struct Throwing : HttpReceiver {
        bool take_body(std::string_view) override { throw std::runtime_error{"no room"}; }
    };
    const Far far{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"};
    Throwing throwing;
    HttpCall call;
    call.prepare({.url = far.url()}, throwing);
    CHECK(call.perform() == CURLE_WRITE_ERROR);
    CHECK(call.thrown() == "no room");
    Kept kept;
    call.prepare({.url = far.url()}, kept);  // nothing is left of the one before
    CHECK(call.perform() == CURLE_OK);
    CHECK(call.thrown().empty());
}

TEST_CASE("http call: an address that is refused is not connected to", "[system]") {
    const Far far{"HTTP/1.1 200 OK\r\n\r\n"};
    Kept kept;
    HttpCall call;
    call.prepare({.url = far.url(), .refusal = [](const sockaddr&) { return std::string{"ours"}; }},
                 kept);
    CHECK(call.perform() == CURLE_COULDNT_CONNECT);
    CHECK(call.refused() == "ours");
    CHECK(call.status() == 0);
    CHECK(far.asked().empty());
}

TEST_CASE("http call: the path goes out as it is written, and the body with its headers",
          "[system]") {
    const Far far{"HTTP/1.1 204 No Content\r\n\r\n"};
    Kept kept;
    HttpCall call;
    call.prepare({.url = far.url() + "/a/../b", .headers = {"X-One: 1"}, .body = "text"}, kept);
    CHECK(call.perform() == CURLE_OK);
    CHECK_THAT(far.asked(), Catch::StartsWith("POST /a/../b HTTP/1.1\r\n") &&
                                Catch::Contains("\r\nX-One: 1\r\n") &&
                                Catch::EndsWith("\r\n\r\ntext") && !Catch::Contains("Expect"));
    call.prepare({.url = far.url(), .method = "DELETE"}, kept);
    CHECK(call.perform() == CURLE_OK);
    CHECK_THAT(far.asked(), Catch::StartsWith("DELETE / HTTP/1.1\r\n"));
}
