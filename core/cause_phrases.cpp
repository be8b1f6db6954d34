// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "core/cause_tables.hpp"
#include "core/phrases.hpp"
#include "core/words.hpp"

namespace headway::core {
namespace {

struct Phrase {
    std::string_view words;  ///< lower case
    Cause cause;
};

// In this order: the first that stands anywhere in the message wins, so exact ones and those that
// waiting does not cure come before those that pass.
constexpr std::array kPhrases{
    // What names another cause only to say that it is not that one.
    Phrase{"not your usage limit", Cause::kRateLimit},
    Phrase{"no capacity available", Cause::kOverloaded},
    Phrase{"model_capacity_exhausted", Cause::kOverloaded},
    Phrase{"hit your usage limit", Cause::kUsageLimit},
    Phrase{"reached your usage limit", Cause::kUsageLimit},
    Phrase{"hit your limit", Cause::kUsageLimit},
    Phrase{"out of extra usage", Cause::kUsageLimit},
    Phrase{"premium request", Cause::kUsageLimit},
    Phrase{"no quota", Cause::kUsageLimit},
    Phrase{"free quota has been exhausted", Cause::kUsageLimit},
    Phrase{"使用上限", Cause::kUsageLimit},

    Phrase{"self signed certificate", Cause::kCertificate},
    Phrase{"self-signed certificate", Cause::kCertificate},
    Phrase{"unable to verify the first certificate", Cause::kCertificate},
    Phrase{"unable to get local issuer", Cause::kCertificate},
    Phrase{"certificate has expired", Cause::kCertificate},
    Phrase{"certificate verify failed", Cause::kCertificate},
    Phrase{"certificate verification failed", Cause::kCertificate},
    Phrase{"unable_to_get_issuer_cert", Cause::kCertificate},
    Phrase{"unable_to_verify_leaf", Cause::kCertificate},
    Phrase{"self_signed_cert", Cause::kCertificate},
    Phrase{"certificate is not valid", Cause::kCertificate},
    Phrase{"invalid peer certificate", Cause::kCertificate},
    Phrase{"unknownissuer", Cause::kCertificate},
    Phrase{"err_tls_cert", Cause::kCertificate},
    Phrase{"cert_has_expired", Cause::kCertificate},
    Phrase{"ssl certificate problem", Cause::kCertificate},
    Phrase{"tls handshake", Cause::kCertificate},
    Phrase{"ssl handshake", Cause::kCertificate},
    Phrase{"wrong version number", Cause::kCertificate},

    Phrase{"context length", Cause::kContextFull},
    Phrase{"context_length", Cause::kContextFull},
    Phrase{"context window", Cause::kContextFull},
    Phrase{"context size", Cause::kContextFull},
    Phrase{"maximum context", Cause::kContextFull},
    Phrase{"prompt is too long", Cause::kContextFull},
    Phrase{"prompt too long", Cause::kContextFull},
    Phrase{"input is too long", Cause::kContextFull},
    Phrase{"input token count", Cause::kContextFull},
    Phrase{"input tokens exceed", Cause::kContextFull},
    Phrase{"too many input tokens", Cause::kContextFull},
    Phrase{"exceeds the maximum number of tokens", Cause::kContextFull},
    Phrase{"autocompact is thrashing", Cause::kContextFull},
    Phrase{"compaction exhausted", Cause::kContextFull},
    Phrase{"conversation is too long", Cause::kContextFull},
    Phrase{"conversation too long", Cause::kContextFull},
    Phrase{"context limit reached", Cause::kContextFull},
    Phrase{"context_window_exceeded", Cause::kContextFull},
    Phrase{"exceeds the model limit", Cause::kContextFull},

    // Google writes "check your plan and billing details" for limits that pass, too.
    Phrase{"perday", Cause::kUsageLimit},
    Phrase{"per day", Cause::kUsageLimit},
    Phrase{"please retry in", Cause::kRateLimit},
    Phrase{"quota exceeded for metric", Cause::kRateLimit},
    Phrase{"quota exceeded for quota metric", Cause::kRateLimit},

    Phrase{"credit balance", Cause::kBilling},
    Phrase{"insufficient credit", Cause::kBilling},
    Phrase{"insufficient_quota", Cause::kBilling},
    Phrase{"insufficient quota", Cause::kBilling},
    Phrase{"insufficient balance", Cause::kBilling},
    Phrase{"insufficient funds", Cause::kBilling},
    Phrase{"payment required", Cause::kBilling},
    Phrase{"out of credits", Cause::kBilling},
    Phrase{"no credits", Cause::kBilling},
    Phrase{"more credits", Cause::kBilling},
    Phrase{"plan and billing", Cause::kBilling},
    Phrase{"billing hard limit", Cause::kBilling},
    Phrase{"billing is not active", Cause::kBilling},
    Phrase{"billing details", Cause::kBilling},
    Phrase{"billing account", Cause::kBilling},
    Phrase{"enable billing", Cause::kBilling},
    Phrase{"payment method", Cause::kBilling},
    Phrase{"spend limit", Cause::kBilling},
    Phrase{"spending limit", Cause::kBilling},
    Phrase{"spending cap", Cause::kBilling},
    Phrase{"budget has been exceeded", Cause::kBilling},
    Phrase{"exceeded budget", Cause::kBilling},
    Phrase{"top up your", Cause::kBilling},
    Phrase{"spend cap", Cause::kBilling},
    Phrase{"over budget", Cause::kBilling},
    Phrase{"exceededbudget", Cause::kBilling},
    Phrase{"overage limit", Cause::kBilling},
    Phrase{"extra usage. add", Cause::kBilling},
    Phrase{"chatgpt plan, upgrade", Cause::kBilling},
    Phrase{"余额不足", Cause::kBilling},

    Phrase{"usage limit", Cause::kUsageLimit},
    Phrase{"usage_limit", Cause::kUsageLimit},
    Phrase{"session limit", Cause::kUsageLimit},
    Phrase{"weekly limit", Cause::kUsageLimit},
    Phrase{"daily limit", Cause::kUsageLimit},
    Phrase{"monthly limit", Cause::kUsageLimit},
    Phrase{"5-hour limit", Cause::kUsageLimit},
    Phrase{"hour limit", Cause::kUsageLimit},
    Phrase{"daily quota", Cause::kUsageLimit},
    Phrase{"monthly quota", Cause::kUsageLimit},
    Phrase{"weekly quota", Cause::kUsageLimit},
    Phrase{"request quota", Cause::kUsageLimit},
    Phrase{"quota will reset", Cause::kUsageLimit},
    Phrase{"limit will reset", Cause::kUsageLimit},
    Phrase{"limit resets", Cause::kUsageLimit},
    Phrase{"exhausted your", Cause::kUsageLimit},
    Phrase{"quota_exhausted", Cause::kUsageLimit},
    Phrase{"reached your limit", Cause::kUsageLimit},
    Phrase{"usage cap", Cause::kUsageLimit},
    Phrase{"limit of your current plan", Cause::kUsageLimit},
    Phrase{"rate limit", Cause::kRateLimit},
    Phrase{"rate_limit", Cause::kRateLimit},
    Phrase{"rate-limit", Cause::kRateLimit},
    Phrase{"too many requests", Cause::kRateLimit},
    Phrase{"toomanyrequests", Cause::kRateLimit},
    Phrase{"too many tokens", Cause::kRateLimit},
    Phrase{"request frequency has been limited", Cause::kRateLimit},
    Phrase{"reduce your request rate", Cause::kRateLimit},
    Phrase{"reached for requests", Cause::kRateLimit},
    Phrase{"throttl", Cause::kRateLimit},
    Phrase{"resource_exhausted", Cause::kRateLimit},
    Phrase{"resourceexhausted", Cause::kRateLimit},
    Phrase{"resource exhausted", Cause::kRateLimit},
    Phrase{"resource has been exhausted", Cause::kRateLimit},
    Phrase{"request was rejected (429)", Cause::kRateLimit},
    Phrase{"quota exceeded", Cause::kUsageLimit},
    Phrase{"exceeded your quota", Cause::kUsageLimit},
    Phrase{"exceeded your current quota", Cause::kUsageLimit},
    Phrase{"exceeded quota", Cause::kUsageLimit},
    Phrase{"over quota", Cause::kUsageLimit},
    Phrase{"out of quota", Cause::kUsageLimit},
    Phrase{"quota reached", Cause::kUsageLimit},

    Phrase{"unauthorized", Cause::kCredentials},
    Phrase{"unauthenticated", Cause::kCredentials},
    Phrase{"invalid api key", Cause::kCredentials},
    Phrase{"incorrect api key", Cause::kCredentials},
    Phrase{"api key not valid", Cause::kCredentials},
    Phrase{"api key is missing", Cause::kCredentials},
    Phrase{"api key expired", Cause::kCredentials},
    Phrase{"no api key", Cause::kCredentials},
    Phrase{"missing api key", Cause::kCredentials},
    Phrase{"invalid x-api-key", Cause::kCredentials},
    Phrase{"authentication failed", Cause::kCredentials},
    Phrase{"authentication required", Cause::kCredentials},
    Phrase{"authentication error", Cause::kCredentials},
    Phrase{"authentication_error", Cause::kCredentials},
    Phrase{"failed to authenticate", Cause::kCredentials},
    Phrase{"could not authenticate", Cause::kCredentials},
    Phrase{"token has expired", Cause::kCredentials},
    Phrase{"token expired", Cause::kCredentials},
    Phrase{"token is expired", Cause::kCredentials},
    Phrase{"token refresh failed", Cause::kCredentials},
    Phrase{"refresh token", Cause::kCredentials},
    Phrase{"token could not be refreshed", Cause::kCredentials},
    Phrase{"access token could not", Cause::kCredentials},
    Phrase{"oauth token", Cause::kCredentials},
    Phrase{"session has expired", Cause::kCredentials},
    Phrase{"session expired", Cause::kCredentials},
    Phrase{"credentials have expired", Cause::kCredentials},
    Phrase{"credentials expired", Cause::kCredentials},
    Phrase{"could not load credentials", Cause::kCredentials},
    Phrase{"unable to locate credentials", Cause::kCredentials},
    Phrase{"default credentials", Cause::kCredentials},
    Phrase{"security token included in the request", Cause::kCredentials},
    Phrase{"please run /login", Cause::kCredentials},
    Phrase{"please log in", Cause::kCredentials},
    Phrase{"please login", Cause::kCredentials},
    Phrase{"please sign in", Cause::kCredentials},
    Phrase{"not logged in", Cause::kCredentials},
    Phrase{"need to log in", Cause::kCredentials},
    Phrase{"log in again", Cause::kCredentials},
    Phrase{"sign in again", Cause::kCredentials},
    Phrase{"re-authenticate", Cause::kCredentials},
    Phrase{"reauthenticate", Cause::kCredentials},
    Phrase{"account has been disabled", Cause::kCredentials},
    Phrase{"account is not active", Cause::kCredentials},
    Phrase{"organization has been disabled", Cause::kCredentials},
    Phrase{"organization has disabled", Cause::kCredentials},
    Phrase{"access denied", Cause::kCredentials},
    Phrase{"403 forbidden", Cause::kCredentials},
    Phrase{"invalid credentials", Cause::kCredentials},
    Phrase{"bad credentials", Cause::kCredentials},
    Phrase{"not authorized", Cause::kCredentials},
    Phrase{"permission denied", Cause::kCredentials},
    Phrase{"permission_denied", Cause::kCredentials},
    Phrase{"invalid_grant", Cause::kCredentials},
    Phrase{"invalid_rapt", Cause::kCredentials},
    Phrase{"oauth refresh failed", Cause::kCredentials},
    Phrase{"sso-token-expired", Cause::kCredentials},
    Phrase{"aws sso login", Cause::kCredentials},
    Phrase{"failed to login", Cause::kCredentials},
    Phrase{"account has been disable", Cause::kCredentials},
    Phrase{"invalid session", Cause::kCredentials},
    Phrase{"not eligible for gemini", Cause::kCredentials},
    Phrase{"must be a named user", Cause::kCredentials},
    Phrase{"missing authentication header", Cause::kCredentials},

    Phrase{"no such model", Cause::kModelMissing},
    Phrase{"model not found", Cause::kModelMissing},
    Phrase{"model_not_found", Cause::kModelMissing},
    Phrase{"unknown model", Cause::kModelMissing},
    Phrase{"invalid model", Cause::kModelMissing},
    Phrase{"not a valid model", Cause::kModelMissing},
    Phrase{"model is not available", Cause::kModelMissing},
    Phrase{"model is not supported", Cause::kModelMissing},
    Phrase{"do not have access to it", Cause::kModelMissing},
    Phrase{"access to the model", Cause::kModelMissing},
    Phrase{"issue with the selected model", Cause::kModelMissing},
    Phrase{"no endpoints found", Cause::kModelMissing},
    Phrase{"try pulling it first", Cause::kModelMissing},
    Phrase{"on-demand throughput isn", Cause::kModelMissing},
    Phrase{"does not support tools", Cause::kModelMissing},
    Phrase{"no model available", Cause::kModelMissing},
    Phrase{"deployment for this resource does not exist", Cause::kModelMissing},

    Phrase{"unknown tool", Cause::kTool},
    Phrase{"tool not found", Cause::kTool},
    Phrase{"no such tool", Cause::kTool},
    Phrase{"tool is not available", Cause::kTool},
    Phrase{"tool not available", Cause::kTool},
    Phrase{"unavailable tool", Cause::kTool},
    Phrase{"tool does not exist", Cause::kTool},

    Phrase{"overloaded", Cause::kOverloaded},
    Phrase{"service unavailable", Cause::kOverloaded},
    Phrase{"bad gateway", Cause::kOverloaded},
    Phrase{"gateway timeout", Cause::kOverloaded},
    Phrase{"gateway time-out", Cause::kOverloaded},
    Phrase{"internal server error", Cause::kOverloaded},
    Phrase{"internal_server_error", Cause::kOverloaded},
    Phrase{"server error", Cause::kOverloaded},
    Phrase{"temporarily unavailable", Cause::kOverloaded},
    Phrase{"currently unavailable", Cause::kOverloaded},
    Phrase{"at capacity", Cause::kOverloaded},
    Phrase{"high demand", Cause::kOverloaded},
    Phrase{"no capacity", Cause::kOverloaded},
    Phrase{"loading model", Cause::kOverloaded},
    Phrase{"model is loading", Cause::kOverloaded},
    Phrase{"provider returned error", Cause::kOverloaded},
    Phrase{"server_error", Cause::kOverloaded},
    Phrase{"server had an error", Cause::kOverloaded},
    Phrase{"error occurred while processing your request", Cause::kOverloaded},
    Phrase{"error while processing your request", Cause::kOverloaded},
    Phrase{"failed to get response from the ai model", Cause::kOverloaded},
    Phrase{"model is temporarily busy", Cause::kOverloaded},
    Phrase{"having trouble responding", Cause::kOverloaded},
    Phrase{"capacity exceeded", Cause::kOverloaded},
    Phrase{"requires more system memory", Cause::kOverloaded},
    Phrase{"runner process has terminated", Cause::kOverloaded},

    Phrase{"connection refused", Cause::kNetwork},
    Phrase{"connection reset", Cause::kNetwork},
    Phrase{"connection closed", Cause::kNetwork},
    Phrase{"connection aborted", Cause::kNetwork},
    Phrase{"connection error", Cause::kNetwork},
    Phrase{"connection timed out", Cause::kNetwork},
    Phrase{"connect to host", Cause::kNetwork},
    Phrase{"could not connect", Cause::kNetwork},
    Phrase{"couldn't connect", Cause::kNetwork},
    Phrase{"unable to connect", Cause::kNetwork},
    Phrase{"failed to connect", Cause::kNetwork},
    Phrase{"getaddrinfo", Cause::kNetwork},
    Phrase{"dns error", Cause::kNetwork},
    Phrase{"could not resolve", Cause::kNetwork},
    Phrase{"failure in name resolution", Cause::kNetwork},
    Phrase{"name or service not known", Cause::kNetwork},
    Phrase{"network is unreachable", Cause::kNetwork},
    Phrase{"network error", Cause::kNetwork},
    Phrase{"network request failed", Cause::kNetwork},
    Phrase{"fetch failed", Cause::kNetwork},
    Phrase{"failed to fetch", Cause::kNetwork},
    Phrase{"error sending request", Cause::kNetwork},
    Phrase{"socket hang up", Cause::kNetwork},
    Phrase{"other side closed", Cause::kNetwork},
    Phrase{"premature close", Cause::kNetwork},
    Phrase{"stream disconnected", Cause::kNetwork},
    Phrase{"stream closed", Cause::kNetwork},
    Phrase{"stream ended", Cause::kNetwork},
    Phrase{"stream was interrupted", Cause::kNetwork},
    Phrase{"incomplete response", Cause::kNetwork},
    Phrase{"stream idle timeout", Cause::kNetwork},
    Phrase{"socket connection was closed", Cause::kNetwork},
    Phrase{"websocket closed", Cause::kNetwork},
    Phrase{"internet connection is", Cause::kNetwork},
    Phrase{"dns lookup", Cause::kNetwork},
    Phrase{"unexpected eof", Cause::kNetwork},
    Phrase{"decoding response body", Cause::kNetwork},
    Phrase{"api error: terminated", Cause::kNetwork},
    Phrase{"violate our usage policy", Cause::kRefused},
    Phrase{"content filtering policy", Cause::kRefused},
    Phrase{"without tool_result", Cause::kRefused},
    Phrase{"request timed out", Cause::kNetwork},
    Phrase{"operation timed out", Cause::kNetwork},
    Phrase{"timeout while waiting", Cause::kNetwork},
    Phrase{"database is locked", Cause::kNetwork},
    Phrase{"could not get lock", Cause::kNetwork},
    Phrase{"unable to acquire", Cause::kNetwork},
    Phrase{"index.lock", Cause::kNetwork},
    Phrase{"another process", Cause::kNetwork},
};

constexpr Phrases kWords{[] {
    std::array<std::string_view, kPhrases.size()> words{};
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = kPhrases[i].words;
    return words;
}()};

// Notes about a limit that is not reached, and other programs' words for the same things.
constexpr Phrases kNotes{std::array<std::string_view, 13>{
    "approaching", "remaining", "% of ", "percent of ", "cannot determine the safety",
    "retrying in ", "retrying after ", "hook error", "mcp error", "disk quota", "lint",
    "expected status", "(attempt "}};

constexpr std::array<std::string_view, 9> kErrnos{"econnrefused", "econnreset",  "econnaborted",
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
        if (std::find(kErrnos.begin(), kErrnos.end(), word) != kErrnos.end()) return true;
        at = end;
    }
    return false;
}

}  // namespace

Cause cause_of_words(std::string_view message) {
    const std::string_view text = message.substr(0, kErrorBytesRead);
    const std::size_t found = kWords.first_in(text);
    if (found < kPhrases.size()) return kPhrases[found].cause;
    return names_errno(text) ? Cause::kNetwork : Cause::kNone;
}

bool is_note(std::string_view message) {
    return kNotes.any_in(message.substr(0, kErrorBytesRead));
}

}  // namespace headway::core
