// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headway::config {

/// One OpenAI-compatible endpoint that may be asked, [judge.endpoints.NAME].
struct JudgeEndpoint {
    std::string name;
    std::string role = "primary";  ///< primary or confirm; the first endpoint of each role is asked
    std::string base_url;          ///< http or https URL, up to and including "/v1"
    std::string model;
    std::string api_key;               ///< the key itself; safer: one of the next two members
    std::string api_key_env;           ///< environment variable that holds the key
    std::string api_key_file;          ///< file that holds the key
    std::vector<std::string> headers;  ///< headers sent with each request, each "Name: value"
    std::string ca_file;               ///< PEM of trusted authorities; empty = the system's
    bool tls_verify = true;
    std::uint32_t concurrency = 1;  ///< questions at once, 1..1024
    double prompt_usd_per_million = 0;
    double completion_usd_per_million = 0;
    bool operator==(const JudgeEndpoint&) const = default;
};

/// [judge]. If there is no endpoint, no question is asked.
struct JudgeSettings {
    std::vector<JudgeEndpoint> endpoints;  ///< at most limits::kJudgeEndpointsMax
    bool on_suspect = true;                ///< automatic check when a session is suspect
    std::uint32_t audit_rounds = 100;      ///< rounds without hard progress between audits; 0 = off
    std::uint32_t checks_max = 10;         ///< automatic checks of one session at most; 0 = none
    /// When to ask: "off", "stall" (or when a phase ends), "step" or "every".
    std::string estimates = "stall";
    std::uint32_t estimate_steps = 5;   ///< with "every": finished calls between estimates
    std::uint32_t estimates_max = 100;  ///< estimates of one session at most
    std::uint32_t retries = 3;          ///< further attempts after connect errors, 429 and 5xx
    std::chrono::milliseconds silence_timeout{
        300'000};  ///< no byte for this long: the connection is dead
    std::chrono::milliseconds connect_timeout{10'000};
    bool operator==(const JudgeSettings&) const = default;
};

}  // namespace headway::config
