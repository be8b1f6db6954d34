// SPDX-License-Identifier: Apache-2.0
#include "api/calls/bad_news.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace headway;

namespace {

bool bad(const std::string& command, const std::string& answer, const char* tool = "Bash") {
    core::CallFingerprint fingerprint;
    fingerprint.kind = core::CallKind::kOther;
    core::ToolFinished call;
    call.tool = tool;
    call.ok = true;
    return api::brings_bad_news(fingerprint, call, command, answer);
}

}  // namespace

TEST_CASE("An answer that names a failure is bad news", "[api][calls]") {
    const std::string answer =
        GENERATE("{\"error\":\"KeyError: 'name'\"}", "TypeError: x is undefined", "HTTP/2 502",
                 "web-1 0/1 CrashLoopBackOff", "result: 41 (expected 42)", "error: 0x80004005",
                 "3 jobs failed", "TypeError: 'NoneType' object is not subscriptable",
                 "ERROR:  null value in column \"email\" violates not-null constraint",
                 "{\"error\":\"None of the configured nodes are available\"}",
                 "{\"error\":\"nonexistent table\"}", "Error: 0 rows",
                 "{\"errorMessage\":\"Task timed out\"}");
    CAPTURE(answer);
    CHECK(bad("curl -s localhost:3000/api", answer));
}

TEST_CASE("An answer that names no failure, or content of files, is no bad news", "[api][calls]") {
    const std::string answer =
        GENERATE("{\"status\":\"ok\",\"error\":null}", "{\"errors\":[]}", "{\"failed\":false}",
                 "{\"failures\": 0, \"up\":true}", "{\"error\":\"\"}", " M src/errors.ts",
                 "src/error_page.html", "ErrorBoundary rendered", "failed=0",
                 "ok=3 failed=0 skipped=2", "up:5 failed:0 queued:2", "failures=0/120", "failed=0.",
                 "{\"errorMessage\":\"\"}", "errorMessage component");
    CAPTURE(answer);
    CHECK_FALSE(bad("curl -s localhost:3000/health", answer));
    CHECK_FALSE(bad("cd app && git status --short", "error"));
    CHECK_FALSE(bad("cd app && grep -n handleError src/a.ts", "12: fatal error"));
}

TEST_CASE("A tool that looks at pages or pods brings bad news, one that reads files none",
          "[api][calls]") {
    for (const char* tool : {"mcp__http__get", "check_health", "query_db", "mcp__kube__get_pods"})
        CHECK(bad("", "500: KeyError: 'name'", tool));
    for (const char* tool :
         {"Read", "mcp__fs__read_file", "Grep", "get_file_contents", "mcp__github__get_issue"})
        CHECK_FALSE(bad("", "500: KeyError: 'name'", tool));
}
