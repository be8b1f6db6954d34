// SPDX-License-Identifier: Apache-2.0
#include "api/records/canonical.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/canonical_json.hpp"
#include "core/calls/answers.hpp"
#include "core/calls/command.hpp"
#include "core/calls/mask.hpp"
#include "core/calls/tool_names.hpp"
#include "core/detection/classify.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

using core::CallFingerprint;
using core::CallKind;
using core::FailureKind;

std::uint64_t low_digest(std::string_view text) {
    return core::digest_of(text).low;
}

/// Everything but the path: two edits with the same content leave a file the same.
std::uint64_t content_of(JsonValue args) {
    if (args.kind() != JsonKind::kObject) return 0;
    std::string out;
    append_without_paths(out, args);
    return low_digest(out);
}

/// The arguments, or the client's digest of them where it left them out or cut them.
void append_question(std::string& out, std::optional<JsonValue> args,
                     const core::ToolFinished& call) {
    out = call.tool;
    out.push_back('\n');
    const std::size_t before = out.size();
    if (args) append_canonical(out, *args, false);
    const bool cut = std::string_view{out}.substr(before).find(kCutMark) != std::string_view::npos;
    if (!call.args_digest.empty() && (!args || cut)) out.append("\n#").append(call.args_digest);
    if (!args && call.args_digest.empty()) out.append(call.target);
}

struct ResultText {
    std::string_view text;  ///< as it came: of a string its content, else empty
    std::string canonical;
    std::uint64_t bytes = 0;
};

constexpr std::array<std::string_view, 3> kOutputKeys{"output", "stdout", "stderr"};

/// Codex begins each answer with a random number: "Chunk ID: 2f3a10", then how long it took.
void cut_chunk_id(std::string& canonical) {
    constexpr std::string_view kChunk = "Chunk ID: ";
    constexpr std::size_t kAtMost = 64;  // behind the names of an object
    constexpr std::size_t kIdBytesMax = 32;
    const std::size_t at = std::string_view{canonical}.substr(0, kAtMost).find(kChunk);
    if (at == std::string::npos) return;
    const std::size_t end = canonical.find("Wall time: ", at);
    if (end == std::string::npos || end - at > kChunk.size() + kIdBytesMax) return;
    canonical.erase(at, end - at);
}

ResultText read_result(std::optional<JsonValue> result, const core::ToolFinished& call,
                       bool shell) {
    ResultText read;
    if (result) {
        if (result->kind() == JsonKind::kString) read.text = result->text();
        if (result->kind() == JsonKind::kObject && shell)
            read.text = text_under(result, kOutputKeys);
        read.bytes =
            result->kind() == JsonKind::kString ? read.text.size() : call.result.kept.size();
        append_canonical(read.canonical, *result, true);
        cut_chunk_id(read.canonical);
    }
    const bool cut = read.canonical.find(kCutMark) != std::string::npos;
    if (!call.result_digest.empty() && (!result || cut))
        read.canonical.append("\n#").append(call.result_digest);
    return read;
}

void print_failure(CallFingerprint& fingerprint, const core::ToolFinished& call,
                   std::string_view result) {
    std::string_view message =
        call.error ? std::string_view{call.error->message.kept} : std::string_view{};
    // Then the output has the diagnostic.
    if (message.empty() || (core::is_only_exit_status(message) && !result.empty()))
        message = result;
    if (call.error) fingerprint.failure = core::failure_of_tool_class(call.error->error_class);
    fingerprint.typed_failure = fingerprint.failure != FailureKind::kNone;
    if (!fingerprint.typed_failure) fingerprint.failure = core::failure_of_tool_message(message);
    // Words such as "connection refused" in a red test are what the test is about.
    const bool of_the_test = fingerprint.kind == CallKind::kVerify && !fingerprint.typed_failure;
    if (of_the_test) fingerprint.failure = FailureKind::kAssertion;
    std::string line = core::diagnostic_line(message);
    if (fingerprint.failure == FailureKind::kNotFound) line = core::without_quotes(line);
    line.push_back(static_cast<char>('a' + static_cast<int>(fingerprint.failure)));
    fingerprint.diagnostic = low_digest(line);
}

constexpr std::array<std::string_view, 6> kOldKeys{"old",    "oldstring", "oldstr",
                                                   "search", "oldtext",   "before"};
constexpr std::array<std::string_view, 6> kNewKeys{"new",     "newstring", "newstr",
                                                   "replace", "newtext",   "after"};
constexpr std::array<std::string_view, 5> kWholeKeys{"content", "filetext", "contents", "text",
                                                     "data"};

/// An edit by its old and new text, or by the whole content of a file.
void shape_edit(CallFingerprint& fingerprint, std::optional<JsonValue> args) {
    const std::string_view before = text_under(args, kOldKeys);
    const std::string_view after = text_under(args, kNewKeys);
    const bool replaces = !before.empty() || !after.empty();
    fingerprint.set(core::Shape::kCosmetic,
                    !before.empty() && core::differ_in_looks_only(before, after));
    fingerprint.set(core::Shape::kWhole, !replaces && !text_under(args, kWholeKeys).empty());
}

constexpr std::size_t kShapeBytesMax = 4096;  ///< of a command whose words are looked at

/// The action that was asked for, of a tool that represents a screen. In other tools, any agent
/// could write one.
std::string_view action_of(std::string_view tool, const std::optional<JsonValue>& args) {
    if (!core::is_screen(tool)) return {};
    static constexpr std::array<std::string_view, 1> kActionKeys{"action"};
    return text_under(args, kActionKeys);
}

/// True if the call ended because its time was up, and what it waited for has not come.
bool ran_out_of_time(const CallFingerprint& fingerprint, const core::ToolFinished& call,
                     std::string_view result) {
    if (fingerprint.running || fingerprint.failure == core::FailureKind::kTimeout) return true;
    if (result.find("timed out") != result.npos) return true;
    if (!call.error) return false;
    static constexpr std::array<std::string_view, 2> kSaid{"timed out", "124"};  // of timeout(1)
    return core::mentions(call.error->message.kept, kSaid);
}

void shape_call(CallFingerprint& fingerprint, const core::ToolFinished& call,
                const std::optional<JsonValue>& args, std::string_view command,
                std::string_view result) {
    using core::Shape;
    const bool bare = !call.error || call.error->message.empty() ||
                      core::is_only_exit_status(call.error->message.kept);
    const bool silent =
        !call.ok && !fingerprint.typed_failure && bare && fingerprint.kind != CallKind::kVerify;
    const std::string_view text = core::trimmed(result);
    // Without a result and without a message nothing is known.
    const bool told = !call.result.kept.empty() || (call.error && !call.error->message.empty());
    // A count of zero is as much: `grep -c` says it beside its exit status.
    const bool empty = told && (text.empty() || text == "\"\"" || text == "null" || text == "0");
    fingerprint.set(Shape::kSilent,
                    silent && !command.empty() && empty && call.result_digest.empty());
    const bool receipt = call.ok && core::is_receipt(result);
    fingerprint.set(Shape::kAcknowledged,
                    call.ok && call.result_digest.empty() &&
                        (fingerprint.trivial || receipt || core::is_acknowledgement(result)));
    if (command.empty()) {
        fingerprint.set(Shape::kActs, receipt || core::acts_on_screen(call.tool) ||
                                          core::acts_on_screen(action_of(call.tool, args)));
        fingerprint.set(Shape::kNothing,
                        fingerprint.kind != CallKind::kRead && core::only_remembers(call.tool));
        return;
    }
    fingerprint.set(Shape::kCommand, true);
    fingerprint.set(Shape::kActs, receipt);
    if (command.size() > kShapeBytesMax) return;  // the rest may do anything
    const core::CommandParts parts{command};
    fingerprint.set(Shape::kLooks, core::only_looks(parts));
    fingerprint.set(Shape::kGuard, core::is_guard(command));
    fingerprint.set(Shape::kSleeps,
                    core::sleeps_and_more(parts) ||
                        (ran_out_of_time(fingerprint, call, result) && core::waits_itself(parts)));
    fingerprint.set(Shape::kRests,
                    fingerprint.kind == CallKind::kOther && core::rests_first(command));
    fingerprint.set(Shape::kRestores, core::takes_files_back(parts));
    fingerprint.set(Shape::kNothing, core::does_nothing(parts));
}

constexpr std::size_t kEchoBytesMax = 512;  ///< of a result in which the question is looked for
constexpr std::size_t kEchoesMax = 4;       ///< arguments that are looked for

/// Replaces the arguments that a short result quotes: "no results for X" is one answer to every X.
void mask_echoes(std::string& canonical, std::optional<JsonValue> args) {
    if (!args || args->kind() != JsonKind::kObject || canonical.size() > kEchoBytesMax) return;
    std::size_t looked = 0;
    args->each([&](JsonValue member) {
        if (member.kind() != JsonKind::kString) return true;
        const std::string_view said = core::trimmed(member.text());
        if (said.size() < 3 || said.size() > 256) return true;
        for (std::size_t at = canonical.find(said); at != std::string::npos;
             at = canonical.find(said, at + 1)) {
            canonical.replace(at, said.size(), "?");
        }
        return ++looked < kEchoesMax;
    });
}

/// The command line of a shell tool. Some report the words of exec: ["bash", "-lc", "make test"].
std::string_view command_of(const std::optional<JsonValue>& args, std::string& joined) {
    const std::string_view command = text_under(args, kCommandKeys);
    if (!command.empty() || !args) return command;
    const std::optional<JsonValue> words = member(*args, "command");
    if (!words || words->kind() != JsonKind::kArray) return {};
    static constexpr std::array<std::string_view, 6> kShells{"sh",   "bash", "zsh",
                                                             "dash", "ksh",  "ash"};
    bool shell = false;
    std::string_view before;
    std::string_view line;
    words->each([&](JsonValue word) {
        if (word.kind() != JsonKind::kString || joined.size() > kShapeBytesMax) return false;
        const std::string_view text = word.text();
        if (joined.empty()) shell = core::contains(kShells, text.substr(text.rfind('/') + 1));
        if (shell && (before == "-c" || before == "-lc")) line = text;
        before = text;
        joined.append(joined.empty() ? "" : " ").append(text);
        return line.empty();
    });
    return line.empty() ? std::string_view{joined} : line;
}

}  // namespace

namespace {

/// `room` holds the text where it has several parts.
std::uint64_t raw_outcome_of(const core::ToolFinished& call, std::string& room) {
    if (call.result_digest.empty() && call.result.whole() && !call.error)
        return low_digest(call.result.kept);
    room = call.result.kept;
    room += call.result_digest;
    if (!call.result.whole()) room += core::to_hex(call.result.digest);
    if (call.error) room += call.error->message.kept;
    return low_digest(room);
}

/// Adds the reported state of something that runs elsewhere.
void shape_state(CallFingerprint& fingerprint, const core::ToolFinished& call,
                 std::string_view command, std::string_view result) {
    if (fingerprint.kind == CallKind::kVerify || !core::has_state_words(result)) return;
    fingerprint.running = call.ok && core::says_running(result);
    fingerprint.set(core::Shape::kBusy, core::says_busy(result));
    // A wait of a tool that ran out of time has not ended: it is asked again.
    const bool ran_out = command.empty() && fingerprint.kind == CallKind::kPoll && call.ok &&
                         result.find("timed_out") != result.npos;
    fingerprint.set(core::Shape::kOver, !ran_out && core::says_over(result));
}

/// True if it says that a lock is held, or a port of this machine taken or closed.
bool waits_for_own_machine(std::string_view said) {
    static constexpr std::array<std::string_view, 6> kHeld{
        "could not get lock", "state lock", "database is locked",
        "index.lock",         "eaddrinuse", "address already in use"};
    static constexpr std::array<std::string_view, 4> kHere{"localhost", "127.0.0.1", "0.0.0.0",
                                                           "::1"};
    static constexpr std::array<std::string_view, 3> kClosed{"connection refused", "econnrefused",
                                                             "failed to connect to"};
    return core::mentions(said, kHeld) ||
           (core::mentions(said, kClosed) && core::mentions(said, kHere));
}

/// A failure that only says "not yet": of a command that asks for a status and exits with one while
/// it is pending, or that sleeps first (10 s at least) and finds it pending, a lock held or a port
/// closed. Anything else may be an error of the agent's own, and a short sleep excuses none.
void shape_not_yet(CallFingerprint& fingerprint, const core::ToolFinished& call,
                   std::string_view command, std::string_view result) {
    const bool of_work =
        fingerprint.kind == CallKind::kOther || fingerprint.kind == CallKind::kEdit;
    const bool asks = fingerprint.kind == CallKind::kPoll && !command.empty();
    const bool open = fingerprint.failure == FailureKind::kOther ||
                      fingerprint.failure == FailureKind::kTransient ||
                      fingerprint.failure == FailureKind::kNetwork;
    if (fingerprint.typed_failure || !open || (!asks && !of_work) ||
        command.size() > kShapeBytesMax)
        return;
    const bool rests = of_work && core::rests_first(command);
    if (!asks && !rests) return;
    const std::string_view error =
        call.error ? std::string_view{call.error->message.kept} : std::string_view{};
    const bool bare = error.empty() || core::is_only_exit_status(error);
    const std::string_view said = (bare ? result : error).substr(0, kEchoBytesMax);
    fingerprint.running = fingerprint.failure == FailureKind::kOther && core::says_pending(said);
    if (!rests || !waits_for_own_machine(core::lower(said))) return;
    fingerprint.failure = FailureKind::kOther;  // no provider refuses anything
    fingerprint.set(core::Shape::kBusy, true);
}

}  // namespace

CallFingerprint fingerprint_of(JsonValue data, const core::ToolFinished& call) {
    const std::optional<JsonValue> args = member(data, "args");
    std::string joined;
    std::string_view command = command_of(args, joined);
    std::string_view path = call.target;
    if (path.empty()) path = text_under(args, kPathKeys);
    CallFingerprint fingerprint;
    const auto editing = core::kind_of_editing(call.tool, command, !path.empty());
    if (editing) command = {};
    fingerprint.kind = editing ? *editing : core::kind_of_call(call.tool, command);
    const std::string_view action = action_of(call.tool, args);
    if (command.empty() && (action == "wait" || action == "sleep"))
        fingerprint.kind = call.result.kept.empty() ? CallKind::kSleep : CallKind::kPoll;
    if (path.empty()) path = core::path_in_command(command);
    if (!path.empty()) fingerprint.path = low_digest(plain_path(path));

    std::string text;
    append_question(text, args, call);
    fingerprint.question = core::digest_of(text);
    // The content that a shell command leaves in a file is unknown; that of an editing tool is
    // known.
    const bool writes =
        fingerprint.kind == CallKind::kEdit && command.empty() && call.mutated.empty();
    if (writes && args) fingerprint.content = content_of(*args);
    if (writes) shape_edit(fingerprint, args);

    ResultText result = read_result(member(data, "result"), call, !command.empty());
    if (command.empty()) mask_echoes(result.canonical, args);
    const std::string_view plain =
        core::without_frame(result.text.empty() ? std::string_view{call.result.kept} : result.text);
    fingerprint.result_bytes = result.bytes;
    fingerprint.trivial = core::is_trivial(plain) && call.result_digest.empty();
    fingerprint.measured =
        core::is_measurement(command.empty() ? std::string_view{call.tool} : command, plain);
    shape_state(fingerprint, call, command, plain);
    text = result.canonical;
    text.push_back(call.ok ? '+' : '-');
    if (call.error) {
        core::append_masked(text, call.error->message.kept);
        text.append(call.error->error_class);
    }
    fingerprint.outcome = core::digest_of(text);
    fingerprint.raw_outcome = raw_outcome_of(call, text);
    if (fingerprint.kind == CallKind::kVerify) fingerprint.failing = core::failing_count(plain);
    const bool red = fingerprint.failing.value_or(0) > 0;
    if (!call.ok || red) print_failure(fingerprint, call, plain);
    shape_call(fingerprint, call, args, command, plain);
    fingerprint.set(core::Shape::kBlind, core::is_blind_edit(fingerprint, call));
    if (!call.ok) shape_not_yet(fingerprint, call, command, plain);
    return fingerprint;
}

std::string canonical_arguments(JsonValue args) {
    std::string out;
    append_canonical(out, args, false);
    return out;
}

}  // namespace headway::api
