// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/calls/command_parts.hpp"

// The effect of shell commands, judged by their words. Pure; linear in the command.

namespace headway::core {

/// True if the command only queries a state and changes nothing: it reads files, processes,
/// services, or pages with curl. It may also sleep.
bool only_looks(const CommandParts& command);

/// True if the command only prints words or facts about the shell, changes its folder, or sleeps:
/// echo, pwd, true.
bool has_no_effect(const CommandParts& command);

/// True if the command queries an orchestrator, a scheduler or a service for the status of
/// something that runs elsewhere: kubectl get, docker ps, squeue, systemctl is-active, gh run view,
/// tail.
bool asks_for_status(const CommandParts& command);

/// The target of a command that only asks whether a host, a port or a name is there (ping, nc -z,
/// whois, host), without its options; its failure is the answer "no". Empty for other commands,
/// including those that do something else if the target is there.
std::string probed_target(const CommandParts& command);

/// True if the command begins with a question that its exit status answers: test, which, grep -q.
bool is_guard(std::string_view command);

/// True if the command sleeps and then does something else.
bool sleeps_and_more(const CommandParts& command);

/// True if the command begins with a sleep of at least 10 s, then does something else.
bool rests_first(std::string_view command);

/// True if the command only sends keys, clicks or swipes to a screen and does not show their
/// effect: `xdotool key Tab`, `adb shell input tap 5 9`, `tmux send-keys`. It may also sleep.
bool sends_input(const CommandParts& command);

/// True if the command itself waits until something has changed or a time is over: `kubectl wait`,
/// `gh run watch`, `timeout 60 tail -f`.
bool waits_itself(const CommandParts& command);

/// True if the command restores files from version control: git checkout, restore, stash, reset.
bool takes_files_back(const CommandParts& command);

/// True if the command has no effect that matters: touch, true, echo of a text, an empty commit.
bool does_nothing(const CommandParts& command);

}  // namespace headway::core
