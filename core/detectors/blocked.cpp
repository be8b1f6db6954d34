// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/blocked.hpp"

#include <array>
#include <string>

#include "core/answers.hpp"
#include "core/assert.hpp"
#include "core/classify.hpp"
#include "core/sound_rules.hpp"
#include "core/tool_names.hpp"
#include "core/words.hpp"

namespace headway::core {
namespace {

bool blocks(FailureKind kind) {
    return kind == FailureKind::kTransient || kind == FailureKind::kAuth ||
           kind == FailureKind::kUnknownTool || kind == FailureKind::kRefused;
}

std::string_view what_blocks(FailureKind kind) {
    switch (kind) {
        case FailureKind::kTransient:
            return "the provider or network refuses or limits requests";
        case FailureKind::kAuth:
            return "credentials or permission are missing";
        case FailureKind::kUnknownTool:
            return "a tool that the agent calls is not available";
        case FailureKind::kRefused:
            return "the model's API refuses the request";
        default:
            return "waits for a person";
    }
}

}  // namespace

void Blocked::observe(const Observation& seen) {
    const std::uint64_t n = seen.event.n;
    const Payload& payload = seen.event.payload;
    if (seen.user_message || (seen.dialog_over && asked)) *this = {};
    if (const auto* error = std::get_if<ErrorReported>(&payload)) observe_error(*error, n);
    if (const auto* change = std::get_if<StateChanged>(&payload)) {
        *this = {};
        asked = change->state == AgentState::kAwaitingPermission;
        first_n = last_n = n;
    }
    if (seen.dialog_left) {
        *this = {};
        asked = true;
        first_n = last_n = n;
    }
    if (const auto* started = std::get_if<ToolStarted>(&payload)) {
        if (asks_a_person(started->tool)) {
            *this = {};
            asked = true;
            first_n = last_n = n;
        }
    }
    if (seen.call == nullptr) return;
    if (seen.call->call.ok) {
        *this = {};
    } else if (blocks(seen.call->print.failure)) {
        fail(seen.call->print.failure, seen.call->print.typed_failure, n);
    }
}

Rung Blocked::rung(Thresholds, const Ledger&) const {
    const bool sure = asked || (typed && count >= 1) || count >= 2;
    return sure ? Rung::kBlocked : Rung::kNone;
}

Finding Blocked::finding(const Ledger&) const {
    HEADWAY_ASSERT(asked || kind != FailureKind::kNone);
    HEADWAY_ASSERT(first_n <= last_n);
    Finding finding;
    finding.count = count;
    finding.identity = static_cast<std::uint64_t>(kind);
    finding.evidence.push_back(first_n);
    if (last_n != first_n) finding.evidence.push_back(last_n);
    finding.reason = std::string{asked ? "waits for a person" : what_blocks(kind)} + ", since #" +
                     std::to_string(first_n);
    return finding;
}

bool Blocked::is_sound(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest) && (count == 0 || kind != FailureKind::kNone);
}

void Blocked::fail(FailureKind failure, bool is_typed, std::uint64_t n) {
    HEADWAY_ASSERT(blocks(failure));
    HEADWAY_ASSERT(last_n <= n);
    if (failure != kind) {
        *this = {};
        kind = failure;
        first_n = n;
    }
    ++count;
    last_n = n;
    typed = typed || is_typed;
    HEADWAY_ASSERT(kind == failure && first_n <= last_n);
}

void Blocked::observe_error(const ErrorReported& error, std::uint64_t n) {
    const bool is_typed = failure_of_class(error.error_class) != FailureKind::kNone ||
                          error.status.value_or(0) >= 400;
    const FailureKind failure = failure_of_error(error);
    if (blocks(failure)) fail(failure, is_typed, n);
}

}  // namespace headway::core
