// SPDX-License-Identifier: Apache-2.0
#include "api/records/deeds.hpp"

#include <catch2/catch.hpp>

using namespace headway::api;

TEST_CASE("deeds: a check says that all is well by a word or by the absence of faults", "[deeds]") {
    for (const char* answer :
         {"", "0", "200", "ok", "smoke ok", "0 mismatches", "No issues", "all assets valid",
          R"({"status":"green","timed_out":false,"relocating":0})", R"({"ok":true,"errors":[]})",
          "Seconds_Behind_Master: 0", "System check identified no issues (0 silenced).",
          "No changes. Your infrastructure matches the configuration.", "last_error: null, up"}) {
        CAPTURE(answer);
        CHECK(says_all_well(answer));
    }
}

TEST_CASE("deeds: a check with a fault, a flaw or a question is not well", "[deeds]") {
    for (const char* answer :
         {"mode: legacy", "17", "2 failed, 40 passed", "10 errors", "0 passed", "not ok",
          R"({"status":"red"})", R"({"ready":false})", "Seconds_Behind_Master: 40",
          "no such file, ok", "errors: 0.5 ok, failed: 2", "ok to go on?", "Done. [y/N]",
          "job failed, cleanup done", "not found: ok.txt", "Usage: check ok"}) {
        CAPTURE(answer);
        CHECK_FALSE(says_all_well(answer));
    }
}

TEST_CASE("deeds: an action was done unless its answer names a fault or says that it was idle",
          "[deeds]") {
    for (const char* answer :
         {"", "done", "converted", "Results:\n0 errors\n0 unmodified\n0 skipped\n1 ok",
          "does not require a restart", "removed 1 package\n\nfound 0 vulnerabilities"})
        CHECK(says_it_was_done(answer));
    for (const char* answer :
         {"Error: no rights were changed", "already done", "nothing to do", "No changes",
          "everything is up to date", "tenant not found", "Continue? [y/N]", "1 skipped"}) {
        CAPTURE(answer);
        CHECK_FALSE(says_it_was_done(answer));
    }
}

TEST_CASE("deeds: words for people, sleeps, counters and temporary outputs are no part of a deed",
          "[deeds]") {
    for (const char* command :
         {"echo 'attempt 3'; ./move.sh a", "sleep 7 && ./move.sh a", "./move.sh a # again\n",
          "./move.sh a --attempt 3", "./move.sh a --retry=3", "RUN=3 ./move.sh a",
          "./move.sh a && echo done 3"}) {
        CAPTURE(command);
        CHECK(deed_in(command) == "./move.sh a \n");
    }
    CHECK(deed_in("./move.sh a 2>/tmp/3.txt") == "./move.sh a 2> \n");
    CHECK(deed_in("./move.sh a --log /tmp/3.log") == "./move.sh a --log  \n");
    CHECK(deed_in("./move.sh a --log=/tmp/3.log") == "./move.sh a --log= \n");
}

TEST_CASE("deeds: items, dates and files that are worked on are part of a deed", "[deeds]") {
    for (const char* command : {"./move.sh a", "./backfill.sh 2026-01-03", "TENANT=acme ./move.sh",
                                "convert /tmp/icons/icon3.psd", "cd shop && ./run.sh 3"})
        CHECK_FALSE(deed_in(command).has_value());
}
