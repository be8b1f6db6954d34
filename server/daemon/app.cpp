// SPDX-License-Identifier: Apache-2.0
#include "server/daemon/app.hpp"

#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <thread>

#include "config/load/keys.hpp"
#include "config/values/size.hpp"
#include "server/access/operator_token.hpp"
#include "server/daemon/banner.hpp"
#include "server/daemon/log_sessions.hpp"
#include "server/daemon/loop_pulse.hpp"
#include "server/daemon/observer_child.hpp"
#include "server/daemon/outgoing.hpp"
#include "server/daemon/ports_file.hpp"
#include "server/daemon/store/store_opening.hpp"
#include "server/endpoints/routing/dispatcher.hpp"
#include "server/endpoints/routing/engine_settings.hpp"
#include "server/engine/base/command_queue.hpp"
#include "server/engine/turn/engine.hpp"
#include "server/http/connection/listeners.hpp"
#include "server/process/heap.hpp"
#include "server/process/logging.hpp"
#include "server/process/service_notifier.hpp"
#include "server/time/clock.hpp"
#include "storage/base/disk_space.hpp"

namespace headway::server {
namespace {

using namespace std::chrono_literals;

constexpr int kExitFailure = 1;
constexpr int kExitConfig = 2;
/// Time to send the last replies after a failed sync.
constexpr auto kLastWords = 1s;

/// The daemon: constructs its parts in the order of use and destroys them in reverse.
class App {
public:
    App(const config::ServeOptions& options, config::Loaded loaded,
        std::shared_ptr<spdlog::logger> log, const Invite& invite)
        : options_(options),
          invite_(invite),
          loaded_(std::move(loaded)),
          log_(std::move(log)),
          manager_(options.sources.environment),
          outgoing_(io_, [this](bool is_error, const std::string& line) { say(is_error, line); }),
          signals_(io_, SIGTERM, SIGINT, SIGHUP),
          drain_timer_(io_) {}

    int run();

private:
    core::Result<> open_store();
    void hold_reserve();
    core::Result<> listen();
    void take(Publication& publication);
    void say(bool is_error, const std::string& line) {
        log_->log(is_error ? spdlog::level::err : spdlog::level::info, "{}", line);
    }
    void fail(const std::string& why);
    core::Result<> load_tokens();
    core::Result<> announce();
    void show_banner();
    void run_loop();
    void run_engine();
    void await_signal();
    void let_signals_end_us();
    void reload();
    void reload_settings();
    void drain();
    void wait_for_drain(Clock::Steady::time_point deadline);

    const config::ServeOptions& options_;
    const Invite& invite_;
    config::Loaded loaded_;
    std::shared_ptr<spdlog::logger> log_;
    ServiceNotifier manager_;
    Clock clock_;
    std::filesystem::path state_;     ///< the state directory
    std::filesystem::path database_;  ///< or the URL of the store, without a password
    std::unique_ptr<storage::Store> store_;
    std::unique_ptr<storage::BallastFile> space_;
    net::io_context io_{1};
    LoopPulse pulse_{io_};
    CommandQueue queue_;
    std::unique_ptr<ClusterHints> hints_;  ///< where daemons share the store
    std::unique_ptr<Engine> engine_;
    std::unique_ptr<Dispatcher> dispatcher_;
    Outgoing outgoing_;
    net::signal_set signals_;
    Timer drain_timer_;
    std::unique_ptr<ObserverChild> observer_;  ///< null: no agent is observed
    bool draining_ = false;
    bool failed_ = false;
    Guest guest_;
};

int App::run() {
    const auto started = Clock::steady();
    for (const auto step : {&App::open_store, &App::listen}) {
        if (auto done = (this->*step)(); !done) {
            log_->error("{}", done.error().detail);
            // A database of another program is a mistake in the setting that `field` names.
            if (done.error().code == core::ErrorCode::kStorageCorrupt && done.error().field.empty())
                log_->error(
                    "the database {} is damaged: `headway doctor --repair` saves what can "
                    "be read of it, or put back a backup with `headway restore`",
                    database_.string());
            return done.error().code == core::ErrorCode::kInvalidConfig ? kExitConfig
                                                                        : kExitFailure;
        }
    }
    outgoing_.listens_at(dispatcher_->http().url());
    give_back_start_memory();
    std::thread engine{[this] { run_engine(); }};
    await_signal();
    const auto ready = std::chrono::duration_cast<core::Millis>(Clock::steady() - started);
    log_->info("ready in {} ms on {}, database {}", ready.count(), dispatcher_->http().url(),
               database_.string());
    auto announced = announce();
    if (announced) {
        run_loop();
    } else {
        log_->error("{}", announced.error().detail);
        let_signals_end_us();
        dispatcher_->stop();
    }
    outgoing_.stop();
    queue_.close();
    engine.join();
    io_.restart();
    io_.poll();  // the last publications, and the end of connections
    log_->info("stopped");
    return announced && !failed_ ? 0 : kExitFailure;
}

core::Result<> App::open_store() {
    const auto directory =
        config::state_directory(loaded_.settings.storage, options_.sources.environment);
    std::error_code ec;
    std::filesystem::create_directories(directory, ec);
    if (ec) {
        return core::Error{core::ErrorCode::kInvalidConfig,
                           "cannot create the state directory " + directory.string() + ": " +
                               ec.message() + "; choose another with --state-dir",
                           "storage.state_dir"};
    }
    ::umask(0077);  // no other user may read what agents say
    state_ = directory;
    if (!loaded_.settings.storage.store.empty()) {
        // The state directory holds what is this daemon's own: sockets, the operator's token.
        database_ = config::without_password(loaded_.settings.storage.store);
        HEADWAY_TRY(store_, open_shared_store(loaded_.settings, clock_));
        return {};
    }
    database_ = state_ / "headway.db";
    HEADWAY_TRY(store_, open_sqlite_store(database_, *log_));
    hold_reserve();
    return {};
}

void App::hold_reserve() {
    const config::StorageSettings& settings = loaded_.settings.storage;
    space_ = std::make_unique<storage::BallastFile>(database_.parent_path() / "headway.ballast",
                                                    settings.ballast);
    if (!space_->reserve(settings.free_space_min)) {
        log_->warn("no room for the reserve of {} on the disk: reports are refused until there is",
                   config::print_size(settings.ballast));
    }
}

core::Result<> App::listen() {
    dispatcher_ =
        std::make_unique<Dispatcher>(io_, loaded_.settings.server, clock_, queue_,
                                     [this](const std::string& line) { log_->warn("{}", line); });
    outgoing_.start(loaded_.settings, *dispatcher_);
    auto settings = engine_settings(loaded_.settings, manager_);
    settings.webhooks = outgoing_.webhook_rules();
    settings.reader_seen = [this] { return pulse_.last(); };
    engine_ = std::make_unique<Engine>(
        *store_, clock_, queue_, std::move(settings),
        [this](std::unique_ptr<Publication> publication) {
            auto publish = [this, published = std::move(publication)]() mutable {
                take(*published);
            };
            net::post(io_.get_executor(), std::move(publish));
        },
        [this](bool is_error, const std::string& line) { say(is_error, line); },
        outgoing_.judge_link());
    log_sessions(*engine_, log_);
    engine_->send_webhooks_with(outgoing_.webhook_link());
    if (space_) engine_->watch_space(*space_, loaded_.settings.storage.free_space_min);
    if (storage::SharedStore* shared = store_->shared()) {
        dispatcher_->share();
        hints_ = std::make_unique<ClusterHints>(shared->make_hints(), queue_);
        engine_->hint_by(*hints_);
    }
    dispatcher_->show_system(database_, loaded_.settings.judge.endpoints);
    dispatcher_->keep_free(loaded_.settings.storage.free_space_min);
    HEADWAY_CHECK(load_tokens());
    HEADWAY_TRY(const std::uint64_t replayed, engine_->recover());
    if (replayed > 0) log_->info("read {} events back from the journal", replayed);
    return open_listeners(dispatcher_->http(), loaded_.settings, options_.sources.environment,
                          [this](const std::string& line) { log_->warn("{}", line); });
}

void App::take(Publication& publication) {
    dispatcher_->publish(publication);
    if (!publication.fatal.empty()) fail(publication.fatal);
}

/// Stops the daemon after a failed sync or a truncated file. The kernel reports a failed sync once;
/// a second try succeeds although the data is lost. SQLite's view of a truncated file is wrong. A
/// new process reads the real content of the disk.
void App::fail(const std::string& why) {
    failed_ = true;
    log_->critical(
        "{}. Stopping, because later writes could be lost silently. Check the disk, then start "
        "headway again",
        why);
    if (draining_) return;
    draining_ = true;
    dispatcher_->drain();
    wait_for_drain(Clock::steady() + kLastWords);
}

core::Result<> App::load_tokens() {
    Access& access = dispatcher_->access();
    access.configure(loaded_.settings.access);
    dispatcher_->http().refuse_forwarded(loaded_.settings.access.mode == "local");
    dispatcher_->redact(loaded_.settings.redaction);
    HEADWAY_TRY(auto tokens, store_->token_table().tokens());
    access.set_tokens(std::move(tokens));
    const auto file = state_ / kOperatorFile;
    const std::string& secret = loaded_.settings.access.secret_file;
    if (!secret.empty()) return access.share(file, secret);
    HEADWAY_TRY(const bool tightened, access.adopt_operator(file));
    if (tightened) {
        log_->warn(
            "others could read {}; its mode is 0600 again, but `headway token "
            "rotate-operator` is safer",
            file.string());
    }
    return {};
}

/// Writes the ports file when the listener is open, so that its reader can connect at once.
core::Result<> App::announce() {
    HEADWAY_TRY(guest_, invite_ ? invite_(io_) : core::Result<Guest>{Guest{}});
    if (options_.ports_file) {
        HEADWAY_CHECK(write_ports_file(*options_.ports_file,
                                       "{\"http\":\"" + dispatcher_->http().bound() +
                                           "\",\"socket\":\"" +
                                           dispatcher_->http().local_path().string() + "\"}\n"));
    }
    show_banner();
    observer_ = start_observer(io_, loaded_.settings.observe, dispatcher_->http(), state_,
                               [this](const std::string& line) { say(true, line); });
    manager_.ready(dispatcher_->http().url());
    return {};
}

void App::show_banner() {
    Banner banner;
    banner.url = dispatcher_->http().url();
    banner.socket = dispatcher_->http().local_path();
    banner.database = database_.string();
    banner.operator_file = dispatcher_->access().operator_file().string();
    if (loaded_.file) banner.config_file = loaded_.file->string();
    if (isatty(STDOUT_FILENO) == 0) return print_ready_line(banner);
    const auto login = dispatcher_->access().make_login_code();
    print_banner(banner, login ? login_url(banner.url, *login) : banner.url);
}

/// An exception from a handler, in practice a lack of memory, may leave a timer, the listener or a
/// connection unarmed. As on the engine's thread, a restart is the safe reaction.
void App::run_loop() {
    pulse_.start();
    try {
        io_.run();
    } catch (const std::exception& e) {
        log_->critical(
            "the I/O thread failed: {}; stopping at once, because it may not serve clients any "
            "more. Acknowledged data is stored",
            e.what());
        log_->flush();
        std::abort();
    }
}

void App::run_engine() {
    ::pthread_setname_np(::pthread_self(),
                         "engine");  // the thread's name in top and perf
    try {
        engine_->run();
    } catch (const std::exception& e) {
        // Memory and journal may differ now: a restart from the journal is safe.
        log_->critical("the engine failed: {}", e.what());
        log_->flush();
        std::abort();
    }
}

void App::await_signal() {
    signals_.async_wait([this](error_code ec, int signal) {
        if (ec) return;
        await_signal();
        if (signal == SIGHUP) {
            reload();
        } else if (draining_) {
            log_->warn("second signal, stopping at once");
            std::_Exit(kExitFailure);
        } else {
            drain();
        }
    });
}

/// From now on a second SIGTERM kills the process, even if the final commit hangs.
void App::let_signals_end_us() {
    error_code ignored;
    for (const int signal : {SIGTERM, SIGINT})
        signals_.remove(signal, ignored);
}

void App::reload() {
    manager_.reloading();
    reload_settings();
    manager_.ready(dispatcher_->http().url());
}

void App::reload_settings() {
    auto loaded = config::load(options_.sources);
    const auto refuse = [this](const core::Error& error) {
        log_->error("the configuration was not reloaded: {}", error.detail);
    };
    if (!loaded) return refuse(loaded.error());
    const config::ServerSettings& in_force = loaded_.settings.server;
    if (auto done = reload_listener(dispatcher_->http(), in_force, loaded->settings); !done)
        return refuse(done.error());
    set_log_level(*log_, loaded->settings.log.level);
    dispatcher_->reload(loaded->settings);
    log_->info("configuration reloaded");
    if (const auto later = config::waiting_for_restart(loaded_.settings, loaded->settings);
        !later.empty()) {
        log_->warn("changed, but in effect only after a restart: {}", later);
    }
}

void App::drain() {
    draining_ = true;
    manager_.stopping();
    log_->info("draining");
    // answers clients that wait for a test before their connection closes
    outgoing_.stop_webhooks();
    dispatcher_->drain();
    wait_for_drain(Clock::steady() + loaded_.settings.server.drain_timeout);
}

void App::wait_for_drain(Clock::Steady::time_point deadline) {
    if (dispatcher_->drained() || Clock::steady() >= deadline) {
        let_signals_end_us();
        dispatcher_->stop();
        // cancel() misses a timer that is already due and re-arms itself.
        io_.stop();
        return;
    }
    drain_timer_.expires_after(20ms);
    drain_timer_.async_wait([this, deadline](error_code ec) {
        if (!ec) wait_for_drain(deadline);
    });
}

}  // namespace

int serve(const config::ServeOptions& options, const Invite& invite) {
    auto loaded = config::load(options.sources);
    if (!loaded) {
        std::fprintf(stderr, "headway: %s\n", loaded.error().detail.c_str());
        return kExitConfig;
    }
    std::signal(SIGPIPE, SIG_IGN);
    keep_freed_memory();
    auto log = make_logger(loaded->settings.log);
    return App{options, *std::move(loaded), log, invite}.run();
}

}  // namespace headway::server
