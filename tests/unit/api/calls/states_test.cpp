// SPDX-License-Identifier: Apache-2.0
#include "api/calls/states.hpp"

#include <catch2/catch.hpp>

using headway::api::reports_state;

TEST_CASE("states: words of what is under way report a state", "[api]") {
    const char* const answer = GENERATE(
        "job 7 is running", "Order 55: processing", "build pending", "RUNNING", "Processing...",
        "ID: 5f\nSTATUS: QUEUED\nCREATED: today", "JOBID STATE\n5 RUNNING\n6 COMPLETED",
        R"({"status":"pending"})", R"({"done":5,"running":2})", "Upload in progress",
        "Deployment in progress... 2 of 3 pods updated", "Processing: 3 of 10 files done",
        "Build is running: tests passed, image created", R"({"state":"building","done":false})",
        "not ready yet", "2 pending, 3 done", "waiting for the build to finish",
        "The deployment is running; it will be ready in a minute.",
        "Job 7 is still running\n(ask again with job_status)", "status: working\njob: 5",
        "job 7 is running\n[The command completed with exit code 0.]\n[Current folder: /w]",
        "job 7 is running\n<exited with exit code 0>", "build: in_progress\nlint: success",
        "Job 7 is running: 2 tasks done", "deploy pending; checks ok",
        "Job 7 running (last run: failed)", "Job 7 running (failed: 0)",
        "pipeline running\nfailed: 0");
    CAPTURE(answer);
    CHECK(reports_state(answer));
}

TEST_CASE("states: a program that announces what it does next reports its own end", "[api]") {
    const char* const answer = GENERATE(
        "Processing... nothing done", "Starting import\nImport complete", "building index\nok",
        "Running checks\nAll checks OK", "Initializing\nFinished",
        "Waiting for lock... acquired\nDone", "0 errors, pending changes applied",
        "Starting run 3\nno data found", "Server is starting\nError: Cannot find module 'express'",
        "Job is running on 3 nodes and has failed", "deploy is running (failed)",
        "worker 4000 starting\nnothing to do", "[job 3] processing 0 of 12 files, 12 skipped",
        R"({"running":0,"done":5})", "no jobs pending", "0 running", "the job is not running", "");
    CAPTURE(answer);
    CHECK_FALSE(reports_state(answer));
}
