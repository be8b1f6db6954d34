// SPDX-License-Identifier: Apache-2.0
#include "api/decode/decode_approvals.hpp"

#include <catch2/catch.hpp>

#include "api/decode/decode.hpp"
#include "core/base/limits.hpp"
#include "core/calls/exact_args.hpp"
#include "tests/support/names.hpp"

using namespace headway::api;
using namespace headway::core;
using namespace headway::tests;

TEST_CASE("decode approvals: a request gets the digest by which its call is recognised", "[api]") {
    JsonDocument document;
    const auto asked = decode_approval_request(
        document, R"({"tool":"bash","args":{"b":1,"a":2},"call_id":"c","risk":"high"})");
    require_ok(asked);
    CHECK(asked->args.text == R"({"b":1,"a":2})");
    CHECK(asked->args_digest.starts_with("sha256:"));
    CHECK(asked->risk == Risk::kHigh);

    // The call that runs later has the same arguments, though they are written differently.
    const auto report = decode_report(
        document,
        R"({"type":"tool.finished","data":{"tool":"bash","args":{"a":2,"b":1},"result":"x"}})",
        BodyFormat::kJson);
    require_ok(report);
    const auto& done = std::get<ToolFinished>(report->events.front().payload);
    CHECK(core::args_of(*done.fingerprint) == asked->args_digest);
}

TEST_CASE("decode approvals: a question that a person would not see whole is refused", "[api]") {
    JsonDocument document;
    for (const char* kind : {"question", "auth"}) {
        const auto asked = [&](std::size_t bytes) {
            return decode_approval_request(document, R"({"kind":")" + std::string(kind) +
                                                         R"(","tool":"t","summary":")" +
                                                         std::string(bytes, 'q') + R"("})");
        };
        CHECK(asked(4096).has_value());
        REQUIRE_FALSE(asked(4097).has_value());
        CHECK(asked(4097).error().field == "/summary");
    }
}

TEST_CASE("decode approvals: redeeming with the key of a hook's reply is refused", "[api]") {
    JsonDocument document;
    const auto redeemed = decode_redeem(document, R"({"key":"hook c1","args":{}})");
    REQUIRE_FALSE(redeemed.has_value());
    CHECK(redeemed.error().field == "/key");
}

TEST_CASE("decode approvals: an edited call has the digest of what runs", "[api]") {
    JsonDocument document;
    const auto decision =
        decode_decision(document, R"({"decision":"edit","edited_args":{"to":"staging"}})");
    require_ok(decision);
    const auto same =
        decode_approval_request(document, R"({"tool":"deploy","args":{"to":"staging"}})");
    require_ok(same);
    CHECK(decision->ruling.edited_digest == same->args_digest);
    CHECK(decision->ruling.channel == "api");
}

TEST_CASE("decode approvals: a started call becomes the request that it would have made", "[api]") {
    JsonDocument document;
    ToolStarted call;
    call.tool = "bash";
    call.call_id = "c";
    const auto asked = request_for_call(document, call, R"({"a":1})", R"({"a":1})");
    require_ok(asked);
    const auto same =
        decode_approval_request(document, R"({"tool":"bash","args":{"a":1},"call_id":"c"})");
    CHECK(asked->args_digest == same->args_digest);
    CHECK(asked->source == "policy");
    call.requires_approval = true;
    CHECK(request_for_call(document, call, "", "")->source == "call");
    CHECK(asked->summary.empty());
    call.description = core::bounded_text("Removes the build");
    CHECK(request_for_call(document, call, R"({"a":1})", R"({"a":1})")->summary.kept ==
          "Removes the build");
    call.description = core::bounded_text(std::string(100'000, 'x'));
    CHECK(request_for_call(document, call, R"({"a":1})", R"({"a":1})")->risk == core::Risk::kHigh);
    call.description = {};
    const std::string long_text = "\"" + std::string(limits::kApprovalArgsBytesMax, 'x') + "\"";
    CHECK(code_of(request_for_call(document, call, long_text, long_text)) ==
          ErrorCode::kInvalidField);
    call.args_digest = "sha256:" + std::string(64, 'a');
    CHECK(request_for_call(document, call, "", "")->args_digest == call.args_digest);
}

TEST_CASE("decode approvals: a call that tells only a digest says that it shows nothing", "[api]") {
    JsonDocument document;
    ToolStarted call;
    call.tool = "bash";
    call.call_id = "c";
    CHECK(request_for_call(document, call, "", "")->summary.empty());  // it has no arguments
    CHECK(request_for_call(document, call, "", "")->risk == Risk::kUnknown);
    for (const std::string& digest : {"sha256:" + std::string(64, 'a'), std::string{"md5:1"}}) {
        call.args_digest = digest;
        const auto asked = request_for_call(document, call, "", "");
        CHECK(asked->args_digest == bound_digest(digest));
        CHECK(asked->risk == Risk::kHigh);
        CHECK(asked->summary.kept.find("not sent") != std::string::npos);
    }
}

TEST_CASE("decode approvals: a finished call is known by its arguments as they came", "[api]") {
    JsonDocument document;
    const auto known_as = [&](const std::string& args) {
        const auto report = decode_report(
            document, R"({"type":"tool.finished","data":{"tool":"bash")" + args + "}}",
            BodyFormat::kJson);
        return args_of(*std::get<ToolFinished>(report->events.front().payload).fingerprint);
    };
    const auto asked = [&](const std::string& args) {
        return decode_approval_request(document, R"({"tool":"bash")" + args + "}")->args_digest;
    };
    CHECK(known_as("") == kNoArgsDigest);
    for (const std::string& args :
         {std::string{R"(,"args":{"pid":1,"a":1.0})"}, std::string{R"(,"args":"text")"},
          std::string{R"(,"args":{"password":"hunter22"})"},
          R"(,"args":{"text":")" + std::string(9000, 'x') + R"("})"}) {
        CHECK(known_as(args) == asked(args));
    }
    CHECK(known_as(R"(,"args":{"password":"a"})") != known_as(R"(,"args":{"password":"b"})"));
}

TEST_CASE("decode approvals: arguments that an event cuts come whole beside it", "[api]") {
    JsonDocument document;
    const std::string args = R"({"text":")" + std::string(5000, 'x') + R"("})";
    const auto report = decode_report(
        document,
        R"([{"type":"heartbeat"},{"type":"tool.started","data":{"call_id":"c","tool":"t","args":{}}},)"
        R"({"type":"tool.started","data":{"call_id":"d","tool":"t","args":)" +
            args + "}}]",
        BodyFormat::kJson);
    require_ok(report);
    REQUIRE(report->whole_args.size() == 1);
    CHECK(report->whole_args[0].place == 2);
    CHECK(report->whole_args[0].text == args);
}

TEST_CASE("decode approvals: redeeming takes the digest or the arguments", "[api]") {
    JsonDocument document;
    const auto by_args = decode_redeem(document, R"({"args":{"b":1,"a":2},"key":"k"})");
    require_ok(by_args);
    const auto by_digest =
        decode_redeem(document, R"({"args_digest":")" + by_args->args_digest + R"("})");
    require_ok(by_digest);
    CHECK(by_digest->args_digest == by_args->args_digest);
    CHECK(by_args->key == "k");
    CHECK(code_of(decode_redeem(document, "{}")) == ErrorCode::kMissingField);
    CHECK(code_of(decode_redeem(document, R"({"args_digest":"sha256:XYZ"})")) ==
          ErrorCode::kInvalidField);
}
