// SPDX-License-Identifier: Apache-2.0
#include "core/policies/run_files.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"

using namespace headway::core;

namespace {

Event write(std::uint64_t n, const std::string& path, const std::string& digest, bool ok = true) {
    ToolFinished call;
    call.tool = "edit";
    call.ok = ok;
    call.mutated = {{path, digest}};
    Event event;
    event.n = n;
    event.payload = std::move(call);
    return event;
}

}  // namespace

TEST_CASE("run files: the third reversal in a row by two sessions is a conflict", "[core]") {
    RunFiles files;
    CHECK_FALSE(files.observe("run", "a", write(1, "x.py", "v1")));
    CHECK_FALSE(files.observe("run", "b", write(1, "x.py", "v2")));
    CHECK_FALSE(files.observe("run", "a", write(2, "x.py", "v1")));
    CHECK_FALSE(files.observe("run", "b", write(2, "x.py", "v2")));
    const auto conflict = files.observe("run", "a", write(3, "x.py", "v1"));
    REQUIRE(conflict);
    CHECK(conflict->path == "x.py");
    CHECK(conflict->other == "b");
    CHECK(conflict->reversals == 3);
    CHECK(conflict->evidence == std::vector<std::uint64_t>{2, 3});
}

TEST_CASE("run files: a content that is new to the run ends the count", "[core]") {
    RunFiles files;
    for (std::uint64_t n = 1; n <= 4; ++n) {
        CHECK_FALSE(files.observe("run", "a", write(n, "x.py", "v1")));
        CHECK_FALSE(files.observe("run", "b", write(n, "x.py", "v2")));
        CHECK_FALSE(files.observe("run", "b", write(n, "x.py", "new" + std::to_string(n))));
    }
}

TEST_CASE("run files: a session reverting itself is no conflict", "[core]") {
    RunFiles files;
    CHECK_FALSE(files.observe("run", "b", write(1, "x.py", "v0")));
    for (std::uint64_t n = 1; n <= 10; ++n)
        CHECK_FALSE(files.observe("run", "a", write(n, "x.py", n % 2 == 0 ? "v1" : "v2")));
}

TEST_CASE("run files: other paths, other runs and failed calls are ignored", "[core]") {
    RunFiles files;
    for (std::uint64_t n = 1; n <= 10; ++n) {
        CHECK_FALSE(files.observe("run a", "a", write(n, "x.py", "v1")));
        CHECK_FALSE(files.observe("run b", "b", write(n, "x.py", "v2")));
        CHECK_FALSE(files.observe("run", "a", write(n, "x.py", "v1")));
        CHECK_FALSE(files.observe("run", "b", write(n, "y.py", "v2")));
        CHECK_FALSE(files.observe("run", "b", write(n, "x.py", "v2", false)));
    }
}

TEST_CASE("run files: the memory of all runs together is bounded", "[core]") {
    RunFiles files;
    for (std::uint64_t n = 0; n < limits::kRunFilesMax + 100; ++n)
        CHECK_FALSE(files.observe("run", "a", write(n + 1, "f" + std::to_string(n), "v")));
    CHECK(files.size() == limits::kRunFilesMax);
}
