// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "core/cause_tables.hpp"
#include "core/phrases.hpp"
#include "core/words.hpp"

namespace headway::core {
namespace {

struct CausePhrase {
    std::string_view words;  ///< lower case
    Cause cause;
};

// In this order: the first that stands anywhere in the message wins, so exact ones and those that
// waiting does not cure come before those that pass.
constexpr std::array kCausePhrases{
    // What names another cause only to say that it is not that one.
    CausePhrase{"not your usage limit", Cause::kRateLimit},
    CausePhrase{"no capacity available", Cause::kOverloaded},
    CausePhrase{"model_capacity_exhausted", Cause::kOverloaded},
    CausePhrase{"hit your usage limit", Cause::kUsageLimit},
    CausePhrase{"reached your usage limit", Cause::kUsageLimit},
    CausePhrase{"hit your limit", Cause::kUsageLimit},
    CausePhrase{"out of extra usage", Cause::kUsageLimit},
    CausePhrase{"premium request", Cause::kUsageLimit},
    CausePhrase{"no quota", Cause::kUsageLimit},
    CausePhrase{"free quota has been exhausted", Cause::kUsageLimit},
    CausePhrase{"使用上限", Cause::kUsageLimit},

    CausePhrase{"self signed certificate", Cause::kCertificate},
    CausePhrase{"self-signed certificate", Cause::kCertificate},
    CausePhrase{"unable to verify the first certificate", Cause::kCertificate},
    CausePhrase{"unable to get local issuer", Cause::kCertificate},
    CausePhrase{"certificate has expired", Cause::kCertificate},
    CausePhrase{"certificate verify failed", Cause::kCertificate},
    CausePhrase{"certificate verification failed", Cause::kCertificate},
    CausePhrase{"unable_to_get_issuer_cert", Cause::kCertificate},
    CausePhrase{"unable_to_verify_leaf", Cause::kCertificate},
    CausePhrase{"self_signed_cert", Cause::kCertificate},
    CausePhrase{"certificate is not valid", Cause::kCertificate},
    CausePhrase{"invalid peer certificate", Cause::kCertificate},
    CausePhrase{"unknownissuer", Cause::kCertificate},
    CausePhrase{"err_tls_cert", Cause::kCertificate},
    CausePhrase{"cert_has_expired", Cause::kCertificate},
    CausePhrase{"ssl certificate problem", Cause::kCertificate},
    CausePhrase{"tls handshake", Cause::kCertificate},
    CausePhrase{"ssl handshake", Cause::kCertificate},
    CausePhrase{"wrong version number", Cause::kCertificate},

    CausePhrase{"context length", Cause::kContextFull},
    CausePhrase{"context_length", Cause::kContextFull},
    CausePhrase{"context window", Cause::kContextFull},
    CausePhrase{"context size", Cause::kContextFull},
    CausePhrase{"maximum context", Cause::kContextFull},
    CausePhrase{"prompt is too long", Cause::kContextFull},
    CausePhrase{"prompt too long", Cause::kContextFull},
    CausePhrase{"input is too long", Cause::kContextFull},
    CausePhrase{"input token count", Cause::kContextFull},
    CausePhrase{"input tokens exceed", Cause::kContextFull},
    CausePhrase{"too many input tokens", Cause::kContextFull},
    CausePhrase{"exceeds the maximum number of tokens", Cause::kContextFull},
    CausePhrase{"autocompact is thrashing", Cause::kContextFull},
    CausePhrase{"compaction exhausted", Cause::kContextFull},
    CausePhrase{"conversation is too long", Cause::kContextFull},
    CausePhrase{"conversation too long", Cause::kContextFull},
    CausePhrase{"context limit reached", Cause::kContextFull},
    CausePhrase{"context_window_exceeded", Cause::kContextFull},
    CausePhrase{"exceeds the model limit", Cause::kContextFull},

    // Google writes "check your plan and billing details" for limits that pass, too.
    CausePhrase{"perday", Cause::kUsageLimit},
    CausePhrase{"per day", Cause::kUsageLimit},
    CausePhrase{"please retry in", Cause::kRateLimit},
    CausePhrase{"quota exceeded for metric", Cause::kRateLimit},
    CausePhrase{"quota exceeded for quota metric", Cause::kRateLimit},

    CausePhrase{"credit balance", Cause::kBilling},
    CausePhrase{"insufficient credit", Cause::kBilling},
    CausePhrase{"insufficient_quota", Cause::kBilling},
    CausePhrase{"insufficient quota", Cause::kBilling},
    CausePhrase{"insufficient balance", Cause::kBilling},
    CausePhrase{"insufficient funds", Cause::kBilling},
    CausePhrase{"payment required", Cause::kBilling},
    CausePhrase{"out of credits", Cause::kBilling},
    CausePhrase{"no credits", Cause::kBilling},
    CausePhrase{"more credits", Cause::kBilling},
    CausePhrase{"plan and billing", Cause::kBilling},
    CausePhrase{"billing hard limit", Cause::kBilling},
    CausePhrase{"billing is not active", Cause::kBilling},
    CausePhrase{"billing details", Cause::kBilling},
    CausePhrase{"billing account", Cause::kBilling},
    CausePhrase{"enable billing", Cause::kBilling},
    CausePhrase{"payment method", Cause::kBilling},
    CausePhrase{"spend limit", Cause::kBilling},
    CausePhrase{"spending limit", Cause::kBilling},
    CausePhrase{"spending cap", Cause::kBilling},
    CausePhrase{"budget has been exceeded", Cause::kBilling},
    CausePhrase{"exceeded budget", Cause::kBilling},
    CausePhrase{"top up your", Cause::kBilling},
    CausePhrase{"spend cap", Cause::kBilling},
    CausePhrase{"over budget", Cause::kBilling},
    CausePhrase{"exceededbudget", Cause::kBilling},
    CausePhrase{"overage limit", Cause::kBilling},
    CausePhrase{"extra usage. add", Cause::kBilling},
    CausePhrase{"chatgpt plan, upgrade", Cause::kBilling},
    CausePhrase{"余额不足", Cause::kBilling},

    CausePhrase{"usage limit", Cause::kUsageLimit},
    CausePhrase{"usage_limit", Cause::kUsageLimit},
    CausePhrase{"session limit", Cause::kUsageLimit},
    CausePhrase{"weekly limit", Cause::kUsageLimit},
    CausePhrase{"daily limit", Cause::kUsageLimit},
    CausePhrase{"monthly limit", Cause::kUsageLimit},
    CausePhrase{"5-hour limit", Cause::kUsageLimit},
    CausePhrase{"hour limit", Cause::kUsageLimit},
    CausePhrase{"daily quota", Cause::kUsageLimit},
    CausePhrase{"monthly quota", Cause::kUsageLimit},
    CausePhrase{"weekly quota", Cause::kUsageLimit},
    CausePhrase{"request quota", Cause::kUsageLimit},
    CausePhrase{"quota will reset", Cause::kUsageLimit},
    CausePhrase{"limit will reset", Cause::kUsageLimit},
    CausePhrase{"limit resets", Cause::kUsageLimit},
    CausePhrase{"exhausted your", Cause::kUsageLimit},
    CausePhrase{"quota_exhausted", Cause::kUsageLimit},
    CausePhrase{"reached your limit", Cause::kUsageLimit},
    CausePhrase{"usage cap", Cause::kUsageLimit},
    CausePhrase{"limit of your current plan", Cause::kUsageLimit},
    CausePhrase{"rate limit", Cause::kRateLimit},
    CausePhrase{"rate_limit", Cause::kRateLimit},
    CausePhrase{"rate-limit", Cause::kRateLimit},
    CausePhrase{"too many requests", Cause::kRateLimit},
    CausePhrase{"toomanyrequests", Cause::kRateLimit},
    CausePhrase{"too many tokens", Cause::kRateLimit},
    CausePhrase{"request frequency has been limited", Cause::kRateLimit},
    CausePhrase{"reduce your request rate", Cause::kRateLimit},
    CausePhrase{"reached for requests", Cause::kRateLimit},
    CausePhrase{"throttl", Cause::kRateLimit},
    CausePhrase{"resource_exhausted", Cause::kRateLimit},
    CausePhrase{"resourceexhausted", Cause::kRateLimit},
    CausePhrase{"resource exhausted", Cause::kRateLimit},
    CausePhrase{"resource has been exhausted", Cause::kRateLimit},
    CausePhrase{"request was rejected (429)", Cause::kRateLimit},
    CausePhrase{"quota exceeded", Cause::kUsageLimit},
    CausePhrase{"exceeded your quota", Cause::kUsageLimit},
    CausePhrase{"exceeded your current quota", Cause::kUsageLimit},
    CausePhrase{"exceeded quota", Cause::kUsageLimit},
    CausePhrase{"over quota", Cause::kUsageLimit},
    CausePhrase{"out of quota", Cause::kUsageLimit},
    CausePhrase{"quota reached", Cause::kUsageLimit},

    CausePhrase{"unauthorized", Cause::kCredentials},
    CausePhrase{"unauthenticated", Cause::kCredentials},
    CausePhrase{"invalid api key", Cause::kCredentials},
    CausePhrase{"incorrect api key", Cause::kCredentials},
    CausePhrase{"api key not valid", Cause::kCredentials},
    CausePhrase{"api key is missing", Cause::kCredentials},
    CausePhrase{"api key expired", Cause::kCredentials},
    CausePhrase{"no api key", Cause::kCredentials},
    CausePhrase{"missing api key", Cause::kCredentials},
    CausePhrase{"invalid x-api-key", Cause::kCredentials},
    CausePhrase{"authentication failed", Cause::kCredentials},
    CausePhrase{"authentication required", Cause::kCredentials},
    CausePhrase{"authentication error", Cause::kCredentials},
    CausePhrase{"authentication_error", Cause::kCredentials},
    CausePhrase{"failed to authenticate", Cause::kCredentials},
    CausePhrase{"could not authenticate", Cause::kCredentials},
    CausePhrase{"token has expired", Cause::kCredentials},
    CausePhrase{"token expired", Cause::kCredentials},
    CausePhrase{"token is expired", Cause::kCredentials},
    CausePhrase{"token refresh failed", Cause::kCredentials},
    CausePhrase{"refresh token", Cause::kCredentials},
    CausePhrase{"token could not be refreshed", Cause::kCredentials},
    CausePhrase{"access token could not", Cause::kCredentials},
    CausePhrase{"oauth token", Cause::kCredentials},
    CausePhrase{"session has expired", Cause::kCredentials},
    CausePhrase{"session expired", Cause::kCredentials},
    CausePhrase{"credentials have expired", Cause::kCredentials},
    CausePhrase{"credentials expired", Cause::kCredentials},
    CausePhrase{"could not load credentials", Cause::kCredentials},
    CausePhrase{"unable to locate credentials", Cause::kCredentials},
    CausePhrase{"default credentials", Cause::kCredentials},
    CausePhrase{"security token included in the request", Cause::kCredentials},
    CausePhrase{"please run /login", Cause::kCredentials},
    CausePhrase{"please log in", Cause::kCredentials},
    CausePhrase{"please login", Cause::kCredentials},
    CausePhrase{"please sign in", Cause::kCredentials},
    CausePhrase{"not logged in", Cause::kCredentials},
    CausePhrase{"need to log in", Cause::kCredentials},
    CausePhrase{"log in again", Cause::kCredentials},
    CausePhrase{"sign in again", Cause::kCredentials},
    CausePhrase{"re-authenticate", Cause::kCredentials},
    CausePhrase{"reauthenticate", Cause::kCredentials},
    CausePhrase{"account has been disabled", Cause::kCredentials},
    CausePhrase{"account is not active", Cause::kCredentials},
    CausePhrase{"organization has been disabled", Cause::kCredentials},
    CausePhrase{"organization has disabled", Cause::kCredentials},
    CausePhrase{"access denied", Cause::kCredentials},
    CausePhrase{"403 forbidden", Cause::kCredentials},
    CausePhrase{"invalid credentials", Cause::kCredentials},
    CausePhrase{"bad credentials", Cause::kCredentials},
    CausePhrase{"not authorized", Cause::kCredentials},
    CausePhrase{"permission denied", Cause::kCredentials},
    CausePhrase{"permission_denied", Cause::kCredentials},
    CausePhrase{"invalid_grant", Cause::kCredentials},
    CausePhrase{"invalid_rapt", Cause::kCredentials},
    CausePhrase{"oauth refresh failed", Cause::kCredentials},
    CausePhrase{"sso-token-expired", Cause::kCredentials},
    CausePhrase{"aws sso login", Cause::kCredentials},
    CausePhrase{"failed to login", Cause::kCredentials},
    CausePhrase{"account has been disable", Cause::kCredentials},
    CausePhrase{"invalid session", Cause::kCredentials},
    CausePhrase{"not eligible for gemini", Cause::kCredentials},
    CausePhrase{"must be a named user", Cause::kCredentials},
    CausePhrase{"missing authentication header", Cause::kCredentials},

    CausePhrase{"no such model", Cause::kModelMissing},
    CausePhrase{"model not found", Cause::kModelMissing},
    CausePhrase{"model_not_found", Cause::kModelMissing},
    CausePhrase{"unknown model", Cause::kModelMissing},
    CausePhrase{"invalid model", Cause::kModelMissing},
    CausePhrase{"not a valid model", Cause::kModelMissing},
    CausePhrase{"model is not available", Cause::kModelMissing},
    CausePhrase{"model is not supported", Cause::kModelMissing},
    CausePhrase{"do not have access to it", Cause::kModelMissing},
    CausePhrase{"access to the model", Cause::kModelMissing},
    CausePhrase{"issue with the selected model", Cause::kModelMissing},
    CausePhrase{"no endpoints found", Cause::kModelMissing},
    CausePhrase{"try pulling it first", Cause::kModelMissing},
    CausePhrase{"on-demand throughput isn", Cause::kModelMissing},
    CausePhrase{"does not support tools", Cause::kModelMissing},
    CausePhrase{"no model available", Cause::kModelMissing},
    CausePhrase{"deployment for this resource does not exist", Cause::kModelMissing},

    CausePhrase{"unknown tool", Cause::kTool},
    CausePhrase{"tool not found", Cause::kTool},
    CausePhrase{"no such tool", Cause::kTool},
    CausePhrase{"tool is not available", Cause::kTool},
    CausePhrase{"tool not available", Cause::kTool},
    CausePhrase{"unavailable tool", Cause::kTool},
    CausePhrase{"tool does not exist", Cause::kTool},

    CausePhrase{"overloaded", Cause::kOverloaded},
    CausePhrase{"service unavailable", Cause::kOverloaded},
    CausePhrase{"bad gateway", Cause::kOverloaded},
    CausePhrase{"gateway timeout", Cause::kOverloaded},
    CausePhrase{"gateway time-out", Cause::kOverloaded},
    CausePhrase{"internal server error", Cause::kOverloaded},
    CausePhrase{"internal_server_error", Cause::kOverloaded},
    CausePhrase{"server error", Cause::kOverloaded},
    CausePhrase{"temporarily unavailable", Cause::kOverloaded},
    CausePhrase{"currently unavailable", Cause::kOverloaded},
    CausePhrase{"at capacity", Cause::kOverloaded},
    CausePhrase{"high demand", Cause::kOverloaded},
    CausePhrase{"no capacity", Cause::kOverloaded},
    CausePhrase{"loading model", Cause::kOverloaded},
    CausePhrase{"model is loading", Cause::kOverloaded},
    CausePhrase{"provider returned error", Cause::kOverloaded},
    CausePhrase{"server_error", Cause::kOverloaded},
    CausePhrase{"server had an error", Cause::kOverloaded},
    CausePhrase{"error occurred while processing your request", Cause::kOverloaded},
    CausePhrase{"error while processing your request", Cause::kOverloaded},
    CausePhrase{"failed to get response from the ai model", Cause::kOverloaded},
    CausePhrase{"model is temporarily busy", Cause::kOverloaded},
    CausePhrase{"having trouble responding", Cause::kOverloaded},
    CausePhrase{"capacity exceeded", Cause::kOverloaded},
    CausePhrase{"requires more system memory", Cause::kOverloaded},
    CausePhrase{"runner process has terminated", Cause::kOverloaded},

    CausePhrase{"connection refused", Cause::kNetwork},
    CausePhrase{"connection reset", Cause::kNetwork},
    CausePhrase{"connection closed", Cause::kNetwork},
    CausePhrase{"connection aborted", Cause::kNetwork},
    CausePhrase{"connection error", Cause::kNetwork},
    CausePhrase{"connection timed out", Cause::kNetwork},
    CausePhrase{"connect to host", Cause::kNetwork},
    CausePhrase{"could not connect", Cause::kNetwork},
    CausePhrase{"couldn't connect", Cause::kNetwork},
    CausePhrase{"unable to connect", Cause::kNetwork},
    CausePhrase{"failed to connect", Cause::kNetwork},
    CausePhrase{"getaddrinfo", Cause::kNetwork},
    CausePhrase{"dns error", Cause::kNetwork},
    CausePhrase{"could not resolve", Cause::kNetwork},
    CausePhrase{"failure in name resolution", Cause::kNetwork},
    CausePhrase{"name or service not known", Cause::kNetwork},
    CausePhrase{"network is unreachable", Cause::kNetwork},
    CausePhrase{"network error", Cause::kNetwork},
    CausePhrase{"network request failed", Cause::kNetwork},
    CausePhrase{"fetch failed", Cause::kNetwork},
    CausePhrase{"failed to fetch", Cause::kNetwork},
    CausePhrase{"error sending request", Cause::kNetwork},
    CausePhrase{"socket hang up", Cause::kNetwork},
    CausePhrase{"other side closed", Cause::kNetwork},
    CausePhrase{"premature close", Cause::kNetwork},
    CausePhrase{"stream disconnected", Cause::kNetwork},
    CausePhrase{"stream closed", Cause::kNetwork},
    CausePhrase{"stream ended", Cause::kNetwork},
    CausePhrase{"stream was interrupted", Cause::kNetwork},
    CausePhrase{"incomplete response", Cause::kNetwork},
    CausePhrase{"stream idle timeout", Cause::kNetwork},
    CausePhrase{"socket connection was closed", Cause::kNetwork},
    CausePhrase{"websocket closed", Cause::kNetwork},
    CausePhrase{"internet connection is", Cause::kNetwork},
    CausePhrase{"dns lookup", Cause::kNetwork},
    CausePhrase{"unexpected eof", Cause::kNetwork},
    CausePhrase{"decoding response body", Cause::kNetwork},
    CausePhrase{"api error: terminated", Cause::kNetwork},
    CausePhrase{"violate our usage policy", Cause::kRefused},
    CausePhrase{"content filtering policy", Cause::kRefused},
    CausePhrase{"without tool_result", Cause::kRefused},
    CausePhrase{"request timed out", Cause::kNetwork},
    CausePhrase{"operation timed out", Cause::kNetwork},
    CausePhrase{"timeout while waiting", Cause::kNetwork},
    CausePhrase{"database is locked", Cause::kNetwork},
    CausePhrase{"could not get lock", Cause::kNetwork},
    CausePhrase{"unable to acquire", Cause::kNetwork},
    CausePhrase{"index.lock", Cause::kNetwork},
    CausePhrase{"another process", Cause::kNetwork},
};

constexpr Phrases kCauseWords{[] {
    std::array<std::string_view, kCausePhrases.size()> words{};
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = kCausePhrases[i].words;
    return words;
}()};

// Notes about a limit that is not reached, and other programs' words for the same things.
constexpr Phrases kNoteWords{std::array<std::string_view, 13>{
    "approaching", "remaining", "% of ", "percent of ", "cannot determine the safety",
    "retrying in ", "retrying after ", "hook error", "mcp error", "disk quota", "lint",
    "expected status", "(attempt "}};

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

}  // namespace

Cause cause_of_words(std::string_view message) {
    const std::string_view text = message.substr(0, kErrorBytesRead);
    const std::size_t found = kCauseWords.first_in(text);
    if (found < kCausePhrases.size()) return kCausePhrases[found].cause;
    return names_errno(text) ? Cause::kNetwork : Cause::kNone;
}

bool is_note(std::string_view message) {
    return kNoteWords.any_in(message.substr(0, kErrorBytesRead));
}

}  // namespace headway::core
