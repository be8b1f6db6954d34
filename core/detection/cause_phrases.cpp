// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "core/detection/cause_tables.hpp"
#include "core/text/phrases.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

/// Words that name a cause wherever they stand in a message.
struct CausePhrase {
    std::string_view words;  ///< lower case
    Cause cause;
};

// In this order: the first that stands anywhere in the message wins, so exact ones and those that
// waiting does not cure come before those that pass.
constexpr auto kCausePhrases = std::to_array<CausePhrase>({
    // Words that name another cause only to exclude it.
    {"not your usage limit", Cause::kRateLimit},
    {"usage allocation has been disabled", Cause::kBilling},
    {"no capacity available", Cause::kOverloaded},
    {"model_capacity_exhausted", Cause::kOverloaded},
    {"hit your usage limit", Cause::kUsageLimit},
    {"reached your usage limit", Cause::kUsageLimit},
    {"hit your limit", Cause::kUsageLimit},
    {"out of extra usage", Cause::kUsageLimit},
    {"premium request", Cause::kUsageLimit},
    {"no quota", Cause::kUsageLimit},
    {"free quota has been exhausted", Cause::kUsageLimit},
    {"session limit resets", Cause::kUsageLimit},
    {"weekly limit resets", Cause::kUsageLimit},
    {"使用上限", Cause::kUsageLimit},
    {"self signed certificate", Cause::kCertificate},
    {"self-signed certificate", Cause::kCertificate},
    {"unable to verify the first certificate", Cause::kCertificate},
    {"unable to get local issuer", Cause::kCertificate},
    {"certificate has expired", Cause::kCertificate},
    {"certificate verify failed", Cause::kCertificate},
    {"certificate verification failed", Cause::kCertificate},
    {"unable_to_get_issuer_cert", Cause::kCertificate},
    {"unable_to_verify_leaf", Cause::kCertificate},
    {"self_signed_cert", Cause::kCertificate},
    {"certificate is not valid", Cause::kCertificate},
    {"invalid peer certificate", Cause::kCertificate},
    {"unknownissuer", Cause::kCertificate},
    {"err_tls_cert", Cause::kCertificate},
    {"cert_has_expired", Cause::kCertificate},
    {"ssl certificate problem", Cause::kCertificate},
    {"tls handshake", Cause::kCertificate},
    {"ssl handshake", Cause::kCertificate},
    {"wrong version number", Cause::kCertificate},
    {"context length", Cause::kContextFull},
    {"context_length", Cause::kContextFull},
    {"context window", Cause::kContextFull},
    {"context size", Cause::kContextFull},
    {"maximum context", Cause::kContextFull},
    {"prompt is too long", Cause::kContextFull},
    {"prompt too long", Cause::kContextFull},
    {"input is too long", Cause::kContextFull},
    {"input token count", Cause::kContextFull},
    {"input tokens exceed", Cause::kContextFull},
    {"too many input tokens", Cause::kContextFull},
    {"exceeds the maximum number of tokens", Cause::kContextFull},
    {"autocompact is thrashing", Cause::kContextFull},
    {"compaction exhausted", Cause::kContextFull},
    {"conversation is too long", Cause::kContextFull},
    {"conversation too long", Cause::kContextFull},
    {"context limit reached", Cause::kContextFull},
    {"exceed context limit", Cause::kContextFull},
    {"context_window_exceeded", Cause::kContextFull},
    {"exceeds the model limit", Cause::kContextFull},

    // Google writes "check your plan and billing details" for limits that pass, too.
    {"perday", Cause::kUsageLimit},
    {"per day", Cause::kUsageLimit},
    {"please retry in", Cause::kRateLimit},
    {"quota exceeded for metric", Cause::kRateLimit},
    {"quota exceeded for quota metric", Cause::kRateLimit},
    {"credit balance", Cause::kBilling},
    {"insufficient credit", Cause::kBilling},
    {"insufficient_quota", Cause::kBilling},
    {"insufficient quota", Cause::kBilling},
    {"insufficient balance", Cause::kBilling},
    {"insufficient funds", Cause::kBilling},
    {"payment required", Cause::kBilling},
    {"out of credits", Cause::kBilling},
    {"no credits", Cause::kBilling},
    {"more credits", Cause::kBilling},
    {"add credits", Cause::kBilling},
    {"plan and billing", Cause::kBilling},
    {"billing hard limit", Cause::kBilling},
    {"billing is not active", Cause::kBilling},
    {"billing details", Cause::kBilling},
    {"billing account", Cause::kBilling},
    {"enable billing", Cause::kBilling},
    {"payment method", Cause::kBilling},
    {"spend limit", Cause::kBilling},
    {"spending limit", Cause::kBilling},
    {"spending cap", Cause::kBilling},
    {"budget has been exceeded", Cause::kBilling},
    {"exceeded budget", Cause::kBilling},
    {"top up your", Cause::kBilling},
    {"spend cap", Cause::kBilling},
    {"contact your workspace owner", Cause::kBilling},
    {"requires usage credits", Cause::kBilling},
    {"usage credits required", Cause::kBilling},
    {"extra usage is required", Cause::kBilling},
    {"over budget", Cause::kBilling},
    {"exceededbudget", Cause::kBilling},
    {"overage limit", Cause::kBilling},
    {"extra usage. add", Cause::kBilling},
    {"chatgpt plan, upgrade", Cause::kBilling},
    {"余额不足", Cause::kBilling},
    {"usage limit", Cause::kUsageLimit},
    {"usage_limit", Cause::kUsageLimit},
    {"session limit", Cause::kUsageLimit},
    {"weekly limit", Cause::kUsageLimit},
    {"daily limit", Cause::kUsageLimit},
    {"monthly limit", Cause::kUsageLimit},
    {"hour limit", Cause::kUsageLimit},
    {"daily quota", Cause::kUsageLimit},
    {"monthly quota", Cause::kUsageLimit},
    {"weekly quota", Cause::kUsageLimit},
    {"request quota", Cause::kUsageLimit},
    {"quota will reset", Cause::kUsageLimit},
    {"limit will reset", Cause::kUsageLimit},
    {"limit resets", Cause::kUsageLimit},
    {"exhausted your", Cause::kUsageLimit},
    {"quota_exhausted", Cause::kUsageLimit},
    {"reached your limit", Cause::kUsageLimit},
    {"usage cap", Cause::kUsageLimit},
    {"free usage", Cause::kUsageLimit},
    {"quota reached", Cause::kUsageLimit},
    {"limit of your current plan", Cause::kUsageLimit},
    {"rate limit", Cause::kRateLimit},
    {"rate_limit", Cause::kRateLimit},
    {"rate-limit", Cause::kRateLimit},
    {"too many requests", Cause::kRateLimit},
    {"toomanyrequests", Cause::kRateLimit},
    {"too many tokens", Cause::kRateLimit},
    {"request frequency has been limited", Cause::kRateLimit},
    {"reduce your request rate", Cause::kRateLimit},
    {"reached for requests", Cause::kRateLimit},
    {"throttl", Cause::kRateLimit},
    {"resource_exhausted", Cause::kRateLimit},
    {"resourceexhausted", Cause::kRateLimit},
    {"resource exhausted", Cause::kRateLimit},
    {"resource has been exhausted", Cause::kRateLimit},
    {"request was rejected (429)", Cause::kRateLimit},
    {"quota exceeded", Cause::kUsageLimit},
    {"exceeded your quota", Cause::kUsageLimit},
    {"exceeded your current quota", Cause::kUsageLimit},
    {"exceeded quota", Cause::kUsageLimit},
    {"over quota", Cause::kUsageLimit},
    {"out of quota", Cause::kUsageLimit},
    {"quota reached", Cause::kUsageLimit},

    {"unauthorized", Cause::kCredentials},
    {"unauthenticated", Cause::kCredentials},
    {"invalid api key", Cause::kCredentials},
    {"incorrect api key", Cause::kCredentials},
    {"api key not valid", Cause::kCredentials},
    {"api key is missing", Cause::kCredentials},
    {"api key expired", Cause::kCredentials},
    {"no api key", Cause::kCredentials},
    {"missing api key", Cause::kCredentials},
    {"invalid x-api-key", Cause::kCredentials},
    {"authentication failed", Cause::kCredentials},
    {"authentication required", Cause::kCredentials},
    {"authentication error", Cause::kCredentials},
    {"authentication_error", Cause::kCredentials},
    {"failed to authenticate", Cause::kCredentials},
    {"could not authenticate", Cause::kCredentials},
    {"token has expired", Cause::kCredentials},
    {"token expired", Cause::kCredentials},
    {"token is expired", Cause::kCredentials},
    {"token refresh failed", Cause::kCredentials},
    {"refresh token", Cause::kCredentials},
    {"token could not be refreshed", Cause::kCredentials},
    {"access token could not", Cause::kCredentials},
    {"oauth token", Cause::kCredentials},
    {"session has expired", Cause::kCredentials},
    {"session expired", Cause::kCredentials},
    {"credentials have expired", Cause::kCredentials},
    {"credentials expired", Cause::kCredentials},
    {"could not load credentials", Cause::kCredentials},
    {"unable to locate credentials", Cause::kCredentials},
    {"default credentials", Cause::kCredentials},
    {"security token included in the request", Cause::kCredentials},
    {"please run /login", Cause::kCredentials},
    {"please log in", Cause::kCredentials},
    {"please login", Cause::kCredentials},
    {"please sign in", Cause::kCredentials},
    {"not logged in", Cause::kCredentials},
    {"need to log in", Cause::kCredentials},
    {"log in again", Cause::kCredentials},
    {"sign in again", Cause::kCredentials},
    {"re-authenticate", Cause::kCredentials},
    {"reauthenticate", Cause::kCredentials},
    {"account is not active", Cause::kCredentials},
    {"organization has been disabled", Cause::kCredentials},
    {"organization has disabled", Cause::kCredentials},
    {"access denied", Cause::kCredentials},
    {"403 forbidden", Cause::kCredentials},
    {"invalid credentials", Cause::kCredentials},
    {"bad credentials", Cause::kCredentials},
    {"not authorized", Cause::kCredentials},
    {"permission denied", Cause::kCredentials},
    {"permission_denied", Cause::kCredentials},
    {"invalid_grant", Cause::kCredentials},
    {"invalid_rapt", Cause::kCredentials},
    {"oauth refresh failed", Cause::kCredentials},
    {"sso-token-expired", Cause::kCredentials},
    {"aws sso login", Cause::kCredentials},
    {"failed to login", Cause::kCredentials},
    {"access paused", Cause::kCredentials},
    {"account has been disable", Cause::kCredentials},
    {"invalid session", Cause::kCredentials},
    {"not eligible for gemini", Cause::kCredentials},
    {"must be a named user", Cause::kCredentials},
    {"missing authentication header", Cause::kCredentials},
    {"not created with authentication info", Cause::kCredentials},
    {"could not resolve authentication", Cause::kCredentials},
    {"apikeyhelper", Cause::kCredentials},
    {"default-chain credential", Cause::kCredentials},
    {"does not meet scope requirement", Cause::kCredentials},

    {"no such model", Cause::kModelMissing},
    {"restricted by your organization", Cause::kModelMissing},
    {"is not available with the claude", Cause::kModelMissing},
    {"model not found", Cause::kModelMissing},
    {"model_not_found", Cause::kModelMissing},
    {"unknown model", Cause::kModelMissing},
    {"invalid model", Cause::kModelMissing},
    {"not a valid model", Cause::kModelMissing},
    {"model is not available", Cause::kModelMissing},
    {"model is not supported", Cause::kModelMissing},
    {"do not have access to it", Cause::kModelMissing},
    {"access to the model", Cause::kModelMissing},
    {"issue with the selected model", Cause::kModelMissing},
    {"no endpoints found", Cause::kModelMissing},
    {"try pulling it first", Cause::kModelMissing},
    {"on-demand throughput isn", Cause::kModelMissing},
    {"does not support tools", Cause::kModelMissing},
    {"no model available", Cause::kModelMissing},
    {"deployment for this resource does not exist", Cause::kModelMissing},

    {"unknown tool", Cause::kTool},
    {"tool not found", Cause::kTool},
    {"no such tool", Cause::kTool},
    {"tool is not available", Cause::kTool},
    {"tool not available", Cause::kTool},
    {"unavailable tool", Cause::kTool},
    {"tool does not exist", Cause::kTool},

    {"overloaded", Cause::kOverloaded},
    {"service unavailable", Cause::kOverloaded},
    {"bad gateway", Cause::kOverloaded},
    {"gateway timeout", Cause::kOverloaded},
    {"gateway time-out", Cause::kOverloaded},
    {"server error", Cause::kOverloaded},
    {"temporarily unavailable", Cause::kOverloaded},
    {"currently unavailable", Cause::kOverloaded},
    {"at capacity", Cause::kOverloaded},
    {"high demand", Cause::kOverloaded},
    {"no capacity", Cause::kOverloaded},
    {"loading model", Cause::kOverloaded},
    {"model is loading", Cause::kOverloaded},
    {"provider returned error", Cause::kOverloaded},
    {"server_error", Cause::kOverloaded},
    {"server had an error", Cause::kOverloaded},
    {"error occurred while processing your request", Cause::kOverloaded},
    {"error while processing your request", Cause::kOverloaded},
    {"failed to get response from the ai model", Cause::kOverloaded},
    {"model is temporarily busy", Cause::kOverloaded},
    {"having trouble responding", Cause::kOverloaded},
    {"capacity exceeded", Cause::kOverloaded},
    {"requires more system memory", Cause::kOverloaded},
    {"runner process has terminated", Cause::kOverloaded},
    {"empty or malformed response", Cause::kOverloaded},

    {"connection refused", Cause::kNetwork},
    {"connection reset", Cause::kNetwork},
    {"connection closed", Cause::kNetwork},
    {"connection aborted", Cause::kNetwork},
    {"connection error", Cause::kNetwork},
    {"connection timed out", Cause::kNetwork},
    {"connect to host", Cause::kNetwork},
    {"could not connect", Cause::kNetwork},
    {"couldn't connect", Cause::kNetwork},
    {"unable to connect", Cause::kNetwork},
    {"failed to connect", Cause::kNetwork},
    {"getaddrinfo", Cause::kNetwork},
    {"dns error", Cause::kNetwork},
    {"could not resolve", Cause::kNetwork},
    {"failure in name resolution", Cause::kNetwork},
    {"name or service not known", Cause::kNetwork},
    {"network is unreachable", Cause::kNetwork},
    {"network error", Cause::kNetwork},
    {"network request failed", Cause::kNetwork},
    {"fetch failed", Cause::kNetwork},
    {"failed to fetch", Cause::kNetwork},
    {"error sending request", Cause::kNetwork},
    {"socket hang up", Cause::kNetwork},
    {"other side closed", Cause::kNetwork},
    {"premature close", Cause::kNetwork},
    {"stream disconnected", Cause::kNetwork},
    {"stream closed", Cause::kNetwork},
    {"stream ended", Cause::kNetwork},
    {"stream was interrupted", Cause::kNetwork},
    {"stalled mid-stream", Cause::kNetwork},
    {"stream completed without", Cause::kNetwork},
    {"missing finish_reason", Cause::kNetwork},
    {"\"[done]\" is not valid json", Cause::kNetwork},
    {"incomplete response", Cause::kNetwork},
    {"stream idle timeout", Cause::kNetwork},
    {"socket connection was closed", Cause::kNetwork},
    {"websocket closed", Cause::kNetwork},
    {"internet connection is", Cause::kNetwork},
    {"dns lookup", Cause::kNetwork},
    {"unexpected eof", Cause::kNetwork},
    {"decoding response body", Cause::kNetwork},
    {"api error: terminated", Cause::kNetwork},
    {"violate our usage policy", Cause::kRefused},
    {"content filtering policy", Cause::kRefused},
    {"without tool_result", Cause::kRefused},
    {"request timed out", Cause::kNetwork},
    {"operation timed out", Cause::kNetwork},
    {"timeout while waiting", Cause::kNetwork},
    {"database is locked", Cause::kNetwork},
    {"could not get lock", Cause::kNetwork},
    {"unable to acquire", Cause::kNetwork},
    {"index.lock", Cause::kNetwork},
    {"another process", Cause::kNetwork},
    {"invalid_request_error", Cause::kRefused},
});

constexpr Phrases kCauseWords{[] {
    std::array<std::string_view, kCausePhrases.size()> words{};
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = kCausePhrases[i].words;
    return words;
}()};

constexpr std::array<std::string_view, 9> kErrnoNames{"econnrefused", "econnreset",  "econnaborted",
                                                      "etimedout",    "enotfound",   "eai_again",
                                                      "ehostunreach", "enetunreach", "epipe"};

/// Names of errors of the network, as whole words: "ModuleNotFoundError" holds one of them.
bool names_errno(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        if (!is_word(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && is_word(text[end]))
            ++end;
        const std::string word = lower(text.substr(at, std::min<std::size_t>(end - at, 16)));
        if (std::find(kErrnoNames.begin(), kErrnoNames.end(), word) != kErrnoNames.end())
            return true;
        at = end;
    }
    return false;
}

/// "reached your Fable 5 limit": a limit of the account that has the name of a model or a plan, and
/// not one of a request.
bool names_own_limit(std::string_view message) {
    constexpr std::size_t kNameBytes = 32;
    constexpr std::array<std::string_view, 3> kOwn{"hit your ", "reached your ", "exceeded your "};
    constexpr std::array<std::string_view, 9> kOfRequest{
        "rate", "size", "token", "context", "request", "length", "memory", "time", "max"};
    const std::string text = lower(message);
    for (const std::string_view own : kOwn) {
        const std::size_t found = text.find(own);
        if (found == std::string::npos) continue;
        const std::string_view rest = std::string_view{text}.substr(found + own.size());
        const std::size_t limit = rest.substr(0, kNameBytes).find(" limit");
        if (limit == std::string_view::npos) continue;
        const std::string_view name = rest.substr(0, limit);
        if (name.find(". ") == name.npos && !mentions(name, kOfRequest)) return true;
    }
    return false;
}

}  // namespace

Cause cause_of_words(std::string_view message) {
    const std::string_view text = message.substr(0, kErrorBytesRead);
    const std::size_t found = kCauseWords.first_in(text);
    if (found < kCausePhrases.size()) return kCausePhrases[found].cause;
    if (names_own_limit(text)) return Cause::kUsageLimit;
    return names_errno(text) ? Cause::kNetwork : Cause::kNone;
}

}  // namespace headway::core
