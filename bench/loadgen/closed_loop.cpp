// SPDX-License-Identifier: Apache-2.0
#include "bench/loadgen/closed_loop.hpp"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "bench/loadgen/reply_parser.hpp"
#include "bench/loadgen/request.hpp"
#include "bench/loadgen/socket.hpp"

namespace headway::bench {

namespace {

constexpr std::size_t kReceiveBytes = 256 * 1024;
constexpr std::int64_t kDrainNs = 10'000'000'000;

struct Connection {
    Connection(const Options& options, unsigned number)
        : socket(connect_to(options.port)), request(options, number, options.batch) {}

    Descriptor socket;
    Request request;
    std::string outbox;               // what the socket did not take yet
    std::string partial;              // the start of a reply
    std::deque<std::int64_t> starts;  // of the requests in flight
    bool wants_write = false;
};

class Load {
public:
    explicit Load(const Options& options) : options_(options), buffer_(kReceiveBytes) {
        for (unsigned i = 0; i < options.connections; ++i) {
            connections_.emplace_back(options, i);
            epoll_.add(connections_.back().socket, i);
        }
        next_id_ = options.first_id;
    }

    Report run() {
        begin_ = now_ns();
        measure_from_ = begin_ + nanoseconds(options_.warmup);
        end_ = measure_from_ + nanoseconds(options_.seconds);
        if (options_.requests > 0) end_ = begin_ + nanoseconds(3600);
        start();
        while (now_ns() < end_ && !(exhausted() && in_flight_ == 0))
            turn();
        const std::int64_t stopped = std::min(now_ns(), end_);
        stopping_ = true;
        while (in_flight_ > 0 && now_ns() < stopped + kDrainNs)
            turn();
        report_.seconds = static_cast<double>(stopped - measure_from_) / 1e9;
        return std::move(report_);
    }

private:
    static std::int64_t nanoseconds(double seconds) {
        return static_cast<std::int64_t>(seconds * 1e9);
    }

    bool exhausted() const { return options_.requests > 0 && issued_ >= options_.requests; }

    void start() {
        if (options_.rate > 0) {
            for (std::uint32_t i = 0; i < connections_.size(); ++i) {
                for (unsigned k = 0; k < options_.pipeline; ++k)
                    idle_.push_back(i);
            }
            return;
        }
        for (std::uint32_t i = 0; i < connections_.size(); ++i) {
            for (unsigned k = 0; k < options_.pipeline; ++k)
                issue(i, now_ns());
            flush(i);
        }
    }

    void turn() {
        for (const epoll_event& event : epoll_.wait(patience_ms())) {
            if ((event.events & ~std::uint32_t{EPOLLOUT}) != 0) receive(event.data.u32);
            if ((event.events & EPOLLOUT) != 0) flush(event.data.u32);
        }
        if (options_.rate > 0 && !stopping_) issue_due();
    }

    // How long a turn may wait for a reply. With --sleep the last millisecond before the next
    // request is polled, because epoll's timeout is too coarse to hit it.
    int patience_ms() const {
        constexpr int kMostMs = 100;
        if (options_.spin || (options_.rate > 0 && !options_.sleep)) return 0;
        if (options_.rate == 0 || stopping_ || idle_.empty()) return kMostMs;
        const auto left_ms = (next_due() - now_ns()) / 1'000'000;
        return static_cast<int>(std::clamp<std::int64_t>(left_ms, 0, kMostMs));
    }

    std::int64_t next_due() const {
        return begin_ + nanoseconds(static_cast<double>(scheduled_) / options_.rate);
    }

    // Open loop: what is due goes out on a free connection; without one it waits, and its clock
    // runs.
    void issue_due() {
        const std::int64_t now = now_ns();
        while (!idle_.empty()) {
            const std::int64_t due = next_due();
            if (due > now) return;
            ++scheduled_;
            const std::uint32_t number = idle_.front();
            idle_.pop_front();
            issue(number, due);
            flush(number);
        }
    }

    void issue(std::uint32_t number, std::int64_t start) {
        if (stopping_ || exhausted()) return;
        Connection& c = connections_[number];
        c.outbox += c.request.stamp(next_id_, start);
        c.starts.push_back(start);
        next_id_ += c.request.events();
        ++issued_;
        ++in_flight_;
    }

    void flush(std::uint32_t number) {
        Connection& c = connections_[number];
        if (!c.outbox.empty()) c.outbox.erase(0, send_some(c.socket, c.outbox));
        const bool wanted = !c.outbox.empty();
        if (wanted != c.wants_write) epoll_.want_write(c.socket, number, wanted);
        c.wants_write = wanted;
    }

    void receive(std::uint32_t number) {
        Connection& c = connections_[number];
        const std::size_t got = receive_some(c.socket, buffer_);
        std::string_view text{buffer_.data(), got};
        if (!c.partial.empty()) {
            c.partial += text;
            text = c.partial;
        }
        const std::int64_t now = now_ns();
        while (!text.empty()) {
            const auto reply =
                options_.mode == Mode::kRedis ? parse_redis_reply(text) : parse_http_reply(text);
            if (!reply) break;
            count(c, *reply, text.substr(0, reply->bytes), now);
            text.remove_prefix(reply->bytes);
            if (options_.rate > 0) {
                idle_.push_back(number);
            } else {
                issue(number, now);
            }
        }
        c.partial = std::string(text);
        flush(number);
    }

    void count(Connection& c, const Reply& reply, std::string_view text, std::int64_t now) {
        const std::int64_t start = c.starts.front();
        c.starts.pop_front();
        --in_flight_;
        ++report_.total_requests;
        if (reply.status < 200 || reply.status > 299) {
            ++report_.bad_status[reply.status];
            if (report_.first_bad.empty()) report_.first_bad = text;
            return;
        }
        report_.total_events += c.request.events();
        if (now < measure_from_ || now > end_) return;
        report_.latency.add(now - start);
        ++report_.requests;
        report_.events += c.request.events();
    }

    const Options& options_;
    Epoll epoll_;
    std::vector<char> buffer_;
    std::deque<Connection> connections_;
    std::deque<std::uint32_t>
        idle_;  // open loop: connections that may send, one entry per free slot
    Report report_;
    std::int64_t begin_ = 0;
    std::int64_t measure_from_ = 0;
    std::int64_t end_ = 0;
    std::uint64_t next_id_ = 1;
    std::uint64_t issued_ = 0;
    std::uint64_t scheduled_ = 0;
    std::uint64_t in_flight_ = 0;
    bool stopping_ = false;
};

}  // namespace

Report run_load(const Options& options) {
    Load load{options};
    return load.run();
}

}  // namespace headway::bench
