#include "server/judge_client.hpp"

#include <curl/curl.h>

#include <csignal>
#include <utility>

#include "core/assert.hpp"
#include "server/judge_worker.hpp"

namespace headway::server {
namespace {

/// libcurl's own globals, once in a process and never given back: another user of libcurl may still
/// need them when the last client is gone.
void need_curl() {
    static const CURLcode initialized = curl_global_init(CURL_GLOBAL_DEFAULT);
    HEADWAY_ASSERT(initialized == CURLE_OK);
}

/// While it lives, threads start with all signals blocked. Signals of the process are for the I/O
/// thread, and OpenSSL writes to sockets without MSG_NOSIGNAL: a dead peer would raise SIGPIPE.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;
    ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

}  // namespace

JudgeClient::JudgeClient(config::JudgeSettings settings, Deliver deliver, Report report)
    : mailbox_(settings.endpoints) {
    need_curl();
    worker_ = std::make_unique<JudgeWorker>(std::move(settings), mailbox_, std::move(deliver),
                                            std::move(report));
    const SignalsBlocked blocked;
    thread_ = std::thread{[this] { worker_->run(); }};
}

JudgeClient::~JudgeClient() {
    stop();
}

bool JudgeClient::submit(JudgeJob job) {
    const auto posted = mailbox_.submit(std::move(job));
    if (posted == JudgeMailbox::Posted::kWakeUp) worker_->wake();
    return posted != JudgeMailbox::Posted::kNo;
}

void JudgeClient::cancel(const std::string& session) {
    if (mailbox_.cancel(session) == JudgeMailbox::Posted::kWakeUp) worker_->wake();
}

void JudgeClient::stop() {
    if (!thread_.joinable()) return;
    mailbox_.close();
    worker_->wake();
    thread_.join();
}

JudgeStats JudgeClient::stats() const {
    return mailbox_.stats();
}

}  // namespace headway::server
