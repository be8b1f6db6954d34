// SPDX-License-Identifier: Apache-2.0
#include "server/judge_mailbox.hpp"

#include <catch2/catch.hpp>

#include "tests/support/judged.hpp"
#include "tests/support/names.hpp"

using namespace headway::server;
using headway::core::JudgeOutcome;
using Posted = JudgeMailbox::Posted;

namespace {

JudgeJob job(std::uint64_t id, const std::string& session) {
    JudgeJob made;
    made.id = id;
    made.session = session;
    made.endpoint = "judge";
    return made;
}

std::vector<std::uint64_t> ids_of(const std::vector<JudgeJob>& jobs) {
    std::vector<std::uint64_t> ids;
    for (const JudgeJob& made : jobs)
        ids.push_back(made.id);
    return ids;
}

void settle(JudgeMailbox& mailbox, const std::string& session) {
    JudgeReply reply;
    reply.session = session;
    reply.endpoint = "judge";
    mailbox.settle(reply);
}

}  // namespace

TEST_CASE("judge mailbox: the thread is woken once for all that waits", "[server]") {
    JudgeMailbox mailbox{{headway::tests::judge_endpoint("judge", "", "")}};
    CHECK(mailbox.submit(job(1, "a")) == Posted::kWakeUp);
    CHECK(mailbox.submit(job(2, "b")) == Posted::kQuiet);
    CHECK(ids_of(mailbox.take().jobs) == std::vector<std::uint64_t>{1, 2});
    CHECK(mailbox.take().jobs.empty());
    CHECK(mailbox.submit(job(3, "a")) == Posted::kWakeUp);
}

TEST_CASE("judge mailbox: a cancellation applies to earlier questions", "[server]") {
    JudgeMailbox mailbox{{headway::tests::judge_endpoint("judge", "", "")}};
    CHECK(mailbox.cancel("a") == Posted::kNo);
    mailbox.submit(job(1, "a"));
    mailbox.take();
    mailbox.submit(job(2, "a"));
    mailbox.submit(job(3, "b"));
    CHECK(mailbox.cancel("a") != Posted::kNo);
    CHECK(mailbox.cancel("a") != Posted::kNo);
    mailbox.submit(job(4, "a"));
    const auto delivery = mailbox.take();
    CHECK(delivery.cancelled == std::vector<std::string>{"a"});
    CHECK(ids_of(delivery.dropped) == std::vector<std::uint64_t>{2});
    CHECK(ids_of(delivery.jobs) == std::vector<std::uint64_t>{3, 4});
    CHECK(mailbox.stats().open == 4);
    for (int i = 0; i < 3; ++i)
        settle(mailbox, "a");
    CHECK(mailbox.cancel("a") == Posted::kNo);
    CHECK(mailbox.stats().open == 1);
}

TEST_CASE("judge mailbox: closed, it accepts nothing and still delivers", "[server]") {
    JudgeMailbox mailbox{{headway::tests::judge_endpoint("judge", "", "")}};
    mailbox.submit(job(1, "a"));
    mailbox.close();
    CHECK(mailbox.submit(job(2, "a")) == Posted::kNo);
    const auto delivery = mailbox.take();
    CHECK(delivery.closed);
    CHECK(ids_of(delivery.jobs) == std::vector<std::uint64_t>{1});
}
