// SPDX-License-Identifier: Apache-2.0

// The reference of every ratio of ./dev bench: the fastest HTTP server that Boost.Beast 1.81 gives
// on one thread. It reads a request with its body and answers 204; it stores nothing and routes
// nothing. Reasons for its speed:
//   - sockets typed on io_context::executor_type (no any_io_executor), io_context with concurrency
//   hint 1
//   - a parser without containers, fed by put() from one fixed buffer per connection that
//   async_read_some fills, so
//     that all requests that arrived together are handled in one wake-up
//   - their replies go out in one non-blocking write_some; only what does not fit is handed to
//   async_write
//   - no timer and no allocation per request
//
// Usage: bare_beast --ports-file FILE. Listens on a free port of 127.0.0.1 and then writes
// {"http":"127.0.0.1:PORT"}.

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bench/bare_request.hpp"

namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using Executor = net::io_context::executor_type;
using Tcp = net::ip::tcp;
using Socket = net::basic_stream_socket<Tcp, Executor>;
using Acceptor = net::basic_socket_acceptor<Tcp, Executor>;
using boost::system::error_code;
using headway::bench::RequestParser;

constexpr std::string_view kReply = "HTTP/1.1 204 No Content\r\n\r\n";
constexpr std::size_t kInputBytes = 64 * 1024;
constexpr std::size_t kRepliesAtOnce = 128;

// One client. Owned by the handler of its one outstanding operation.
class Connection {
public:
    explicit Connection(Socket socket) : socket_(std::move(socket)) { parser_.emplace(); }

    static void read(std::unique_ptr<Connection> self) {
        Connection& c = *self;
        const auto space = net::buffer(c.input_.data() + c.filled_, c.input_.size() - c.filled_);
        c.socket_.async_read_some(space,
                                  [self = std::move(self)](error_code ec, std::size_t n) mutable {
                                      if (!ec) on_read(std::move(self), n);
                                  });
    }

private:
    static void on_read(std::unique_ptr<Connection> self, std::size_t bytes) {
        self->filled_ += bytes;
        while (!self->closing_) {
            const std::size_t replies = self->parse();
            if (replies == 0) break;
            const std::size_t size = replies * kReply.size();
            error_code ec;
            const std::size_t sent =
                self->socket_.write_some(net::buffer(replies_text().data(), size), ec);
            if (ec && ec != net::error::would_block) return;
            if (sent < size) return write_rest(std::move(self), sent, size);
        }
        self->compact();
        if (!self->closing_) read(std::move(self));
    }

    // Consumes complete requests from the input; gives how many.
    std::size_t parse() {
        std::size_t done = 0;
        while (parsed_ < filled_ && done < kRepliesAtOnce) {
            error_code ec;
            parsed_ += parser_->put(net::buffer(input_.data() + parsed_, filled_ - parsed_), ec);
            if (ec == http::error::need_more) break;
            if (ec) {
                closing_ = true;
                break;
            }
            if (!parser_->is_done()) continue;
            ++done;
            closing_ = !parser_->keep_alive();
            parser_.emplace();
            if (closing_) break;
        }
        return done;
    }

    // Moves an incomplete header to the front; a full buffer without one request's header is the
    // end.
    void compact() {
        if (parsed_ == 0 && filled_ == input_.size()) closing_ = true;
        if (parsed_ == 0) return;
        std::memmove(input_.data(), input_.data() + parsed_, filled_ - parsed_);
        filled_ -= parsed_;
        parsed_ = 0;
    }

    static void write_rest(std::unique_ptr<Connection> self, std::size_t sent, std::size_t size) {
        Connection& c = *self;
        const auto rest = net::buffer(replies_text().data() + sent, size - sent);
        net::async_write(c.socket_, rest,
                         [self = std::move(self)](error_code ec, std::size_t) mutable {
                             if (!ec) on_read(std::move(self), 0);
                         });
    }

    // As many replies as one write may hold, once for all connections.
    static const std::string& replies_text() {
        static const std::string text = [] {
            std::string all;
            for (std::size_t i = 0; i < kRepliesAtOnce; ++i)
                all += kReply;
            return all;
        }();
        return text;
    }

    Socket socket_;
    std::optional<RequestParser> parser_;
    std::size_t parsed_ = 0;
    std::size_t filled_ = 0;
    bool closing_ = false;
    std::array<char, kInputBytes> input_;
};

void accept(Acceptor& acceptor) {
    acceptor.async_accept([&acceptor](error_code ec, Socket socket) {
        if (ec) return;
        socket.set_option(Tcp::no_delay(true), ec);
        socket.non_blocking(true, ec);
        Connection::read(std::make_unique<Connection>(std::move(socket)));
        accept(acceptor);
    });
}

int serve(const std::filesystem::path& ports_file) {
    net::io_context io{1};
    Acceptor acceptor{io, Tcp::endpoint{net::ip::address_v4::loopback(), 0}};
    acceptor.listen(4096);
    accept(acceptor);
    const std::filesystem::path draft = ports_file.string() + ".new";
    std::ofstream(draft) << "{\"http\":\"127.0.0.1:" << acceptor.local_endpoint().port() << "\"}\n";
    std::filesystem::rename(draft, ports_file);
    io.run();
    return 0;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 3 || std::string_view(argv[1]) != "--ports-file") {
        std::fputs("usage: bare_beast --ports-file FILE\n", stderr);
        return 64;
    }
    return serve(argv[2]);
} catch (const std::exception& error) {
    std::fprintf(stderr, "bare_beast: %s\n", error.what());
    return 1;
}
