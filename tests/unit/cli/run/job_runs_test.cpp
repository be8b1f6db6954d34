// SPDX-License-Identifier: Apache-2.0
#include "cli/run/job_runs.hpp"

#include <catch2/catch.hpp>

#include "tests/support/parsed.hpp"

using namespace headway::cli;
using headway::tests::parsed;

namespace {

Json run_of(const std::string& job, const std::string& id, const std::string& status,
            const std::string& more = "") {
    return parsed(R"({"id":")" + id + R"(","agent":{"type":"job","name":")" + job +
                  R"("},"labels":{"adapter":"ping"},"verdict":{"status":")" + status + "\"}" +
                  more + "}");
}

}  // namespace

TEST_CASE("job runs: the completed ones of a job are one row, the newest of them", "[cli]") {
    JobRuns runs;
    CHECK(runs.takes_row(run_of("a", "a~4", "failed")));
    CHECK(runs.takes_row(run_of("a", "a~3", "completed")));
    CHECK(runs.takes_row(run_of("b", "b", "completed")));
    CHECK_FALSE(runs.takes_row(run_of("a", "a~2", "completed")));
    CHECK_FALSE(runs.takes_row(run_of("a", "a", "completed")));
    CHECK(runs.behind("a~4") == 0);
    CHECK(runs.behind("a~3") == 2);
    CHECK(runs.behind("b") == 0);
    CHECK(runs.hidden() == 2);
}

TEST_CASE("job runs: a run at work, or with an alarm, has no completed ones behind it", "[cli]") {
    for (const char* more : {"", R"(,"alarms":[{"type":"x"}])"}) {
        JobRuns runs;
        const char* status = *more == 0 ? "starting" : "completed";
        CHECK(runs.takes_row(run_of("cron", "cron~3", status, more)));
        CHECK(runs.takes_row(run_of("cron", "cron~2", "completed")));
        CHECK_FALSE(runs.takes_row(run_of("cron", "cron", "completed")));
        CHECK(runs.behind("cron~3") == 0);
        CHECK(runs.behind("cron~2") == 1);
    }
}

TEST_CASE("job runs: none is hidden that failed, is at work or has an alarm", "[cli]") {
    JobRuns runs;
    CHECK(runs.takes_row(run_of("a", "a~9", "completed")));
    for (const char* status : {"failed", "cancelled", "halted", "stuck", "slow", "progressing", ""})
        CHECK(runs.takes_row(run_of("a", "a~8", status)));
    CHECK(runs.takes_row(run_of("a", "a~7", "completed", R"(,"alarms":[{"type":"x"}])")));
    CHECK(runs.hidden() == 0);
}

TEST_CASE("job runs: sessions of agents are rows of their own", "[cli]") {
    JobRuns runs;
    for (int i = 0; i < 2; ++i) {
        CHECK(runs.takes_row(parsed(R"({"id":"a","verdict":{"status":"completed"}})")));
        CHECK(runs.takes_row(parsed(
            R"({"id":"a","agent":{"type":"job","name":"a"},"verdict":{"status":"completed"}})")));
    }
}

TEST_CASE("job runs: an agent that calls itself a run of a job has to have its name too", "[cli]") {
    JobRuns runs;
    CHECK(runs.takes_row(run_of("backup", "backup~4", "completed")));
    for (const char* id :
         {"mine", "backups", "backup-2", "backup~", "backup~x", "backup.x", "x.backup"})
        CHECK(runs.takes_row(run_of("backup", id, "completed")));
    CHECK(runs.takes_row(run_of("", "~2", "completed")));
    CHECK(runs.takes_row(run_of("", "", "completed")));
    CHECK(runs.hidden() == 0);
    for (const char* rid : {"7", "x.y"}) {
        CHECK_FALSE(runs.takes_row(parsed(
            std::string{R"({"id":"backup.)"} + rid +
            R"(","agent":{"type":"job","name":"backup"},"labels":{"adapter":"ping","rid":")" + rid +
            R"("},"verdict":{"status":"completed"}})")));
    }
    CHECK(runs.behind("backup~4") == 2);
}
