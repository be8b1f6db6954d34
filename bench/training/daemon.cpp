// SPDX-License-Identifier: Apache-2.0
#include "bench/training/daemon.hpp"

#include <boost/asio/post.hpp>
#include <fstream>
#include <utility>

#include "bench/training/client.hpp"
#include "bench/training/time_source.hpp"
#include "server/engine_settings.hpp"
#include "server/service_notifier.hpp"
#include "storage/sqlite_store.hpp"

namespace headway::training {
namespace {

template <class T>
T need(core::Result<T> result) {
    if (!result) give_up(result.error().detail);
    return *std::move(result);
}

void need(const core::Result<>& result) {
    if (!result) give_up(result.error().detail);
}

}  // namespace

Daemon::Daemon(std::filesystem::path state) : state_(std::move(state)) {
    std::filesystem::create_directories(state_);
    store_ = need(storage::SqliteStore::open(state_ / "headway.db"));
    dispatcher_ = std::make_unique<server::Dispatcher>(io_, settings_.server, clock_, queue_,
                                                       [](const std::string&) {});
    auto settings = server::engine_settings(settings_, server::ServiceNotifier{{}});
    settings.reader_seen = [] { return server::Clock::steady(); };
    engine_ = std::make_unique<server::Engine>(
        *store_, clock_, queue_, std::move(settings),
        [this](std::unique_ptr<server::Publication> publication) {
            auto publish = [this, published = std::move(publication)]() mutable {
                dispatcher_->publish(*published);
            };
            server::net::post(io_.get_executor(), std::move(publish));
        },
        [](bool is_error, const std::string& line) {
            if (is_error) give_up(line);
        });
    engine_->log_sessions_with([](bool, const std::string&) {});
    server::Access& access = dispatcher_->access();
    access.configure(settings_.access);
    dispatcher_->http().refuse_forwarded(true);
    dispatcher_->redact(settings_.redaction);
    access.set_tokens(need(store_->token_table().tokens()));
    need(access.adopt_operator(state_ / "operator.token"));
    std::ifstream{state_ / "operator.token"} >> token_;
    need(engine_->recover());
    need(dispatcher_->http().listen("127.0.0.1", 0));
}

Daemon::~Daemon() {
    dispatcher_->stop();
    dispatcher_->http().drain();
    io_.restart();
    io_.poll();
}

void Daemon::run(std::function<void()> go_on) {
    when_waiting(std::move(go_on));
    engine_->run();
    when_waiting([] { give_up("a thread waits that is none of the training's"); });
}

void Daemon::serve_one() {
    io_.run_one();
}

void Daemon::let_pass(std::chrono::milliseconds time) {
    move_clocks(time);
    passing_ = true;
    // The loop looks at its timers when the kernel's has ended: one that is due at once ends it.
    timer_.expires_at({});
    timer_.async_wait([this](server::error_code) { passing_ = false; });
}

}  // namespace headway::training
