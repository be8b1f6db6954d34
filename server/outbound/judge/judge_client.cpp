// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/judge/judge_client.hpp"

#include <utility>

#include "server/outbound/judge/judge_worker.hpp"

namespace headway::server {

JudgeClient::JudgeClient(CurlLoop& loop, config::JudgeSettings settings, Deliver deliver,
                         Report report)
    : ledger_(settings.endpoints), loop_(loop) {
    worker_ = std::make_unique<JudgeWorker>(std::move(settings), ledger_, std::move(deliver),
                                            std::move(report));
    loop_.add(*worker_);
}

JudgeClient::~JudgeClient() {
    stop();
}

bool JudgeClient::submit(JudgeJob job) {
    if (!ledger_.open(job.endpoint)) return false;
    const bool taken = loop_.post(
        *worker_,
        [worker = worker_.get(), job = std::move(job)]() mutable { worker->ask(std::move(job)); });
    if (!taken) ledger_.turn_away();
    return taken;
}

void JudgeClient::cancel(const std::string& session) {
    // Work is done in order, so this applies to earlier questions only. If it finds no room, the
    // questions are answered in vain.
    loop_.post(*worker_, [worker = worker_.get(), session] { worker->cancel(session); });
}

void JudgeClient::stop() {
    loop_.remove(*worker_);
}

JudgeStats JudgeClient::stats() const {
    return ledger_.stats();
}

}  // namespace headway::server
