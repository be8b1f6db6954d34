// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/run_end.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "api/text/timestamp.hpp"
#include "cli/lines/bounded_event.hpp"
#include "cli/lines/line_words.hpp"
#include "core/calls/command.hpp"
#include "core/calls/tool_names.hpp"
#include "core/detection/classify.hpp"
#include "core/detection/provider_stop.hpp"
#include "core/events/work_payloads.hpp"
#include "core/text/text.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kWordsMax = 2'000;
constexpr std::size_t kReasonWordsMax = 500;  // of the agent; Headway's own words follow them

struct ExitMeaning {
    int code = 0;
    std::string_view words;
    core::Cause cause = core::Cause::kNone;
};

// The codes that Gemini CLI names; Qwen Code has them from there.
constexpr std::array<ExitMeaning, 8> kGeminiExits{{
    {41, "it is not logged in", core::Cause::kCredentials},
    {42, "its input or the session to resume is not valid"},
    {44, "its sandbox failed"},
    {52, "its settings are not valid"},
    {53, "it reached its own limit of turns"},
    {54, "a tool failed for good"},
    {55, "it does not trust this folder"},
    {130, "it was interrupted"},
}};

constexpr std::string_view kOnlyStatus = "it reports success, and its exit status does not";

/// True for a status that the agent chose itself: no signal, and none that a shell has caught.
bool is_own_status(const ExitStatus& exit) {
    constexpr int kSignalBase = 128;
    return exit.signal == 0 && exit.code <= kSignalBase;
}

/// The shape of one agent's end.
struct EndRow {
    std::string_view agent;
    std::string_view name;                     ///< for people
    std::string_view result_line;              ///< the line without which its run was cut off
    std::span<const std::string_view> guards;  ///< words by which its own guard ends a run
    std::span<const ExitMeaning> exits;
    std::span<const std::string_view> limits = {};  ///< words of a limit that its operator has set
    int limit_exit = 0;                             ///< exit status of such a limit; 0: it has none
    bool exit_is_http = false;  ///< its exit status is the HTTP status of an error, modulo 256
};

constexpr std::array<std::string_view, 3> kGeminiGuards{"Loop detected", "loop was detected",
                                                        "potential loop"};
constexpr std::array<std::string_view, 4> kQwenGuards{
    "consecutive_identical_tool_calls", "Loop detected", "loop was detected", "potential loop"};
// Its guard aborts the run as another client would.
constexpr std::array<std::string_view, 2> kClineGuards{"aborted by another client",
                                                       "it ended with \"aborted\""};
constexpr std::array<std::string_view, 1> kCopilotGuards{"no_progress"};
constexpr std::array<std::string_view, 1> kCopilotLimits{"autopilot_credit_limit"};
constexpr std::array<std::string_view, 1> kClaudeGuards{"rapid_refill_breaker"};
constexpr std::array<std::string_view, 3> kClaudeLimits{"max_turns", "max_budget_usd",
                                                        "max_structured_output_retries"};
/// Names of ends that a person has made, or has to decide about.
constexpr std::array<std::string_view, 4> kOfPerson{"tool_deferred", "aborted", "MessageAborted",
                                                    "blocked"};
/// Names of ends that did not wait for work in the background.
constexpr std::array<std::string_view, 2> kOfWait{"background_timeout", "wait_timeout"};
/// Names of ends at a filter of the provider.
constexpr std::array<std::string_view, 2> kOfFilter{"content_filter", "content-filter"};
constexpr int kTurnsExit = 53;

constexpr std::array<EndRow, 10> kRows{{
    {"claude", "Claude Code", "\"result\"", kClaudeGuards, {}, kClaudeLimits},
    {"qwen", "Qwen Code", "\"result\"", kQwenGuards, kGeminiExits, kClaudeLimits, kTurnsExit},
    {"codex", "Codex", "\"turn.completed\"", {}, {}},
    {"gemini", "Gemini CLI", "\"result\"", kGeminiGuards, kGeminiExits, {}, kTurnsExit, true},
    {"opencode", "opencode", "\"step_finish\" with the reason \"stop\"", {}, {}},
    {"kilo", "Kilo", "\"step_finish\" with the reason \"stop\"", {}, {}},
    {"copilot", "Copilot CLI", "\"result\"", kCopilotGuards, {}, kCopilotLimits},
    {"cline", "Cline", "\"run_result\"", kClineGuards, {}},
    {"cursor", "cursor-agent", "\"result\"", {}, {}},
    {"pi", "pi", "\"message_end\" with the reason \"stop\"", {}, {}},
}};

const EndRow& end_row_of(std::string_view agent) {
    static constexpr EndRow kOther{"", "the agent", "its result", {}, {}};
    const auto row = std::find_if(kRows.begin(), kRows.end(),
                                  [agent](const EndRow& one) { return one.agent == agent; });
    return row == kRows.end() ? kOther : *row;
}

/// 400 to 511 and 529, as a process can say them.
std::optional<std::uint64_t> http_of_exit(const EndRow& row, const ExitStatus& exit) {
    if (!row.exit_is_http || exit.signal != 0) return std::nullopt;
    if (exit.code >= 144 && exit.code <= 255) return static_cast<std::uint64_t>(exit.code) + 256;
    if (exit.code == 17) return 529;
    return std::nullopt;
}

const ExitMeaning* meaning_of(const EndRow& row, const ExitStatus& exit) {
    if (exit.signal != 0) return nullptr;
    const auto found =
        std::find_if(row.exits.begin(), row.exits.end(),
                     [&exit](const ExitMeaning& one) { return one.code == exit.code; });
    return found == row.exits.end() ? nullptr : &*found;
}

std::string words_of_exit(const EndRow& row, const ExitStatus& exit) {
    if (const auto http = http_of_exit(row, exit))
        return exit.text() + " (HTTP " + std::to_string(*http) + ")";
    if (const ExitMeaning* const meaning = meaning_of(row, exit))
        return exit.text() + " (" + std::string{meaning->words} + ")";
    return exit.text();
}

std::string error_words(const RunFacts& facts) {
    return facts.error ? facts.error->text_of("message") : std::string{};
}

core::Cause cause_of(const RunFacts& facts, const std::string& words,
                     std::optional<std::uint64_t> status) {
    core::ErrorReported error;
    error.message = core::bounded_text(words);
    error.status = status;
    error.ends_turn = true;
    if (facts.error) {
        error.error_class = facts.error->text_of("class");
        const Json& json = (*facts.error)["status"];
        if (json.is_unsigned()) error.status = json.count();
        (void)api::parse_timestamp(facts.error->text_of("retry_at"), error.retry_at);
    }
    return core::stop_of(error).cause;
}

bool has_one_of(std::string_view text, std::span<const std::string_view> all) {
    return std::any_of(all.begin(), all.end(), [text](std::string_view words) {
        return text.find(words) != std::string_view::npos;
    });
}

/// The words by which the agent's own guard ended the run; empty if it did not.
std::string guard_words(const RunFacts& facts, const EndRow& row) {
    std::vector<std::string> texts = facts.notices;
    if (facts.result && !facts.result->ok) {
        const LineResult& result = *facts.result;
        if (has_one_of(result.ending, row.guards))
            return result.text.empty() ? result.ending : result.text;
        texts.push_back(result.text);
    }
    texts.push_back(error_words(facts));
    for (const std::string& words : texts) {
        if (has_one_of(words, row.guards)) return words;
    }
    return {};
}

bool ended_as(const RunFacts& facts, std::span<const std::string_view> names) {
    return facts.result && !facts.result->ok && has_one_of(facts.result->ending, names);
}

/// True if a limit that the operator gave the agent ended the run.
bool is_limited(const RunFacts& facts, const EndRow& row, const ExitStatus& exit) {
    if (exit.signal == 0 && exit.code != 0 && exit.code == row.limit_exit) return true;
    return ended_as(facts, row.limits);
}

std::string list_of(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names)
        list += (list.empty() ? "" : ", ") + (name.empty() ? std::string{"a call"} : name);
    return list;
}

/// A single wrong name may be followed by an answer in words.
bool did_nothing(const RunFacts& facts) {
    return !facts.succeeded && facts.missed > 1;
}

/// The words of a result that is no success, and of the last error if they are others.
std::string with_last_error(const RunFacts& facts, const std::string& name) {
    const std::string& text = facts.result->text;
    std::string words = text.empty() ? name + " reports failure" : text;
    const std::string error = error_words(facts);
    if (words == error) return plain_words(error);
    const bool same = words.find(error) != words.npos || error.find(words) != error.npos;
    if (!same) words += "; its last error: " + plain_words(error);
    return words;
}

/// opencode ends its run, as if all were well, when it refuses a call by itself.
bool ended_by_refusal(const RunFacts& facts, const ExitStatus& exit) {
    const bool quiet = exit.code == 0 && exit.signal == 0;
    return !facts.result && !facts.error && !facts.refused.empty() && quiet;
}

/// Why the run is no success; empty if it is one. The first that holds says most.
std::string failure_of(const RunFacts& facts, const EndRow& row, const ExitStatus& exit) {
    const std::string name{row.name};
    if (const std::string guard = guard_words(facts, row); !guard.empty())
        return name + " stopped itself: " + guard;
    if (facts.result && !facts.result->ok) return with_last_error(facts, name);
    if (ended_by_refusal(facts, exit))
        return "needs a person: " + list_of(facts.refused) + " was refused, which ended " + name;
    if (!facts.result) {
        const std::string last = plain_words(error_words(facts));
        return name + " ended without its result, the line " + std::string{row.result_line} +
               (last.empty() ? "" : "; its last error: " + last);
    }
    if (facts.error) {
        const std::string words = plain_words(error_words(facts));
        return words.empty() ? name + " reports that an error has ended it" : words;
    }
    if (exit.code != 0) return std::string{kOnlyStatus};
    if (facts.cut_off > 0) return "its work in the background was cut off at its end";
    if (!facts.refused.empty())
        return std::string{facts.changed ? "needs a person: " : "nothing was done: "} +
               list_of(facts.refused) + " was refused, and no call after that changed anything";
    if (did_nothing(facts))
        return "nothing was done: there is no tool " + list_of(facts.missing) +
               ", and no other call succeeded";
    if (!facts.answered && !has_words(facts.result->text))
        return name + " ended without an answer or a call";
    return {};
}

/// The reason of the end, with its cause and time behind the agent's words.
std::string with_why(const RunEnd& end, const std::string& why) {
    if (why.empty()) return end.reason;
    std::string phrase{core::phrase_of(end.cause)};
    if (end.cause == core::Cause::kUnknown) phrase.clear();
    return core::shortened(why, kReasonWordsMax) + (phrase.empty() ? "" : " (" + phrase + ")") +
           (end.retry_at.empty() ? "" : ", until " + end.retry_at) + "; " + end.reason;
}

bool is_stop_of_provider(const RunFacts& facts, const std::optional<std::uint64_t>& http) {
    return facts.error || http;
}

core::CallKind kind_of(const Json& call) {
    const std::string& tool = call.text_of("tool");
    const Json& args = call["args"];
    const std::string command = args["command"].is_string() ? args["command"].text() : "";
    const bool has_path = args["path"].is_string() || args["file_path"].is_string();
    return core::kind_of_editing(tool, command, has_path)
        .value_or(core::kind_of_call(tool, command));
}

}  // namespace

bool changes(const Json& call) {
    const Json& command = call["args"]["command"];
    if (command.is_string()) {
        const core::CommandParts parts{inner_command(command.text())};
        if (core::only_looks(parts) || core::has_no_effect(parts)) return false;
    }
    switch (kind_of(call)) {
        case core::CallKind::kRead:
        case core::CallKind::kPoll:
        case core::CallKind::kSleep:
        case core::CallKind::kPlan:
            return false;
        default:
            return true;
    }
}

void RunFacts::note_notice(const std::string& words) {
    if (notices.size() == kNoticesMax) notices.erase(notices.begin());
    notices.push_back(bounded_text(words, kWordsMax));
}

namespace {

void note_name(std::vector<std::string>& names, const std::string& tool) {
    if (std::find(names.begin(), names.end(), tool) != names.end()) return;
    if (names.size() < RunFacts::kRefusedMax) names.push_back(bounded_text(tool, 200));
}

}  // namespace

void RunFacts::note_refused(const std::string& tool, bool replaced) {
    if (!replaced) note_name(refused, tool);
    if (core::asks_a_person(tool)) note_name(questions, tool);
}

void RunFacts::note_missing(const std::string& tool) {
    if (succeeded) return;
    note_name(missing, tool);
    ++missed;
}

void RunFacts::note_end(LineEnd end) {
    std::erase_if(ends, [&end](const LineEnd& one) { return one.about == end.about; });
    if (end.result.ok) return;
    end.result.text = bounded_text(end.result.text, kWordsMax);
    ends.push_back(std::move(end));
}

void RunFacts::note_answer() {
    cut_off = 0;  // the agent goes on, and knows
    error.reset();
    std::erase_if(ends, [](const LineEnd& one) { return one.until_answer; });
}

void RunFacts::settle(LineResult& line_result) {
    if (ends.empty()) return;
    LineResult& first = ends.front().result;
    line_result.ok = false;
    line_result.text = std::move(first.text);
    line_result.ending += (line_result.ending.empty() ? "" : " ") + first.ending;
    ends.clear();
}

namespace {

/// How a command ended that printed no line of an agent. The error is that of standard error.
RunEnd end_without_lines(const RunFacts& facts, const ExitStatus& exit) {
    RunEnd end;
    end.completed = exit.code == 0 && facts.called.empty();
    end.reason = exit.text();
    if (end.completed) return end;
    const std::string words = error_words(facts);
    if (facts.error) {
        end.cause = cause_of(facts, words, {});
        end.retry_at = facts.error->text_of("retry_at");
    }
    std::string why;
    if (!facts.called.empty()) {
        const EndRow& row = end_row_of(facts.called);
        why = std::string{row.name} + " printed no line of its own";
        end.reason = words_of_exit(row, exit);
        const ExitMeaning* const meaning = meaning_of(row, exit);
        const bool open = end.cause == core::Cause::kNone || end.cause == core::Cause::kUnknown;
        if (open && meaning != nullptr) end.cause = meaning->cause;
    }
    if (!words.empty()) why += (why.empty() ? "" : ": ") + plain_words(words);
    end.reason = with_why(end, why);
    return end;
}

}  // namespace

RunEnd run_end(const RunFacts& facts, const ExitStatus& exit) {
    if (facts.agent.empty()) return end_without_lines(facts, exit);
    RunEnd end;
    const EndRow& row = end_row_of(facts.agent);
    const std::string why = failure_of(facts, row, exit);
    end.completed = why.empty();
    end.reason = words_of_exit(row, exit);
    if (facts.ended_rest && !facts.cut_off) {
        end.reason += "; it ended what still ran in the background";
    } else if (facts.goes_on > 0 && !facts.cut_off) {
        end.reason += "; no line says that its work in the background has ended";
    }
    if (end.completed && !facts.questions.empty())
        end.reason += "; no person answered " + list_of(facts.questions);
    if (end.completed) return end;
    const bool good = facts.result && facts.result->ok && !facts.error;
    const bool named = meaning_of(row, exit) != nullptr || http_of_exit(row, exit);
    end.finished = good && is_own_status(exit) && !named && why == kOnlyStatus;
    const bool gave_up = ended_as(facts, kOfWait) && !facts.error && exit.code == 0;
    end.cut_off = (good && facts.cut_off > 0) || gave_up;
    end.guarded = !guard_words(facts, row).empty();
    end.limited = is_limited(facts, row, exit);
    end.refused = facts.result && facts.result->ok && !facts.error && !facts.refused.empty();
    end.refused = end.refused || (facts.result && facts.result->ok && did_nothing(facts));
    end.refused = end.refused || ended_as(facts, kOfPerson);
    end.refused = end.refused || ended_by_refusal(facts, exit);
    const auto http = http_of_exit(row, exit);
    const ExitMeaning* const meaning = meaning_of(row, exit);
    if (is_stop_of_provider(facts, http)) {
        // The error's own words: those of the result may only say that it failed.
        const std::string words = error_words(facts);
        end.cause = cause_of(facts, words.empty() ? why : words, http);
        if (end.cause == core::Cause::kUnknown) end.cause = cause_of(facts, why, http);
        if (facts.error) end.retry_at = facts.error->text_of("retry_at");
        if (!facts.error || !facts.error->contains("status")) end.status = http;
    } else if (meaning != nullptr) {
        end.cause = meaning->cause;
    } else if (ended_as(facts, kOfFilter)) {
        end.cause = core::Cause::kRefused;
    }
    end.reason = with_why(end, why);
    return end;
}

}  // namespace headway::cli
