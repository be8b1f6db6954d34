#include "server/app.hpp"

#include <malloc.h>
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

#include "config/address.hpp"
#include "core/version.hpp"
#include "server/clock.hpp"
#include "server/command_queue.hpp"
#include "server/dispatcher.hpp"
#include "server/judge_client.hpp"
#include "server/logging.hpp"
#include "server/operator_token.hpp"
#include "server/supervisor.hpp"
#include "storage/sqlite_store.hpp"

namespace headway::server {
namespace {

using namespace std::chrono_literals;

constexpr int kExitFailure = 1;
constexpr int kExitConfig = 2;

/// What one thread allocates for a batch the other frees: glibc would give the pages back and fault
/// them in again with every batch. Keeps at most kKeptBytes a thread; larger blocks are still
/// mapped on their own and returned at once.
void keep_freed_memory() {
    constexpr int kKeptBytes = 16 << 20;
    constexpr int kGrowthBytes = 1 << 20;
    constexpr int kMappedFrom = 4 << 20;
    ::mallopt(M_TRIM_THRESHOLD, kKeptBytes);
    ::mallopt(M_TOP_PAD, kGrowthBytes);
    ::mallopt(M_MMAP_THRESHOLD, kMappedFrom);
}

/// The first endpoint of each role is asked.
core::JudgeRules judge_rules(const config::JudgeSettings& settings) {
    core::JudgeRules rules;
    rules.on_suspect = settings.on_suspect;
    rules.audit_rounds = settings.audit_rounds;
    rules.checks_max = settings.checks_max;
    rules.estimate_steps = settings.estimate_steps;
    rules.estimates_max = settings.estimates_max;
    core::parse_name(settings.estimates, rules.estimates);  // checked when it was loaded
    for (const config::JudgeEndpoint& endpoint : settings.endpoints) {
        std::string& name = endpoint.role == "confirm" ? rules.confirm : rules.primary;
        if (name.empty()) name = endpoint.name;
    }
    return rules;
}

Supervisor::Settings supervisor_settings(const config::Settings& settings) {
    return {settings.policy,
            settings.approvals,
            settings.storage.retention,
            settings.storage.sessions_resident_max,
            judge_rules(settings.judge),
            settings.budget};
}

/// The daemon, put together in the order in which it is needed and taken apart in reverse.
class App {
public:
    App(const config::ServeOptions& options, config::Loaded loaded,
        std::shared_ptr<spdlog::logger> log)
        : options_(options),
          loaded_(std::move(loaded)),
          log_(std::move(log)),
          signals_(io_, SIGTERM, SIGINT, SIGHUP),
          drain_timer_(io_) {}

    int run();

private:
    core::Result<> open_store();
    core::Result<> listen();
    void start_judge();
    Supervisor::JudgeLink judge_link();
    core::Result<> load_tokens();
    core::Result<> announce();
    void print_banner();
    void run_loop();
    void supervise();
    void await_signal();
    void reload();
    void drain();
    void wait_for_drain(Clock::Steady::time_point deadline);

    const config::ServeOptions& options_;
    config::Loaded loaded_;
    std::shared_ptr<spdlog::logger> log_;
    Clock clock_;
    std::filesystem::path database_;
    std::unique_ptr<storage::SqliteStore> store_;
    net::io_context io_{1};
    CommandQueue queue_;
    std::unique_ptr<Supervisor> supervisor_;
    std::unique_ptr<Dispatcher> dispatcher_;
    std::unique_ptr<JudgeClient> judge_;  ///< null without an endpoint
    net::signal_set signals_;
    Timer drain_timer_;
    bool draining_ = false;
};

int App::run() {
    const auto started = Clock::steady();
    for (const auto step : {&App::open_store, &App::listen}) {
        if (auto done = (this->*step)(); !done) {
            log_->error("{}", done.error().detail);
            return done.error().code == core::ErrorCode::kInvalidConfig ? kExitConfig
                                                                        : kExitFailure;
        }
    }
    std::thread supervisor{[this] { supervise(); }};
    await_signal();
    const auto ready = std::chrono::duration_cast<core::Millis>(Clock::steady() - started);
    log_->info("ready in {} ms on http://{}, database {}", ready.count(),
               dispatcher_->http().bound(), database_.string());
    auto announced = announce();
    if (announced) {
        run_loop();
    } else {
        log_->error("{}", announced.error().detail);
        dispatcher_->stop();
        signals_.cancel();
    }
    if (judge_) judge_->stop();  // checks under way are asked again after the next start
    queue_.close();
    supervisor.join();
    io_.restart();
    io_.poll();  // publications of the last turn, and the connections' last breaths
    log_->info("stopped");
    return announced ? 0 : kExitFailure;
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
    ::umask(0077);  // what agents say is nobody else's business
    database_ = directory / "headway.db";
    HEADWAY_TRY(store_, storage::SqliteStore::open(database_));
    return {};
}

core::Result<> App::listen() {
    HEADWAY_TRY(const config::ListenAddress address,
                config::parse_listen_address(loaded_.settings.server.listen));
    dispatcher_ =
        std::make_unique<Dispatcher>(io_, loaded_.settings.server, clock_, queue_,
                                     [this](const std::string& line) { log_->warn("{}", line); });
    supervisor_ = std::make_unique<Supervisor>(
        *store_, clock_, queue_, supervisor_settings(loaded_.settings),
        [this](std::unique_ptr<Publication> publication) {
            auto publish = [this, published = std::move(publication)]() mutable {
                dispatcher_->publish(*published);
            };
            net::post(io_.get_executor(), std::move(publish));
        },
        [this](bool is_error, const std::string& line) {
            log_->log(is_error ? spdlog::level::err : spdlog::level::info, "{}", line);
        },
        judge_link());
    dispatcher_->show_system(database_, loaded_.settings.judge.endpoints);
    start_judge();
    HEADWAY_CHECK(load_tokens());
    HEADWAY_TRY(const std::uint64_t replayed, supervisor_->recover());
    if (replayed > 0) log_->info("read {} events back from the journal", replayed);
    HEADWAY_CHECK(dispatcher_->http().listen(address.host, address.port));
    dispatcher_->access().set_port(dispatcher_->http().port());
    return {};
}

void App::start_judge() {
    if (loaded_.settings.judge.endpoints.empty()) return;
    judge_ = std::make_unique<JudgeClient>(
        loaded_.settings.judge,
        [this](JudgeReply reply) {
            net::post(io_.get_executor(), [this, answer = std::move(reply)]() mutable {
                dispatcher_->judged(std::move(answer));
            });
        },
        [this](bool is_error, const std::string& line) {
            log_->log(is_error ? spdlog::level::err : spdlog::level::info, "{}", line);
        });
    dispatcher_->show_judges([this] { return judge_->stats(); });
}

Supervisor::JudgeLink App::judge_link() {
    Supervisor::JudgeLink link;
    link.ask = [this](JudgeJob job) {
        JudgeReply refused;
        refused.id = job.id;
        refused.session = job.session;
        refused.endpoint = job.endpoint;
        refused.outcome = core::JudgeOutcome::kUnavailable;
        refused.error = judge_ ? "too many questions wait, or this judge is not configured any more"
                               : "no judge is configured any more";
        if (judge_ && judge_->submit(std::move(job))) return;
        net::post(io_.get_executor(), [this, reply = std::move(refused)]() mutable {
            dispatcher_->judged(std::move(reply));
        });
    };
    link.cancel = [this](const std::string& session) {
        if (judge_) judge_->cancel(session);
    };
    return link;
}

core::Result<> App::load_tokens() {
    Access& access = dispatcher_->access();
    access.configure(loaded_.settings.access);
    HEADWAY_TRY(auto tokens, store_->tokens());
    access.set_tokens(std::move(tokens));
    const auto file = database_.parent_path() / kOperatorFile;
    HEADWAY_TRY(const bool tightened, access.adopt_operator(file));
    if (tightened) {
        log_->warn(
            "others could read {}; its mode is 0600 again, but `headway token "
            "rotate-operator` is safer",
            file.string());
    }
    return {};
}

/// Whoever waits for the ports file may connect at once: the listener is open.
core::Result<> App::announce() {
    if (options_.ports_file) {
        const std::filesystem::path temporary = options_.ports_file->string() + ".tmp";
        std::error_code ec;
        {
            std::ofstream out{temporary};
            out << "{\"http\":\"" << dispatcher_->http().bound() << "\"}\n";
            if (!out.flush()) ec = std::make_error_code(std::errc::io_error);
        }
        if (!ec) std::filesystem::rename(temporary, *options_.ports_file, ec);
        if (ec) {
            return core::Error{
                core::ErrorCode::kInternal,
                "cannot write " + options_.ports_file->string() + ": " + ec.message(),
                {}};
        }
    }
    print_banner();
    return {};
}

/// Where somebody looks at it, with a link that logs a browser in; a log must not have that.
void App::print_banner() {
    const std::string url = "http://" + dispatcher_->http().bound();
    const core::VersionInfo& version = core::version();
    if (isatty(STDOUT_FILENO) == 0) {
        std::printf("{\"event\":\"ready\",\"version\":\"%s\",\"url\":\"%s\",\"database\":\"%s\"}\n",
                    std::string{version.version}.c_str(), url.c_str(), database_.c_str());
    } else {
        const auto login = dispatcher_->access().make_login_code();
        const std::string dashboard = login ? login_url(url, *login) : url;
        std::printf(
            "\n  Headway %s (%s)\n\n"
            "  Dashboard %s\n            (good once, for 10 minutes; then: headway dashboard)\n"
            "  API       %s\n  Metrics   %s/metrics\n  Database  %s\n  Operator  %s\n  Config    "
            "%s\n\n"
            "  Try       headway run -- make -j2     and     headway watch\n\n",
            std::string{version.version}.c_str(), std::string{version.git}.c_str(),
            dashboard.c_str(), url.c_str(), url.c_str(), database_.c_str(),
            dispatcher_->access().operator_file().c_str(),
            loaded_.file ? loaded_.file->c_str() : "defaults (no headway.toml found)");
    }
    std::fflush(stdout);
}

/// An exception that escapes a handler costs its connection at most, never the daemon.
void App::run_loop() {
    while (true) {
        try {
            io_.run();
            return;
        } catch (const std::exception& e) {
            log_->error("a handler failed: {}", e.what());
        }
    }
}

void App::supervise() {
    ::pthread_setname_np(::pthread_self(),
                         "supervisor");  // tells the threads apart in top and perf
    try {
        supervisor_->run();
    } catch (const std::exception& e) {
        // Memory and journal may disagree now: starting again from the journal is the safe way on.
        log_->critical("the supervisor failed: {}", e.what());
        std::abort();
    }
}

void App::await_signal() {
    signals_.async_wait([this](error_code ec, int signal) {
        if (ec) return;
        await_signal();  // first, so that a drain that ends at once can call it off
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

void App::reload() {
    auto loaded = config::load(options_.sources);
    if (!loaded) {
        log_->error("the configuration was not reloaded: {}", loaded.error().detail);
        return;
    }
    set_log_level(*log_, loaded->settings.log.level);
    dispatcher_->reload(loaded->settings);
    log_->info("configuration reloaded");
}

void App::drain() {
    draining_ = true;
    log_->info("draining");
    dispatcher_->drain();
    wait_for_drain(Clock::steady() + loaded_.settings.server.drain_timeout);
}

void App::wait_for_drain(Clock::Steady::time_point deadline) {
    if (dispatcher_->drained() || Clock::steady() >= deadline) {
        dispatcher_->stop();
        signals_.cancel();
        return;
    }
    drain_timer_.expires_after(20ms);
    drain_timer_.async_wait([this, deadline](error_code ec) {
        if (!ec) wait_for_drain(deadline);
    });
}

}  // namespace

int serve(const config::ServeOptions& options) {
    auto loaded = config::load(options.sources);
    if (!loaded) {
        std::fprintf(stderr, "headway: %s\n", loaded.error().detail.c_str());
        return kExitConfig;
    }
    std::signal(SIGPIPE, SIG_IGN);
    keep_freed_memory();
    auto log = make_logger(loaded->settings.log);
    App app{options, *std::move(loaded), log};
    return app.run();
}

}  // namespace headway::server
