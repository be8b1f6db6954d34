// SPDX-License-Identifier: Apache-2.0
#include "api/decode/problem.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/names.hpp"

using namespace headway::api;
using namespace headway::core;

namespace {

constexpr int kLastCode = static_cast<int>(ErrorCode::kUnknownDelivery);

std::string read_text(const std::string& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// The table of problems in API.md as "status code".
std::set<std::string> documented() {
    const std::string page = read_text(HEADWAY_SOURCE_DIR "/api/API.md");
    const std::string table = page.substr(page.find("| status | code |"));
    std::set<std::string> out;
    std::istringstream lines{table};
    const std::regex row{R"(^\| (\d{3}) \| (.*) \|$)"};
    const std::regex word{"`([a-z_]+)`"};
    for (std::string line; std::getline(lines, line);) {
        std::smatch found;
        if (!std::regex_match(line, found, row)) continue;
        const std::string codes = found[2];
        for (std::sregex_iterator code{codes.begin(), codes.end(), word}, end; code != end; ++code)
            out.insert(found[1].str() + " " + (*code)[1].str());
    }
    return out;
}

}  // namespace

TEST_CASE("problem: API.md lists every status and code, and no other", "[api]") {
    std::set<std::string> ours;
    for (int i = 0; i <= kLastCode; ++i) {
        const ProblemKind kind = problem_kind(static_cast<ErrorCode>(i));
        ours.insert(std::to_string(kind.status) + " " + std::string{kind.code});
    }
    CHECK(ours == documented());
}

TEST_CASE("problem: each failure has a status of its kind and a title", "[api]") {
    for (int i = 0; i <= kLastCode; ++i) {
        const ProblemKind kind = problem_kind(static_cast<ErrorCode>(i));
        CHECK(kind.status >= 400);
        CHECK(kind.status < 600);
        CHECK_FALSE(kind.title.empty());
        // An error that asks to try again is never the fault of the request.
        if (kind.retryable) CHECK((kind.status >= 500 || kind.status == 408));
    }
}

TEST_CASE("problem: only what is our own fault is internal", "[api]") {
    for (int i = 0; i <= kLastCode; ++i) {
        const auto code = static_cast<ErrorCode>(i);
        const bool ours = code == ErrorCode::kInternal || code == ErrorCode::kStorageCorrupt ||
                          code == ErrorCode::kInvalidConfig;
        INFO("code " << i);
        CHECK((problem_kind(code).code == "internal") == ours);
    }
}

TEST_CASE("problem: what a client should send again", "[api]") {
    for (const ErrorCode code : {ErrorCode::kOverloaded, ErrorCode::kStorageUnavailable,
                                 ErrorCode::kStorageFull, ErrorCode::kDraining})
        CHECK(problem_kind(code).retryable);
    for (const ErrorCode code : {ErrorCode::kStaleAttempt, ErrorCode::kInternal,
                                 ErrorCode::kInvalidJson, ErrorCode::kSessionEnded})
        CHECK_FALSE(problem_kind(code).retryable);
}

TEST_CASE("problem: the body is problem+json", "[api]") {
    std::string out;
    append_problem(out, {ErrorCode::kInvalidField, "must be \"x\"", "/data/x"}, "/v1/sessions/a");
    CHECK(nlohmann::json::parse(out) == nlohmann::json::parse(R"({
        "type":"https://headway.invalid/problems/invalid_field","title":"Invalid field","status":400,
        "detail":"must be \"x\"","instance":"/v1/sessions/a","code":"invalid_field",
        "retryable":false,"field":"/data/x"})"));
}

TEST_CASE("problem: without a field there is no field", "[api]") {
    std::string out;
    append_problem(out, {ErrorCode::kDraining, "", ""}, "/");
    CHECK_FALSE(nlohmann::json::parse(out).contains("field"));
}
