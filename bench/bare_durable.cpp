// SPDX-License-Identifier: Apache-2.0

// The fair floor of ./dev bench ingest: the least that a server does which loses no report. It
// parses the request as bare_beast does, appends the body to a log that was written once before,
// brings the log to the disk once for all requests of a turn of the loop (fdatasync), and answers
// 200 with as many bytes as Headway does. It routes, checks, judges and indexes nothing.
//
// Usage: bare_durable --ports-file FILE --log FILE. Listens on a free port of 127.0.0.1 and then
// writes {"http":"127.0.0.1:PORT"}.

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

constexpr std::size_t kInputBytes = 64 * 1024;
constexpr std::size_t kLogBytes = 256 * 1024 * 1024;  // then it begins at its start again
constexpr std::size_t kReplyBytes = 240;  // of the reply of Headway to one report, head included

std::string make_reply() {
    const std::string head =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ";
    const std::size_t body = kReplyBytes - head.size() - 3 - 4;
    return head + std::to_string(body) + "\r\n\r\n" + std::string(body, 'x');
}

void check(bool well, const char* what) {
    if (!well) throw std::runtime_error(std::string{what} + ": " + std::strerror(errno));
}

// The file to which the bodies of a turn go in one write.
class Log {
public:
    explicit Log(const std::filesystem::path& path)
        : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
        check(file_ >= 0, "open");
        const std::string zeros(1 << 20, '\0');
        for (std::size_t at = 0; at < kLogBytes; at += zeros.size())
            check(::write(file_, zeros.data(), zeros.size()) > 0, "write");
        check(::fsync(file_) == 0, "fsync");
    }
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;
    ~Log() { ::close(file_); }

    std::string& bodies() { return bodies_; }
    void commit() {
        if (at_ + bodies_.size() > kLogBytes) at_ = 0;
        const auto written =
            ::pwrite(file_, bodies_.data(), bodies_.size(), static_cast<off_t>(at_));
        check(written == static_cast<ssize_t>(bodies_.size()), "pwrite");
        check(::fdatasync(file_) == 0, "fdatasync");
        at_ += bodies_.size();
        bodies_.clear();
    }

private:
    int file_;
    std::size_t at_ = 0;
    std::string bodies_;
};

class Connection;

// The connections that wait for the end of the turn.
struct Turn {
    Log& log;
    std::vector<std::unique_ptr<Connection>> waiting;
};

// One client. Owned by the handler of its one outstanding operation, or by the turn.
class Connection {
public:
    Connection(Socket socket, Turn& turn) : socket_(std::move(socket)), turn_(turn) {
        parser_.emplace(&turn_.log.bodies());
    }

    static void read(std::unique_ptr<Connection> self) {
        Connection& c = *self;
        const auto space = net::buffer(c.input_.data() + c.filled_, c.input_.size() - c.filled_);
        c.socket_.async_read_some(space,
                                  [self = std::move(self)](error_code ec, std::size_t n) mutable {
                                      if (!ec) on_read(std::move(self), n);
                                  });
    }

    // After the commit.
    static void reply(std::unique_ptr<Connection> self) {
        static const std::string kReply = make_reply();
        Connection& c = *self;
        c.output_.clear();
        for (; c.replies_ > 0; --c.replies_)
            c.output_ += kReply;
        net::async_write(c.socket_, net::buffer(c.output_),
                         [self = std::move(self)](error_code ec, std::size_t) mutable {
                             if (!ec && !self->closing_) read(std::move(self));
                         });
    }

private:
    static void on_read(std::unique_ptr<Connection> self, std::size_t bytes) {
        Connection& c = *self;
        c.filled_ += bytes;
        c.parse();
        if (c.replies_ > 0) {
            c.turn_.waiting.push_back(std::move(self));
        } else if (!c.closing_) {
            read(std::move(self));
        }
    }

    // Consumes the complete requests of the input.
    void parse() {
        std::size_t parsed = 0;
        while (parsed < filled_ && !closing_) {
            error_code ec;
            parsed += parser_->put(net::buffer(input_.data() + parsed, filled_ - parsed), ec);
            if (ec == http::error::need_more) break;
            if (!ec && !parser_->is_done()) continue;
            if (!ec) ++replies_;
            closing_ = ec || !parser_->keep_alive();
            parser_.emplace(&turn_.log.bodies());
        }
        if (parsed == 0 && filled_ == input_.size()) closing_ = true;
        std::memmove(input_.data(), input_.data() + parsed, filled_ - parsed);
        filled_ -= parsed;
    }

    Socket socket_;
    Turn& turn_;
    std::optional<RequestParser> parser_;
    std::size_t filled_ = 0;
    std::size_t replies_ = 0;
    bool closing_ = false;
    std::string output_;
    std::array<char, kInputBytes> input_;
};

void accept(Acceptor& acceptor, Turn& turn) {
    acceptor.async_accept([&acceptor, &turn](error_code ec, Socket socket) {
        if (ec) return;
        socket.set_option(Tcp::no_delay(true), ec);
        Connection::read(std::make_unique<Connection>(std::move(socket), turn));
        accept(acceptor, turn);
    });
}

int serve(const std::filesystem::path& ports_file, const std::filesystem::path& log_file) {
    net::io_context io{1};
    Log log{log_file};
    Turn turn{log, {}};
    Acceptor acceptor{io, Tcp::endpoint{net::ip::address_v4::loopback(), 0}};
    acceptor.listen(4096);
    accept(acceptor, turn);
    const std::filesystem::path draft = ports_file.string() + ".new";
    std::ofstream(draft) << "{\"http\":\"127.0.0.1:" << acceptor.local_endpoint().port() << "\"}\n";
    std::filesystem::rename(draft, ports_file);
    while (io.run_one() > 0) {
        io.poll();
        if (turn.waiting.empty()) continue;
        log.commit();
        for (std::unique_ptr<Connection>& connection : std::exchange(turn.waiting, {}))
            Connection::reply(std::move(connection));
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 5 || std::string_view(argv[1]) != "--ports-file" ||
        std::string_view(argv[3]) != "--log") {
        std::fputs("usage: bare_durable --ports-file FILE --log FILE\n", stderr);
        return 64;
    }
    return serve(argv[2], argv[4]);
} catch (const std::exception& error) {
    std::fprintf(stderr, "bare_durable: %s\n", error.what());
    return 1;
}
