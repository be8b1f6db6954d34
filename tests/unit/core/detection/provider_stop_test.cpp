// SPDX-License-Identifier: Apache-2.0
#include "core/detection/provider_stop.hpp"
#include "core/detection/rate_limit.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "core/calls/call_fingerprint.hpp"
#include "core/events/work_payloads.hpp"
#include "core/text/text.hpp"
#include "tests/support/make.hpp"

using namespace headway::core;
using namespace std::chrono_literals;
using headway::tests::at;

namespace {

ErrorReported error(std::string error_class, std::string message = "boom",
                    std::optional<std::uint64_t> status = {}) {
    ErrorReported built;
    built.error_class = std::move(error_class);
    built.message = bounded_text(std::move(message));
    built.status = status;
    return built;
}

void check_words(std::string_view message, Cause cause) {
    INFO(message);
    const ProviderStop stop = stop_of(error("", std::string{message}));
    CHECK(name_of(stop.cause) == name_of(cause));
    CHECK_FALSE(stop.typed);
}

}  // namespace

TEST_CASE("cause: a typed class is known in each spelling, and is enough", "[core]") {
    const std::pair<const char*, Cause> cases[] = {
        {"authentication_failed", Cause::kCredentials},
        {"oauth_org_not_allowed", Cause::kCredentials},
        {"account_on_hold", Cause::kCredentials},
        {"verification_required", Cause::kCredentials},
        {"cloud_credential_error", Cause::kCredentials},
        {"ProviderAuthError", Cause::kCredentials},
        {"UNAUTHENTICATED", Cause::kCredentials},
        {"ExpiredTokenException", Cause::kCredentials},
        {"billing_error", Cause::kBilling},
        {"insufficient_quota", Cause::kBilling},
        {"BudgetExceededError", Cause::kBilling},
        {"CreditsError", Cause::kBilling},
        {"model_not_found", Cause::kModelMissing},
        {"DeploymentNotFound", Cause::kModelMissing},
        {"usage_limit_reached", Cause::kUsageLimit},
        {"usage_limit_exceeded", Cause::kUsageLimit},
        {"QUOTA_EXHAUSTED", Cause::kUsageLimit},
        {"TerminalQuotaError", Cause::kUsageLimit},
        {"rate_limit_error", Cause::kRateLimit},
        {"RateLimitError", Cause::kRateLimit},
        {"ThrottlingException", Cause::kRateLimit},
        {"overloaded_error", Cause::kOverloaded},
        {"server_is_overloaded", Cause::kOverloaded},
        {"internal_server_error", Cause::kOverloaded},
        {"MODEL_CAPACITY_EXHAUSTED", Cause::kOverloaded},
        {"ServiceUnavailableException", Cause::kOverloaded},
        {"ContextWindowExceededError", Cause::kContextFull},
        {"context_window_exceeded", Cause::kContextFull},
        {"exceed_context_size_error", Cause::kContextFull},
        {"APIConnectionError", Cause::kNetwork},
        {"ENOTFOUND", Cause::kNetwork},
        {"EAI_AGAIN", Cause::kNetwork},
        {"UND_ERR_SOCKET", Cause::kNetwork},
        {"SELF_SIGNED_CERT_IN_CHAIN", Cause::kCertificate},
        {"DEPTH_ZERO_SELF_SIGNED_CERT", Cause::kCertificate},
        {"invalid_request", Cause::kRefused},
        {"429", Cause::kRateLimit},
        {"http_503", Cause::kOverloaded},
    };
    for (const auto& [name, cause] : cases) {
        DYNAMIC_SECTION(name) {
            const ProviderStop stop = stop_of(error(name));
            CHECK(name_of(stop.cause) == name_of(cause));
            CHECK(stop.typed);
        }
    }
}

TEST_CASE("cause: a status is enough", "[core]") {
    const std::pair<std::uint64_t, Cause> cases[] = {
        {200, Cause::kNone},         {399, Cause::kNone},       {400, Cause::kRefused},
        {401, Cause::kCredentials},  {402, Cause::kBilling},    {403, Cause::kCredentials},
        {404, Cause::kModelMissing}, {408, Cause::kNetwork},    {413, Cause::kContextFull},
        {422, Cause::kRefused},      {429, Cause::kRateLimit},  {500, Cause::kOverloaded},
        {503, Cause::kOverloaded},   {529, Cause::kOverloaded}, {600, Cause::kNone},
        {99'999, Cause::kNone},
    };
    for (const auto& [status, cause] : cases) {
        DYNAMIC_SECTION(status) {
            const ProviderStop stop = stop_of(error("", "boom", status));
            CHECK(name_of(stop.cause) == name_of(cause));
            CHECK(stop.typed == (cause != Cause::kNone));
        }
    }
}

TEST_CASE("cause: words make a vague class or status more exact", "[core]") {
    const auto cause = [](const ErrorReported& reported) {
        const ProviderStop stop = stop_of(reported);
        CHECK(stop.typed);
        return name_of(stop.cause);
    };
    CHECK(cause(error("rate_limit", "You've hit your session limit, resets 3pm")) == "usage_limit");
    CHECK(cause(error("rate_limit", "slow down", 429)) == "rate_limit");
    CHECK(cause(error("APIError", "usage limit", 402)) == "usage_limit");
    CHECK(cause(error("APIError", "boom", 401)) == "credentials");
    CHECK(cause(error("APIError", "boom", 429)) == "rate_limit");
    CHECK(cause(error("invalid_request_error", "Your credit balance is too low", 400)) ==
          "billing");
    CHECK(cause(error("invalid_request_error", "prompt is too long: 1 > 0", 400)) ==
          "context_full");
    CHECK(cause(error("not_found_error", "model: claude-x", 404)) == "model_missing");
    CHECK(cause(error("RESOURCE_EXHAUSTED", "QuotaFailure quotaId GenerateRequestsPerDay", 429)) ==
          "usage_limit");
    CHECK(cause(error("RESOURCE_EXHAUSTED",
                      "You exceeded your current quota, please check your plan and billing "
                      "details. Please retry in 34.07s.",
                      429)) == "rate_limit");
    // A cause that waiting does not cure is not one that passes.
    CHECK(cause(error("billing_error", "rate limit")) == "billing");
    CHECK(cause(error("", "too many requests", 402)) == "billing");
}

TEST_CASE("cause: words alone are known, and need a second one", "[core]") {
    check_words("You've hit your usage limit. Upgrade to Pro or try again in 3 days 4 hours.",
                Cause::kUsageLimit);
    check_words("You\u2019ve hit your usage limit. try again at Nov 27th, 2026 2:52 AM.",
                Cause::kUsageLimit);
    check_words("You've hit your 5-hour limit · resets 12:31am (UTC)", Cause::kUsageLimit);
    check_words("You have exhausted your daily quota on this model.", Cause::kUsageLimit);
    check_words("Premium request quota exceeded. Resets on the 1st.", Cause::kUsageLimit);
    check_words("402 Payment Required: insufficient credits", Cause::kBilling);
    check_words("Quota exceeded. Check your plan and billing details.", Cause::kBilling);
    check_words("OAuth token has expired. Please obtain a new token.", Cause::kCredentials);
    check_words("Token refresh failed: 401", Cause::kCredentials);
    check_words("Invalid API key · Please run /login", Cause::kCredentials);
    check_words("fetch failed: getaddrinfo EAI_AGAIN api.example.com", Cause::kNetwork);
    check_words("stream disconnected before completion: error sending request", Cause::kNetwork);
    check_words("unable to verify the first certificate", Cause::kCertificate);
    check_words("The model `m-9` does not exist or you do not have access to it.",
                Cause::kModelMissing);
    check_words("model 'qwen3' not found, try pulling it first", Cause::kModelMissing);
    check_words("Your input exceeds the context window of this model.", Cause::kContextFull);
    check_words("the request exceeds the available context size", Cause::kContextFull);
    check_words("Selected model is at capacity. Please try a different model.", Cause::kOverloaded);
    check_words("HTTP 503: try later", Cause::kOverloaded);
    check_words("Too many tokens, please wait before trying again.", Cause::kRateLimit);
}

TEST_CASE("cause: words that public reports quote", "[core]") {
    check_words("You've hit your usage limit. Upgrade to Pro, purchase more credits or try again.",
                Cause::kUsageLimit);
    check_words("Server is temporarily limiting requests (not your usage limit)",
                Cause::kRateLimit);
    check_words("You're out of extra usage", Cause::kUsageLimit);
    check_words("You have exceeded your premium request allowance", Cause::kUsageLimit);
    check_words("You hit your spend cap set by the owner of your workspace", Cause::kBilling);
    check_words("ExceededBudget: End User=x over budget.", Cause::kBilling);
    check_words("Stream idle timeout - partial response received", Cause::kNetwork);
    check_words("The socket connection was closed unexpectedly", Cause::kNetwork);
    check_words("Failed to connect to api.example.com: UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
                Cause::kCertificate);
    check_words(R"({"error":"invalid_grant","error_subtype":"invalid_rapt"})", Cause::kCredentials);
    check_words("The server had an error while processing your request", Cause::kOverloaded);
    check_words("No capacity available for model x on the server", Cause::kOverloaded);
    check_words("Provider finish_reason: model_context_window_exceeded", Cause::kContextFull);
    check_words("Output blocked by content filtering policy", Cause::kRefused);
    check_words("connect ENOTFOUND api.example.com", Cause::kNetwork);
    const ProviderStop free_quota = stop_of(error("", "The free quota has been exhausted.", 403));
    CHECK(name_of(free_quota.cause) == "usage_limit");
    CHECK(name_of(stop_of(error("api_error", "bad", 400)).cause) == "refused");
}

TEST_CASE("cause: words of a stream that broke, a full context and a login", "[core]") {
    check_words("Response stalled mid-stream. It may be incomplete.", Cause::kNetwork);
    check_words("Stream completed without a final event", Cause::kNetwork);
    check_words("missing finish_reason for choice 0", Cause::kNetwork);
    check_words("Unexpected token, \"[DONE]\" is not valid JSON", Cause::kNetwork);
    check_words("an empty or malformed response (HTTP 200)", Cause::kOverloaded);
    check_words("Session was not created with authentication info", Cause::kCredentials);
    check_words("Add credits, or use a free model", Cause::kBilling);
    check_words("{\"type\":\"invalid_request_error\",\"param\":\"x\"}", Cause::kRefused);
    const auto full = error("invalid_request_error", "1 + 2 exceed context limit: 3 > 2", 400);
    CHECK(stop_of(full).cause == Cause::kContextFull);
    CHECK(stop_of(error("", "499 status code (no body)", 499)).cause == Cause::kNetwork);
    const auto admin = error("rate_limit", "usage allocation has been disabled by your admin", 429);
    CHECK(stop_of(admin).cause == Cause::kBilling);
}

TEST_CASE("cause: notes and other programs' words are no stop", "[core]") {
    check_words("ModuleNotFoundError: No module named 'yaml'", Cause::kNone);
    check_words("Approaching usage limit, resets at 7pm", Cause::kNone);
    check_words("You've used 90% of your weekly limit", Cause::kNone);
    check_words("Credit balance: $41.20 remaining", Cause::kNone);
    check_words("Disk quota exceeded", Cause::kNone);
    check_words("MCP error -32001: Request timed out", Cause::kNone);
    check_words("Your quota will reset after 5s. Retrying after 6173ms", Cause::kNone);
    ErrorReported over = error("", "Approaching usage limit; usage limit reached");
    over.ends_turn = true;
    CHECK(stop_of(over).cause == Cause::kUsageLimit);
}

TEST_CASE("cause: a wait that is named without words is a limit of the rate", "[core]") {
    ErrorReported waits = error("", "Attempt 5 failed. Retrying after 40805000ms");
    waits.retry_at = at(40'805'000);
    CHECK(stop_of(waits).cause == Cause::kRateLimit);
    CHECK(retry_in_words("Claude AI usage limit reached|1795300000") ==
          Timestamp{Millis{1'795'300'000'000}});
    CHECK(retry_in_words(R"({"type":"usage_limit_reached","resets_at": 1795300000})") ==
          Timestamp{Millis{1'795'300'000'000}});
    for (const char* none : {"resets 3pm (Europe/Berlin)", "limit reached|soon", R"("resets_at":)",
                             R"("resets_at":17953000000000000)", ""})
        CHECK(retry_in_words(none) == kNever);
}

TEST_CASE("cause: an error that no table knows stops only if a turn ended by it", "[core]") {
    ErrorReported odd = error("frobnication", "the flux was not aligned");
    CHECK(stop_of(odd).cause == Cause::kNone);
    odd.ends_turn = true;
    CHECK(stop_of(odd).cause == Cause::kUnknown);
    CHECK(stop_of(odd).typed);
    ErrorReported words = error("", "the usage limit is reached");
    words.ends_turn = true;
    CHECK(stop_of(words).cause == Cause::kUsageLimit);
    CHECK(stop_of(words).typed);
}

TEST_CASE("cause: limits of the agent itself are no usage limit", "[core]") {
    check_words("Maximum number of turns limit reached", Cause::kNone);
    check_words("tool call limit reached", Cause::kNone);
    check_words("the stack is full", Cause::kNone);
    check_words("", Cause::kNone);
}

TEST_CASE("cause: an error of a tool stops the agent only for want of access or of the tool",
          "[core]") {
    ErrorReported of_tool = error("", "no such thing", 404);
    of_tool.tool = "web_fetch";
    CHECK(stop_of(of_tool).cause == Cause::kNone);
    of_tool.status = 401;
    CHECK(stop_of(of_tool).cause == Cause::kCredentials);
    CHECK(stop_of(of_tool).typed);
}

TEST_CASE("cause: only the first KiB of a message is read", "[core]") {
    const std::string before(1024 - 11, '.');
    CHECK(stop_of(error("", before + "usage limit")).cause == Cause::kUsageLimit);
    CHECK(stop_of(error("", before + ".usage limit")).cause == Cause::kNone);
}

TEST_CASE("cause: a reset is later than now and at most a month and a day ahead", "[core]") {
    CHECK(plausible_retry(at(1), at(0)) == at(1));
    CHECK(plausible_retry(at(0), at(0)) == kNever);
    CHECK(plausible_retry(at(-1), at(0)) == kNever);
    CHECK(plausible_retry(at(0) + 32 * 24h, at(0)) == at(0) + 32 * 24h);
    CHECK(plausible_retry(at(1) + 32 * 24h, at(0)) == kNever);
    CHECK(plausible_retry(kNever, at(0)) == kNever);
    CHECK(plausible_retry(Timestamp::max(), at(0)) == kNever);
    CHECK(plausible_retry(Timestamp::min(), at(0)) == kNever);
}

TEST_CASE("cause: a time is written in UTC to the minute", "[core]") {
    CHECK(minute_text(Timestamp{Millis{1'795'300'000'000}}) == "2026-11-21 22:26 UTC");
    CHECK(minute_text(Timestamp{Millis{59'999}}) == "1970-01-01 00:00 UTC");
}

TEST_CASE("cause: each has a phrase for people, and each failure of a call that blocks a cause",
          "[core]") {
    for (std::size_t i = 1; i < EnumNames<Cause>::kNames.size(); ++i)
        CHECK_FALSE(phrase_of(static_cast<Cause>(i)).empty());
    CHECK(stop_of_call(FailureKind::kAuth, true, "").cause == Cause::kCredentials);
    CHECK(stop_of_call(FailureKind::kUnknownTool, true, "").cause == Cause::kTool);
    CHECK(stop_of_call(FailureKind::kTransient, false, "429 Too Many Requests").cause ==
          Cause::kRateLimit);
    CHECK(stop_of_call(FailureKind::kTransient, false, "?").cause == Cause::kNetwork);
    CHECK(stop_of_call(FailureKind::kAssertion, true, "").cause == Cause::kNone);
}

TEST_CASE("cause: a login that is missing is no failure of the network", "[core]") {
    check_words(
        "Could not resolve authentication method. Expected either apiKey or authToken to "
        "be set.",
        Cause::kCredentials);
    check_words("Your apiKeyHelper script is failing", Cause::kCredentials);
    check_words("AWS default-chain credential resolve timed out", Cause::kCredentials);
    check_words("Could not resolve host: api.example.com", Cause::kNetwork);
}

TEST_CASE("cause: credits for a large context are no limit that time lifts", "[core]") {
    for (const char* words :
         {"API Error: Usage credits required for 1M context",
          "API Error: Extra usage is required for 1M context - enable extra usage",
          "Extra usage is required for long context requests."}) {
        check_words(words, Cause::kBilling);
        CHECK(stop_of(error("rate_limit", words, 429)).cause == Cause::kBilling);
    }
}

TEST_CASE("cause: codex gives the class of a limit to stops that only a person ends", "[core]") {
    for (const char* words :
         {"Your workspace is out of credits. Add credits to continue.",
          "Your workspace is out of credits. Ask your workspace owner to refill in order to "
          "continue.",
          "You hit your spend cap set in your workspace. Increase your spend cap to continue.",
          "You hit your spend cap set by the owner of your workspace. Ask an owner to increase "
          "your spend cap to continue.",
          "Quota exceeded. Check your plan and billing details.",
          "To use Codex with your ChatGPT plan, upgrade to Plus: https://example.com",
          "You have reached the usage limit. Please contact your workspace owner for more "
          "access."}) {
        check_words(words, Cause::kBilling);
        ErrorReported stop = error("usage_limit_exceeded", words);
        CHECK(stop_of(stop).cause == Cause::kBilling);
        CHECK(stop_of(stop).typed);
        stop.retry_at = at(3'600'000);  // a window that is used up
        CHECK(stop_of(stop).cause == Cause::kUsageLimit);
    }
    CHECK(stop_of(error("usage_limit_exceeded",
                        "You've hit your usage limit. Visit x to purchase more credits or try "
                        "again at 3:42 PM."))
              .cause == Cause::kUsageLimit);
    CHECK(stop_of(error("usage_limit_exceeded", "429", 429)).cause == Cause::kUsageLimit);
}

TEST_CASE("cause: limits of a plan in the words of newer versions", "[core]") {
    const std::pair<const char*, Cause> cases[] = {
        {"You've reached your Fable 5 limit. Run /usage-credits to continue or switch models with "
         "/model.",
         Cause::kUsageLimit},
        {"Fable 5.1 requires usage credits \xE2\x80\x94 Fable 5.1 runs on usage credits, billed "
         "separately from your plan. You don't have usage credits yet.",
         Cause::kBilling},
        {"You've hit your monthly spend limit \xC2\xB7 your session limit resets 2:40pm "
         "(Asia/Jakarta)",
         Cause::kUsageLimit},
        {"You've hit your monthly spend limit", Cause::kBilling},
        {"Free usage exceeded, subscribe to Go", Cause::kUsageLimit},
        {"[permission_error] API access paused for this organization.", Cause::kCredentials},
        {"Sorry, you've hit a rate limit that restricts the number of Copilot model requests. "
         "Please try again in 15 hours 23 minutes.",
         Cause::kUsageLimit},
        {"Sorry, you've exceeded your 5 hour session limits. Please retry after 2733 seconds. "
         "(user_global_rate_limited:pro)",
         Cause::kUsageLimit},
        {"RESOURCE_EXHAUSTED (code 429): Individual quota reached. Please upgrade your "
         "subscription. Resets in 2h39m52s.",
         Cause::kUsageLimit},
        {"Rate limit reached. Please try again in 20s.", Cause::kRateLimit},
        {"You exceeded your rate limit", Cause::kRateLimit},
        {"You've reached your upload size limit", Cause::kNone},
    };
    for (const auto& [words, cause] : cases)
        check_words(words, cause);
    CHECK(stop_of(error("user_global_rate_limited",
                        "Sorry, you've exceeded your 5 hour session limits."))
              .cause == Cause::kUsageLimit);
    CHECK(stop_of(error("user_global_rate_limited")).cause == Cause::kRateLimit);
    CHECK(
        stop_of(error("rate_limit", "rate limit: try again in 15 hours 23 minutes.", 429)).cause ==
        Cause::kUsageLimit);
}

TEST_CASE("cause: a wait in words becomes a time, for limits only", "[core]") {
    CHECK(wait_in_words("Please try again in 15 hours 23 minutes.") == 15h + 23min);
    CHECK(wait_in_words("Please retry after 2733 seconds.") == 2733s);
    CHECK(wait_in_words("Monthly usage limit reached. It will reset in 10 days 19 hours.") ==
          10 * 24h + 19h);
    CHECK(wait_in_words("Free usage exceeded [retrying in 8h 13m attempt #1]") == 8h + 13min);
    CHECK(wait_in_words("Resets in 2h39m52s.") == 2h + 39min + 52s);
    CHECK(wait_in_words("Please try again in 20.5s.") == 21s);
    CHECK(wait_in_words("try again in 1 day, 2 hours and 3 minutes") == 26h + 3min);
    for (const char* none : {"It will reset in 40 days 19 hours", "try again in a moment",
                             "try again in 5", "retry after 99999999 days", ""})
        CHECK_FALSE(wait_in_words(none));
    CHECK(retry_of(error("usage_limit", "will reset in 7 days 19 hours"), at(0)) ==
          at(0) + 7 * 24h + 19h);
    CHECK(retry_of(error("auth", "try again in 2h"), at(0)) == kNever);
    ErrorReported named = error("usage_limit", "try again in 2h");
    named.retry_at = at(3 * 3'600'000);
    CHECK(retry_of(named, at(0)) == at(3 * 3'600'000));
}
