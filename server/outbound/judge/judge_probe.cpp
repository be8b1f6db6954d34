// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/judge/judge_probe.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "server/outbound/judge/judge_client.hpp"

namespace headway::server {
namespace {

using core::JudgeOutcome;

/// A person waits at a terminal; long enough to load a model first.
constexpr std::chrono::milliseconds kSilenceMax{60'000};

std::string advice(JudgeOutcome outcome, const std::string& table) {
    switch (outcome) {
        case JudgeOutcome::kUnreachable:
            return "look at base_url of " + table + ", and whether it runs";
        case JudgeOutcome::kRefused:
            return "look at base_url, model and key of " + table;
        case JudgeOutcome::kFailing:
            return "it is overloaded or broken: look at its own log";
        case JudgeOutcome::kBroken:
            return "is there a server with OpenAI's chat completions at base_url of " + table + "?";
        default:
            return "look at " + table;
    }
}

config::JudgeSettings only(config::JudgeSettings settings, const std::string& name) {
    std::erase_if(settings.endpoints,
                  [&](const config::JudgeEndpoint& endpoint) { return endpoint.name != name; });
    settings.retries = 0;
    settings.silence_timeout = std::min(settings.silence_timeout, kSilenceMax);
    return settings;
}

}  // namespace

core::Result<std::string> probe_judge(const config::JudgeSettings& settings,
                                      const std::string& name) {
    const std::string table = "[judge.endpoints." + name + "]";
    std::promise<JudgeReply> answered;  // before the client, whose thread uses it
    CurlLoop loop;
    JudgeClient client{loop, only(settings, name),
                       [&](JudgeReply reply) { answered.set_value(std::move(reply)); },
                       [](bool, const std::string&) {}};  // the reply has the same text
    JudgeJob job;
    job.session = "doctor";
    job.endpoint = name;
    job.system = "This is a test of the connection.";
    job.user = "Answer with the letter A.";
    job.max_tokens = 1;
    if (!client.submit(std::move(job))) {
        return core::Error{core::ErrorCode::kInvalidConfig, "there is no " + table, name};
    }
    const JudgeReply reply = answered.get_future().get();
    if (reply.outcome == JudgeOutcome::kAnswered) {
        return reply.model + " answered within " + std::to_string(reply.use.elapsed_ms) + " ms";
    }
    std::string what{core::name_of(reply.outcome)};
    if (!reply.error.empty()) what += ": " + reply.error;
    what += "; " + advice(reply.outcome, table);
    return core::Error{core::ErrorCode::kInvalidConfig, std::move(what), name};
}

}  // namespace headway::server
