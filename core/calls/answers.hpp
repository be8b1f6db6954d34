// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

// The meaning of a tool's answer, judged by its words. Pure; linear in the text.

namespace headway::core {

/// Words in an answer that mean that something is still under way (says_running).
inline constexpr std::array<std::string_view, 15> kStillUnderWay{
    "running",      "pending",      "in progress",       "in_progress",  "queued",
    "waiting",      "not ready",    "processing",        "building",     "starting",
    "not finished", "provisioning", "containercreating", "initializing", "activating"};

/// Words that have this meaning only as the value of a state: `"status": "working"`.
inline constexpr std::array<std::string_view, 7> kAtWork{
    "working", "executing", "ongoing", "generating", "training", "thinking", "in_flight"};

/// True if an error message only names an exit status ("exit code 1", "Command failed with exit
/// code 22"). Such a call's diagnostic is in its output.
bool is_only_exit_status(std::string_view message);

/// True if a short answer only confirms that an action was done: "Clicked", "The label has been
/// saved". False for an answer that mentions a fault.
bool is_acknowledgement(std::string_view result);

/// True if a whole word of a short answer states that something has not finished yet: true for
/// "build pending", not for "data-processing" or "pending.csv". Stricter than says_running(),
/// because failures contain such words too.
bool says_pending(std::string_view answer);

/// True if the result shows that nothing has arrived: it is empty, an empty list, or "no messages".
bool says_nothing_yet(std::string_view result);

/// False if none of says_running, says_over and says_busy can be true. Thus one search usually
/// replaces three.
bool has_state_words(std::string_view result);

/// True if a word of kAtWork is the outermost state in a short text in lower case, and no state
/// next to it names an end.
bool has_state_at_work(std::string_view text);

/// True if a short answer names a final state that no waiting will change (cancelled, failed,
/// killed), and nothing that is still under way.
bool says_over(std::string_view result);

/// True if a short answer reports that a needed resource is in use: a lock, a rate limit.
bool says_busy(std::string_view result);

/// True if the result reports changed rows or records: "UPDATE 1000", "3 rows affected".
bool is_receipt(std::string_view result);

/// True if a short answer reports items of a queue that were processed, at least one: "processed 1
/// item", "Processed: SendMail", {"imported":100}.
bool says_worked_off(std::string_view result);

/// True if a short answer reports that the queue has more items: {"imported":100,"has_more":true}.
bool says_more(std::string_view result);

}  // namespace headway::core
