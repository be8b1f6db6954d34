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
    std::string role = "primary";  ///< primary, confirm; the first of each role is asked
    std::string base_url;          ///< up to and with "/v1", http or https
    std::string model;
    std::string api_key;               ///< the key itself, better left to the two below
    std::string api_key_env;           ///< name of the environment variable that holds it
    std::string api_key_file;          ///< file that holds it
    std::vector<std::string> headers;  ///< "Name: value", sent with each request
    std::string ca_file;               ///< PEM of the authorities to trust, empty = the system's
    bool tls_verify = true;
    std::uint32_t concurrency = 1;  ///< questions at once, 1..1024
    double prompt_usd_per_million = 0;
    double completion_usd_per_million = 0;
    bool operator==(const JudgeEndpoint&) const = default;
};

/// [judge]: without an endpoint nothing is ever asked.
struct JudgeSettings {
    std::vector<JudgeEndpoint> endpoints;  ///< at most limits::kJudgeEndpointsMax
    bool on_suspect = true;                ///< check by itself when a session is suspect
    std::uint32_t audit_rounds = 100;      ///< rounds without hard progress between audits; 0 = off
    std::uint32_t checks_max = 10;         ///< of one session by itself; 0 = none
    std::string estimates = "stall";       ///< off, stall (and phase change), step, every
    std::uint32_t estimate_steps = 5;      ///< with `every`: finished calls between estimates
    std::uint32_t estimates_max = 100;     ///< of one session
    std::uint32_t retries = 3;  ///< after the first try, on connect errors, 429 and 5xx only
    std::chrono::milliseconds silence_timeout{
        300'000};  ///< no byte for this long: the connection is dead
    std::chrono::milliseconds connect_timeout{10'000};
    bool operator==(const JudgeSettings&) const = default;
};

}  // namespace headway::config
