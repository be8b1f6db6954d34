// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/events/judge_payloads.hpp"

namespace headway::server {

/// One question to a judge.
struct JudgeJob {
    std::uint64_t id = 0;  ///< chosen by the engine; comes back with the reply
    std::string session;
    std::string endpoint;  ///< the endpoint's JudgeEndpoint::name
    std::string system;    ///< `system` and `user` are the messages of the request
    std::string user;
    std::uint32_t max_tokens = 100;
    double temperature = 0;
};

/// The result of a job; each job gets exactly one. `text` is the output of the model; it is
/// complete only with kAnswered. kDiscarded (an invalid answer) does not occur here: only the
/// engine, which reads the answer later, sets it.
struct JudgeReply {
    std::uint64_t id = 0;
    std::string session;
    std::string endpoint;
    std::string model;  ///< the model's name as the endpoint sent it, else as configured
    core::JudgeOutcome outcome = core::JudgeOutcome::kCancelled;
    std::string text;
    std::string error;  ///< text for people, with the next step if known; without secrets
    core::JudgeUse use;
};

}  // namespace headway::server
