// SPDX-License-Identifier: Apache-2.0
#include "bench/loadgen/sse.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/loadgen/reply_parser.hpp"
#include "bench/loadgen/request.hpp"
#include "bench/loadgen/socket.hpp"

namespace headway::bench {

namespace {

constexpr std::string_view kMark = "hwb=";
constexpr std::size_t kMarkBytes = 4 + kTimeDigits;
constexpr std::size_t kReceiveBytes = 512 * 1024;
constexpr std::uint32_t kPublisher = 0xffff'ffff;
constexpr std::int64_t kDrainNs = 5'000'000'000;

struct Subscriber {
    Descriptor socket;
    std::array<char, kMarkBytes> carry{};  // the end of the last read, where a mark may have begun
    std::size_t carried = 0;
    std::uint64_t delivered = 0;
};

class Fanout {
public:
    explicit Fanout(const Options& options)
        : options_(options), publisher_(connect_to(options.port)), buffer_(kReceiveBytes) {
        for (unsigned k = 1; k <= std::max(1U, options.window); ++k)
            posts_.emplace_back(options, 0, k);
        const std::string get = "GET " + options.stream +
                                " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(options.port) +
                                "\r\nAccept: text/event-stream\r\n\r\n";
        subscribers_.reserve(options.clients);
        for (std::uint32_t i = 0; i < options.clients; ++i) {
            subscribers_.push_back({connect_to(options.port)});
            if (send_some(subscribers_[i].socket, get) != get.size()) {
                throw std::runtime_error("a subscription did not fit into the socket");
            }
        }
    }

    // Every subscriber has got its hello before anything is published.
    void await_hello() {
        const std::int64_t limit = now_ns() + 30'000'000'000;
        for (std::uint32_t i = 0; i < subscribers_.size(); ++i) {
            std::string text;
            while (text.find("event: hello") == text.npos &&
                   text.find("event:hello") == text.npos) {
                text.append(buffer_.data(), receive_some(subscribers_[i].socket, buffer_));
                if (now_ns() > limit) throw std::runtime_error("no hello from the stream: " + text);
            }
            if (!text.starts_with("HTTP/1.1 200"))
                throw std::runtime_error("stream refused: " + text);
            epoll_.add(subscribers_[i].socket, i);
        }
        epoll_.add(publisher_, kPublisher);
    }

    Report run() {
        const std::int64_t begin = now_ns();
        measure_from_ = begin + static_cast<std::int64_t>(options_.warmup * 1e9);
        end_ = measure_from_ + static_cast<std::int64_t>(options_.seconds * 1e9);
        begin_ = begin;
        while (now_ns() < end_) {
            publish();
            turn();
        }
        const std::uint64_t wanted = posted_ * subscribers_.size();
        while (delivered_ < wanted && now_ns() < end_ + kDrainNs)
            turn();
        report_.seconds = options_.seconds;
        report_.total_requests = delivered_;
        report_.total_events = posted_;
        if (delivered_ > wanted) throw std::runtime_error("events were delivered twice");
        if (delivered_ < wanted) {
            report_.bad_status[0] = wanted - delivered_;
            report_.first_bad = "deliveries are missing";
        }
        return std::move(report_);
    }

private:
    void turn() {
        for (const epoll_event& event : epoll_.wait(options_.spin || options_.rate > 0 ? 0 : 50)) {
            if (event.data.u32 == kPublisher) {
                receive_answer();
            } else {
                receive(subscribers_[event.data.u32]);
            }
        }
    }

    void publish() {
        if (awaiting_answer_) return;
        std::size_t events = 0;
        if (options_.rate > 0) {
            const double due = static_cast<double>(now_ns() - begin_) / 1e9 * options_.rate;
            events = due >= static_cast<double>(posted_) ? 1 : 0;
        } else {
            const std::uint64_t in_flight = posted_ - delivered_ / subscribers_.size();
            const std::uint64_t room =
                options_.window - std::min<std::uint64_t>(options_.window, in_flight);
            if (room * 2 >= options_.window) events = room;  // refill by halves: posts stay batches
        }
        if (events == 0) return;
        const std::int64_t now = now_ns();
        std::string_view bytes = posts_[events - 1].stamp(next_id_, now);
        while (!bytes.empty())
            bytes.remove_prefix(send_some(publisher_, bytes));
        next_id_ += events;
        posted_ += events;
        if (now >= measure_from_) report_.published += events;
        awaiting_answer_ = true;
    }

    void receive_answer() {
        answer_.append(buffer_.data(), receive_some(publisher_, buffer_));
        const auto reply = parse_http_reply(answer_);
        if (!reply) return;
        if (reply->status < 200 || reply->status > 299)
            throw std::runtime_error("post: " + answer_);
        answer_.clear();
        awaiting_answer_ = false;
    }

    void receive(Subscriber& s) {
        // The carry is put right before the new bytes, so that a mark cut in two is whole again.
        char* const fresh = buffer_.data() + kMarkBytes;
        const std::size_t got = receive_some(s.socket, {fresh, buffer_.size() - kMarkBytes});
        char* const from = fresh - s.carried;
        std::memcpy(from, s.carry.data(), s.carried);
        std::string_view text{from, s.carried + got};
        const std::int64_t now = now_ns();
        for (auto at = text.find(kMark); at != text.npos && text.size() - at >= kMarkBytes;
             at = text.find(kMark)) {
            count(text.substr(at + kMark.size(), kTimeDigits), now);
            text.remove_prefix(at + kMarkBytes);
        }
        s.carried = std::min(text.size(), kMarkBytes - 1);
        std::memcpy(s.carry.data(), text.data() + text.size() - s.carried, s.carried);
    }

    void count(std::string_view digits, std::int64_t now) {
        std::int64_t posted_at = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), posted_at);
        ++delivered_;
        if (now < measure_from_ || now > end_) return;
        report_.latency.add(now - posted_at);
        ++report_.requests;
        ++report_.events;
    }

    const Options& options_;
    Epoll epoll_;
    Descriptor publisher_;
    std::vector<char> buffer_;
    std::deque<Request> posts_;  // posts_[k] holds k + 1 events
    std::vector<Subscriber> subscribers_;
    std::string answer_;
    Report report_;
    std::int64_t begin_ = 0;
    std::int64_t measure_from_ = 0;
    std::int64_t end_ = 0;
    std::uint64_t next_id_ = 1;
    std::uint64_t posted_ = 0;
    std::uint64_t delivered_ = 0;
    bool awaiting_answer_ = false;
};

}  // namespace

Report run_sse(const Options& options) {
    Fanout fanout{options};
    fanout.await_hello();
    if (options.wait_stdin) {
        std::puts("connected");
        std::fflush(stdout);
        if (std::getchar() == EOF) throw std::runtime_error("stdin closed");
    }
    return fanout.run();
}

}  // namespace headway::bench
