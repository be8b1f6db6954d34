// SPDX-License-Identifier: Apache-2.0
#include "api/judge/judge_args.hpp"

#include <catch2/catch.hpp>

#include "core/base/limits.hpp"

using namespace headway;
using namespace headway::api;

namespace {

core::Json json(std::string text) {
    core::Json object;
    static_cast<core::Text&>(object) = core::bounded_text(std::move(text));
    return object;
}

std::string change(const std::string& before, const std::string& now) {
    const core::Json old = json(before);
    return args_change(&old, json(now));
}

}  // namespace

TEST_CASE("judge args: the first call of a tool is shown whole", "[api]") {
    CHECK(args_change(nullptr, json(R"({"path":"/a/b.py","n":3})")) ==
          R"("path":"/a/b.py", "n":3)");
    CHECK(args_change(nullptr, json("")).empty());
    CHECK(args_change(nullptr, json("[1,2]")) == "[1,2]");
}

TEST_CASE("judge args: of a later call what differs", "[api]") {
    CHECK(change(R"({"a":1})", R"({"a":1})") == "as in its last use");
    CHECK(change(R"({"a":1,"b":2})", R"({"b":2,"a":1})") == "as in its last use, in another order");
    CHECK(change(R"({"a":1,"b":2,"c":3})", R"({"a":1,"b":2,"c":4})") ==
          R"("c":4 (2 more as in its last use))");
    CHECK(change(R"({"a":1,"b":2})", R"({"a":1})") == "without b (1 more as in its last use)");
    CHECK(change("[1]", R"({"a":1})") == R"("a":1)");
}

TEST_CASE("judge args: of a long value that changed at its end the end is shown", "[api]") {
    const std::string long_text(2000, 'x');
    const std::string out =
        change(R"({"text":")" + long_text + R"(1"})", R"({"text":")" + long_text + R"(2"})");
    CHECK(out == "\"text\":…" + std::string(20, 'x') + "2\"");
}

TEST_CASE("judge args: what was cut or is huge stays bounded", "[api]") {
    const std::string huge = R"({"text":")" + std::string(9000, 'x') + R"("})";
    CHECK(args_change(nullptr, json(huge)).size() <= core::limits::kJudgeArgsBytesMax);
    std::string many = "{";
    for (int i = 0; i < 300; ++i)
        many += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":" + std::to_string(i);
    CHECK(args_change(nullptr, json(many + "}")).size() <= core::limits::kJudgeArgsBytesMax);
}

TEST_CASE("judge args: a value whose name says that it is a secret is not told", "[api]") {
    CHECK(args_change(nullptr, json(R"({"password":"hunter2"})")).find("hunter2") ==
          std::string::npos);
}

TEST_CASE("judge args: a string is shown without its quotes", "[api]") {
    CHECK(plain_text(json(R"("a\nb")")) == "a\nb");
    CHECK(plain_text(json(R"({"a":1})")) == R"({"a":1})");
    CHECK(plain_text(json(R"("cut)")) == R"("cut)");
}
