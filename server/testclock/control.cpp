// SPDX-License-Identifier: Apache-2.0
#include "server/testclock/control.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "server/testclock/jumps.hpp"
#include "server/time/clock.hpp"

namespace headway::server::testclock {
namespace {

constexpr std::size_t kLineBytesMax = 200;
/// How long (of real time) a busy thread is waited for.
constexpr Millis kSettled{2'000};
constexpr Millis kLoopHeld{500};  ///< after that the I/O thread is not waited for any more
constexpr Millis kIdleTurn{250};  ///< of the engine
/// Below the attention gap that the engine would note, were the time not attended.
constexpr Millis kShortestStep{50};
constexpr std::int64_t kStepsUsual = 100;
constexpr std::int64_t kMillisMax = 100LL * 366 * 86'400'000;

/// The word at the start of `line`, which it takes away.
std::string_view next_word(std::string_view& line) {
    const std::size_t from = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t to = std::min(line.find(' ', from), line.size());
    const std::string_view word = line.substr(from, to - from);
    line.remove_prefix(to);
    return word;
}

std::optional<Millis> next_millis(std::string_view& line) {
    const std::string_view word = next_word(line);
    std::int64_t number = 0;
    const auto [end, ec] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool whole = ec == std::errc{} && end == word.data() + word.size();
    if (!whole || number > kMillisMax || number < -kMillisMax) return std::nullopt;
    return Millis{number};
}

std::string readings(bool settled) {
    const time_source::Uptime up = time_source::uptime();
    return R"({"steady_ms":)" + std::to_string(up.steady.count()) + R"(,"wall_ms":)" +
           std::to_string(Clock::wall().time_since_epoch().count()) + R"(,"slept_ms":)" +
           std::to_string(up.slept.count()) + R"(,"settled":)" + (settled ? "true" : "false") + "}";
}

/// Returns when the loop has run the timers that were due, and what these posted. False when it
/// stands still.
bool run_due_timers(net::io_context& io) {
    const auto done = std::make_shared<std::promise<void>>();
    auto passed = done->get_future();
    net::post(io.get_executor(), [&io, done] {
        const auto timer = std::make_shared<Timer>(io);
        // The earliest of all, because only such a one makes the loop look at its timers now.
        timer->expires_at(Timer::time_point::min());
        timer->async_wait([&io, done, timer](error_code) {
            net::post(io.get_executor(), [done] { done->set_value(); });
        });
    });
    return passed.wait_for(kLoopHeld) == std::future_status::ready;
}

}  // namespace

struct Control::Client : std::enable_shared_from_this<Client> {
    Client(LocalSocket socket, Control& owner) : socket_(std::move(socket)), owner_(owner) {}

    void read() {
        net::async_read_until(socket_, net::dynamic_buffer(received_, kLineBytesMax), '\n',
                              [self = shared_from_this()](error_code ec, std::size_t size) {
                                  if (!ec) self->reply(size);
                              });
    }

private:
    void reply(std::size_t size) {
        answer_ = owner_.answer(std::string_view{received_}.substr(0, size - 1)) + "\n";
        received_.erase(0, size);
        net::async_write(socket_, net::buffer(answer_),
                         [self = shared_from_this()](error_code ec, std::size_t) {
                             if (!ec) self->read();
                         });
    }

    LocalSocket socket_;
    Control& owner_;
    std::string received_;
    std::string answer_;
};

Control::~Control() {
    own_.stop();
    if (thread_.joinable()) thread_.join();
}

core::Result<> Control::open(const std::filesystem::path& file) {
    HEADWAY_CHECK(file_.open(acceptor_, file));
    accept();
    thread_ = std::thread{[this] { own_.run(); }};
    return {};
}

void Control::accept() {
    acceptor_.async_accept(own_, [this](error_code ec, LocalSocket socket) {
        if (ec) return;
        if (const auto uid = user_of(socket); uid && is_our_user(*uid))
            std::make_shared<Client>(std::move(socket), *this)->read();
        accept();
    });
}

std::string Control::answer(std::string_view line) {
    const std::string_view what = next_word(line);
    loop_runs_ = true;
    if (what == "read") return readings(settle(kSettled));
    const auto by = next_millis(line);
    if (!by) return R"({"error":"a command has a number of milliseconds: pass 60000"})";
    if (what == "step") return readings(noticed(Jump::step(*by)));
    if (*by < Millis{0}) return R"({"error":"only the wall clock goes back, by `step`"})";
    const bool passes = what == "pass";
    if (passes || what == "stall") {
        const Millis usual = passes ? std::max(kShortestStep, *by / kStepsUsual) : *by;
        const Millis step = line.empty() ? usual : next_millis(line).value_or(usual);
        return readings(go(*by, std::max(step, Millis{1}), passes ? Jump::pass : Jump::stall));
    }
    if (what == "suspend") return readings(noticed(Jump::suspend(*by)));
    return R"({"error":"the commands are pass, stall, step, suspend and read"})";
}

/// Each step is in effect before the next, except for a daemon that does not answer.
bool Control::go(Millis time, Millis step, Jump (*kind)(Millis)) {
    bool settled = true;
    while (time > Millis{0}) {
        const Millis now = settled ? std::min(step, time) : time;
        settled = in_effect(kind(now));
        time -= now;
    }
    return settled;
}

/// The engine looks at the wall clock in each turn, and has none before its time.
bool Control::noticed(const Jump& by) {
    jump(by);
    return in_effect(Jump::pass(kIdleTurn));
}

/// The engine may have published something for the I/O thread, and that may have asked the engine.
bool Control::in_effect(const Jump& by) {
    jump(by);
    loop_runs_ = loop_runs_ && run_due_timers(io_);
    const bool settled = settle(kSettled);
    if (!loop_runs_) return settled;
    loop_runs_ = run_due_timers(io_);
    return settle(kSettled) && settled;
}

}  // namespace headway::server::testclock
