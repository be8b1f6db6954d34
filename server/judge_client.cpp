// SPDX-License-Identifier: Apache-2.0
#include "server/judge_client.hpp"

#include <utility>

#include "server/judge_worker.hpp"

namespace headway::server {

JudgeClient::JudgeClient(CurlLoop& loop, config::JudgeSettings settings, Deliver deliver,
                         Report report)
    : mailbox_(settings.endpoints), loop_(loop) {
    worker_ = std::make_unique<JudgeWorker>(std::move(settings), mailbox_, std::move(deliver),
                                            std::move(report));
    loop_.add(*worker_);
}

JudgeClient::~JudgeClient() {
    stop();
}

bool JudgeClient::submit(JudgeJob job) {
    const auto posted = mailbox_.submit(std::move(job));
    if (posted == JudgeMailbox::Posted::kWakeUp) loop_.wake();
    return posted != JudgeMailbox::Posted::kNo;
}

void JudgeClient::cancel(const std::string& session) {
    if (mailbox_.cancel(session) == JudgeMailbox::Posted::kWakeUp) loop_.wake();
}

void JudgeClient::stop() {
    mailbox_.close();
    loop_.remove(*worker_);
}

JudgeStats JudgeClient::stats() const {
    return mailbox_.stats();
}

}  // namespace headway::server
