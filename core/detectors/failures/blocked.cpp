// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/failures/blocked.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/validity_rules.hpp"
#include "core/calls/answers.hpp"
#include "core/calls/tool_names.hpp"
#include "core/detection/classify.hpp"
#include "core/detection/rate_limit.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

/// States in which an agent works: it is over what stopped it.
bool works(AgentState state) {
    return state != AgentState::kIdle && state != AgentState::kErrorRecovery &&
           state != AgentState::kAwaitingPermission && state != AgentState::kHalted;
}

/// Causes whose own words say more than the phrase for them.
bool quotes(Cause cause) {
    return cause == Cause::kUnknown || cause == Cause::kRefused || cause == Cause::kModelMissing;
}

/// The first line of an error, short enough for a row.
std::string words_of(const ErrorReported& error) {
    std::string_view text = trimmed(error.message.kept);
    text = trimmed(text.substr(0, text.find('\n')));
    if (text.empty()) text = error.error_class;
    return std::string{cut_text(text, kBlockedWordsMax)};
}

/// True if the older cause says more about the same stop than the newer one: an agent reports a
/// limit, and then that its turn ended by an error.
bool says_more(Cause older, Cause newer) {
    const bool lasting = older != Cause::kNone && older != Cause::kPerson && !passes(older) &&
                         older != Cause::kUnknown && older != Cause::kRefused;
    return lasting && (passes(newer) || newer == Cause::kUnknown || newer == Cause::kRefused);
}

/// The host of the first address in a text; empty if there is none.
std::string host_in(std::string_view text) {
    constexpr std::string_view kScheme = "://";
    const std::size_t at = text.find(kScheme);
    if (at == text.npos) return {};
    text.remove_prefix(at + kScheme.size());
    std::string host = lower(text.substr(0, text.find_first_of("/?#:\"'\\ ,)")));
    return host.starts_with("www.") ? host.substr(4) : host;
}

/// True if the command reads files by its first program behind `cd`, as written in the arguments.
bool reads_files(std::string_view args) {
    static constexpr WordList<20> kReaders{{"ls",   "find", "grep", "egrep", "rg",   "du",   "df",
                                            "cat",  "head", "tail", "wc",    "stat", "file", "tree",
                                            "diff", "sort", "awk",  "less",  "fd",   "sed"}};
    constexpr std::string_view kCommand = "command\"";
    const std::size_t at = args.find(kCommand);
    if (at == args.npos) return false;
    std::string_view command = args.substr(at + kCommand.size());
    command.remove_prefix(std::min(command.find_first_not_of(": \""), command.size()));
    if (command.starts_with("cd ")) {
        const std::size_t next = command.find("&& ");
        if (next != command.npos) command.remove_prefix(next + 3);
    }
    return contains(kReaders, command.substr(0, command.find_first_of(" \"\\")));
}

/// The digest of what a failed call wanted to read: the host of a page, or the path of a file. It
/// refuses this agent what it may refuse to any, and another host or path need not refuse it. 0 for
/// calls that write, log in, or ask a service in the agent's own name (`git push`, `gh pr list`).
std::uint64_t failed_target(const CallFingerprint& fingerprint, const ToolFinished& call) {
    static constexpr std::array<std::string_view, 5> kSends{"\"POST\"", "\"PUT\"", "\"PATCH\"",
                                                            "\"DELETE\"", "\"post\""};
    const std::string_view args = call.args.kept;
    const bool looks = fingerprint.is(Shape::kLooks);
    const bool reads = fingerprint.kind == CallKind::kRead || fetches_page(call.tool);
    if (!looks && (!reads || mentions(args, kSends))) return 0;
    const bool page = !looks || mentions(args, std::array<std::string_view, 2>{"curl ", "wget "});
    const std::string host = page ? host_in(args) : std::string{};
    if (!host.empty()) return digest_of(host).low;
    if (looks && !reads_files(args)) return 0;
    return looks && fingerprint.path == 0 ? fingerprint.question.low : fingerprint.path;
}

}  // namespace

void Blocked::observe(const Observation& seen) {
    const std::uint64_t n = seen.event.n;
    const Payload& payload = seen.event.payload;
    if (seen.user_message || (seen.dialog_over && asked()) || lifts(seen)) *this = {};
    if (const auto* error = std::get_if<ErrorReported>(&payload)) observe_error(*error, seen.event);
    if (const auto* change = std::get_if<StateChanged>(&payload)) {
        if (asked() || works(change->state)) *this = {};
        if (change->state == AgentState::kAwaitingPermission) ask(n);
    }
    if (seen.dialog_left) ask(n);
    const auto* started = std::get_if<ToolStarted>(&payload);
    if (started != nullptr && asks_a_person(started->tool)) ask(n);
    // A dialog is over with its call, however that ended: also refused there, or failed.
    const bool finished = std::holds_alternative<ToolFinished>(payload);
    if (finished && asked() && !seen.call_in_flight) *this = {};
    if (seen.call == nullptr) return;
    const ToolFinished& call = seen.call->call;
    if (seen.call->answered()) {
        *this = {};
        return;
    }
    const std::string_view message =
        call.error ? std::string_view{call.error->message.kept} : std::string_view{};
    const ProviderStop stop =
        stop_of_call(seen.call->fingerprint.failure, seen.call->fingerprint.typed_failure, message);
    // The failure of a tool says nothing about a stop of the model.
    if (stop.cause == Cause::kNone || (cause != Cause::kNone && !of_call && typed)) return;
    const bool refused = stop.cause != Cause::kTool && stop.cause != Cause::kRefused && !stop.typed;
    fail_at(refused ? failed_target(seen.call->fingerprint, call) : 0, stop, n);
}

/// A refusal by a site or a folder counts only where the same one refuses again: a reader goes on
/// elsewhere.
void Blocked::fail_at(std::uint64_t target, ProviderStop stop, std::uint64_t n) {
    const bool other = target != 0 && target != place;
    if (other && (sure() || (cause != Cause::kNone && !unexplained() && place == 0))) return;
    if (target != place && !sure()) *this = {};
    fail(stop, n);
    place = target;
    of_call = !asked();
    HEADWAY_ASSERT(cause != Cause::kNone);
}

/// One failure of the provider is over as soon as the model answers; a limit, once it works again.
bool Blocked::lifts(const Observation& seen) const {
    if (cause == Cause::kNone || asked() || of_call) return false;
    if (const auto* message = std::get_if<Message>(&seen.event.payload))
        return (message->wake_up && message->role == "system") ||
               (seen.model_answered && (passes(cause) || unexplained()));
    if (std::holds_alternative<ToolStarted>(seen.event.payload)) return true;
    return seen.model_answered && (passes(cause) || unexplained());
}

Severity Blocked::severity(Thresholds, const Ledger&) const {
    return sure() ? Severity::kBlocked : Severity::kNone;
}

Finding Blocked::finding(const Ledger&) const {
    HEADWAY_ASSERT(cause != Cause::kNone);
    HEADWAY_ASSERT(first_n <= last_n);
    Finding finding;
    finding.count = count;
    finding.identity = static_cast<std::uint64_t>(cause);
    finding.evidence.push_back(first_n);
    if (last_n != first_n) finding.evidence.push_back(last_n);
    finding.reason = phrase_of(cause);
    if (of_call && passes(cause))
        finding.reason = "the provider or network refuses or limits requests";
    if (quotes(cause) && !words.empty()) finding.reason += ": " + words;
    finding.reason += ", since #" + std::to_string(first_n);
    if (retry_at != kNever) finding.reason += "; until " + minute_text(retry_at);
    return finding;
}

bool Blocked::is_valid(const Ledger&, std::uint64_t newest) const {
    return sound::in_order(*this, newest) && (count == 0 || cause != Cause::kNone) &&
           words.size() <= kBlockedWordsMax;
}

bool Blocked::needs_somebody() const {
    return !passes(cause) || of_call || turn_over || count >= kBlockedRetries;
}

void Blocked::ask(std::uint64_t n) {
    *this = {};
    cause = Cause::kPerson;
    first_n = last_n = n;
    HEADWAY_ASSERT(asked() && !typed);
}

void Blocked::fail(ProviderStop stop, std::uint64_t n) {
    HEADWAY_ASSERT(stop.cause != Cause::kNone && last_n <= n);
    // Neither a dialog nor a certain stop gives way to what words alone seem to say.
    if (asked() || (typed && !stop.typed && stop.cause != cause)) return;
    // "An error", of which no more is known, is the one before it.
    const bool echo =
        stop.cause == Cause::kUnknown && cause != Cause::kNone && !asked() && !of_call;
    const bool same = stop.cause == cause || echo || (typed && says_more(cause, stop.cause));
    if (!same) {
        *this = {};
        cause = stop.cause;
        first_n = n;
    }
    ++count;
    last_n = n;
    typed = typed || stop.typed;
    HEADWAY_ASSERT(first_n <= last_n && count >= 1);
}

void Blocked::observe_error(const ErrorReported& error, const Event& event) {
    ProviderStop stop = stop_of(error);
    const bool first = cause == Cause::kNone || unexplained();
    if (first && is_unexplained(error)) stop.cause = Cause::kUnknown;
    if (stop.cause == Cause::kNone) return;
    if (of_call && !asked()) *this = {};  // the model's own error says more than that of a call
    fail(stop, event.n);
    if (asked() || of_call) return;  // the error says nothing about these
    if (quotes(cause) && stop.cause == cause) words = words_of(error);
    const Timestamp until = retry_of(error, event.at);
    // A lesser error after a limit has a time of its own, which is no end of the limit.
    if (until != kNever && (stop.cause == cause || until > retry_at)) retry_at = until;
    const bool waits = until != kNever && until - event.at >= kBlockedWait;
    turn_over = turn_over || error.ends_turn || waits;
    typed = typed || waits;  // no words are clearer than such a wait
}

}  // namespace headway::core
