// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// The bodies that the clients send: made up, and the same in each training.

namespace headway::training {

/// "/v1/sessions/NAME-CLIENT".
std::string session_path(std::size_t client, std::string_view name);

/// Those of bench/harness/load.py, about 200 bytes.
std::string bench_event(std::size_t client, std::size_t round);
std::string bench_event_with_id(std::size_t client, std::size_t round);
/// One of what agents report: calls that succeed, fail or repeat each other, edits, tests,
/// messages, plans and heartbeats. A quarter of the clients is in a loop.
std::string agent_event(std::size_t client, std::size_t round);

/// Hooks of Claude Code, before and after a call.
std::string hook_before(std::size_t client, std::size_t round);
std::string hook_after(std::size_t client, std::size_t round);

std::string approval_request(std::size_t client, std::size_t round);
std::string opening(std::size_t client);

}  // namespace headway::training
