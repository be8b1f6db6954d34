// SPDX-License-Identifier: Apache-2.0
#include "clients/cpp/headway.hpp"

// What the client in C++ adds to a call that does nothing, where there is no daemon and at the one
// of HEADWAY_URL. Run by bench/clients/run.py, which says what is printed.

namespace {

using Clock = std::chrono::steady_clock;

/// An address that refuses connections.
std::string nowhere() {
    const headway::detail::Socket socket{::socket(AF_INET, SOCK_STREAM, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    (void)::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

void measure(const std::string& url, bool daemon, std::size_t calls) {
    headway::Options options;
    options.url = url;
    options.session = "bench-cpp";
    headway::Session session{"bench", options};
    std::vector<double> spent;
    for (std::size_t i = 0; i < calls; ++i) {
        const auto began = Clock::now();
        session.tool("read", R"({"path":"file-)" + std::to_string(i) + "\"}").done("ok");
        spent.push_back(std::chrono::duration<double, std::micro>(Clock::now() - began).count());
    }
    std::sort(spent.begin(), spent.end());
    std::printf(
        "{\"client\":\"cpp\",\"daemon\":%s,\"median_us\":%.1f,\"p99_us\":%.1f,\"calls\":%zu}\n",
        daemon ? "true" : "false", spent[calls / 2], spent[calls * 99 / 100], calls);
}

}  // namespace

int main(int count, char** arguments) {
    const unsigned long asked = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 2'000;
    const std::size_t calls = std::max(asked, 1UL);
    measure(nowhere(), false, calls);
    measure(headway::detail::environment("HEADWAY_URL", "http://127.0.0.1:7717"), true, calls);
}
