// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/conversations/agent_homes.hpp"
#include "cli/lines/use_meter.hpp"

// The use of a conversation before a run. Claude Code, Qwen Code and Codex restore it when they
// resume, so that their totals include it. Other agents begin at zero.

namespace headway::cli {

/// The run that begins now.
struct RunBegins {
    std::string agent;
    std::string conversation;
    std::string version;  ///< the agent's version; empty: not reported
    std::string at;       ///< start time, as text in the journal's form
};

/// The previous run of the agent in the same `headway run`.
struct RunBefore {
    std::string conversation;
    UsedBefore last_total;  ///< the use according to the agent's last total
    UsedBefore counted;     ///< all reported use, plus the use before that run
};

/// The last `cost-state` of this conversation that was stored before this time, in the end of a
/// transcript of Claude Code. Pure.
std::optional<UsedBefore> use_in_cost_state(std::string_view end_of_transcript,
                                            std::string_view conversation, std::string_view before);

/// The use of the answers stored in a Qwen Code chat before this time. Pure.
UsedBefore use_in_chat(std::string_view chat, std::string_view before);

/// The use before a run, from the agent's record; nothing: the record is not found.
std::optional<UsedBefore> stored_use(const RunBegins& run, const AgentHomes& homes);

/// The use from which the meter of the run starts. A killed agent may have stored less or more than
/// was reported: the meter starts at the smaller use, so that nothing is lost. Pure.
UsedBefore used_before(const RunBegins& run, const std::optional<UsedBefore>& stored,
                       const RunBefore& before);

}  // namespace headway::cli
