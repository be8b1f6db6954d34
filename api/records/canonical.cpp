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

#include "api/calls/bad_news.hpp"
#include "api/calls/bare_values.hpp"
#include "api/calls/platform_frames.hpp"
#include "api/calls/receipts.hpp"
#include "api/calls/screen_moves.hpp"
#include "api/calls/states.hpp"
#include "api/json/canonical_json.hpp"
#include "api/records/answer_frame.hpp"
#include "api/records/call_shape.hpp"
#include "api/records/deeds.hpp"
#include "api/text/places.hpp"
#include "core/calls/answers.hpp"
#include "core/calls/command.hpp"
#include "core/calls/mask.hpp"
#include "core/calls/tool_class.hpp"
#include "core/calls/tool_names.hpp"
#include "core/detection/classify.hpp"
#include "core/text/text.hpp"
#include "core/text/tool_ids.hpp"
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
    // Each snapshot of a page counts its elements under a number of its own.
    if (core::shows_pages(call.tool)) core::drop_page_counters(out, before);
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
        cut_platform_frames(read.canonical);
    }
    const bool cut = read.canonical.find(kCutMark) != std::string::npos;
    if (!call.result_digest.empty() && (!result || cut))
        read.canonical.append("\n#").append(call.result_digest);
    return read;
}

/// True if an edit found its file, and not the text there that it was to replace: then other texts
/// are other tries at one target.
bool misses_text(std::string_view line) {
    static constexpr std::array<std::string_view, 5> kThings{"file", "path", "director", "command",
                                                             "module"};
    const std::string text = core::lower(line.substr(0, kEchoBytesMax));
    const std::size_t at = std::min(text.find("not found"), text.find("does not exist"));
    return at != text.npos && !core::mentions(std::string_view{text}.substr(0, at), kThings);
}

constexpr std::size_t kKinBytesMax = 2048;
constexpr std::size_t kKinArgsMax = 2 * kKinBytesMax;
constexpr std::size_t kKinWordsMin = 3;

void print_failure(CallFingerprint& fingerprint, const core::ToolFinished& call,
                   std::string_view result) {
    std::string_view message =
        call.error ? std::string_view{call.error->message.kept} : std::string_view{};
    // Then the output has the diagnostic.
    if (message.empty() || (core::is_only_exit_status(message) && !result.empty()))
        message = result;
    if (call.error) fingerprint.failure = core::failure_of_tool_class(call.error->error_class);
    fingerprint.typed_failure = fingerprint.failure != FailureKind::kNone;
    // It quotes the text that was to be replaced, which may be code about providers.
    const bool quotes = fingerprint.path != 0 && core::class_of_tool(call.tool) == "class:edit";
    const std::string first =
        quotes ? core::without_quotes(message.substr(0, message.find('\n'))) : std::string{};
    if (!fingerprint.typed_failure)
        fingerprint.failure =
            core::failure_of_tool_message(quotes ? std::string_view{first} : message);
    const bool edits = fingerprint.kind == CallKind::kEdit && fingerprint.path != 0 &&
                       core::class_of_tool(call.tool) != "class:shell";
    if (edits && fingerprint.failure == FailureKind::kNotFound && !fingerprint.typed_failure &&
        misses_text(message.substr(0, message.find('\n'))))
        fingerprint.failure = FailureKind::kMismatch;
    // Words such as "connection refused" in a red test are what the test is about.
    const bool of_the_test = fingerprint.kind == CallKind::kVerify && !fingerprint.typed_failure;
    if (of_the_test) fingerprint.failure = FailureKind::kAssertion;
    std::string line = without_places(core::diagnostic_line(message));
    if (fingerprint.failure == FailureKind::kNotFound || (edits && quotes))
        line = core::without_quotes(line);
    const std::uint64_t kin =
        call.ok || call.args.kept.size() > kKinArgsMax
            ? 0
            : core::digest_of_words(without_numbers(line), call.args.kept, kKinWordsMin);
    if (kin != 0) fingerprint.kin = kin;
    line.push_back(static_cast<char>('a' + static_cast<int>(fingerprint.failure)));
    fingerprint.diagnostic = low_digest(line);
}

/// The failure that the outcome of a call names, if any.
void print_outcome(CallFingerprint& fingerprint, const core::ToolFinished& call,
                   std::string_view command, std::string_view result) {
    if (!call.ok || fingerprint.failing.value_or(0) > 0)
        print_failure(fingerprint, call, result);
    else if (brings_bad_news(fingerprint, call, command, result))
        fingerprint.diagnostic = low_digest(without_places(core::diagnostic_line(result)));
}

constexpr std::size_t kEchoesMax = 4;  ///< arguments that are looked for

/// Replaces a number of the arguments, or the next one, where it is the value of a member.
void mask_number(std::string& canonical, std::uint64_t number) {
    for (const std::uint64_t candidate : {number, number + 1}) {
        const std::string value = ":" + std::to_string(candidate) + ",";
        for (std::size_t at = canonical.find(value); at != std::string::npos;
             at = canonical.find(value, at + 1)) {
            canonical.replace(at, value.size(), ":?,");
        }
    }
}

/// Replaces the arguments that a short result quotes: "no results for X" is one answer to every X,
/// and so is "thought 3 of 20" to the third thought.
void mask_echoes(std::string& canonical, std::optional<JsonValue> args, bool numbers) {
    if (!args || args->kind() != JsonKind::kObject || canonical.size() > kEchoBytesMax) return;
    std::size_t looked = 0;
    args->each([&](JsonValue member) {
        if (numbers && member.kind() == JsonKind::kUnsigned) {
            mask_number(canonical, member.unsigned_integer());
            return ++looked < kEchoesMax;
        }
        if (member.kind() != JsonKind::kString) return true;
        const std::string_view text = core::trimmed(member.text());
        if (text.size() < 3 || text.size() > 256) return true;
        for (std::size_t at = canonical.find(text); at != std::string::npos;
             at = canonical.find(text, at + 1)) {
            canonical.replace(at, text.size(), "?");
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

/// See CallFingerprint::kin. A long answer is a document, and its order is part of it.
std::uint64_t kin_of(const CallFingerprint& fingerprint, const core::ToolFinished& call,
                     std::string_view command, std::string_view outcome) {
    if (outcome.size() > kKinBytesMax || call.args.kept.size() > kKinArgsMax) return 0;
    if (!call.ok) return core::digest_of_words(outcome, call.args.kept, kKinWordsMin);
    const bool list = command.empty() &&
                      (fingerprint.kind == CallKind::kRead || fingerprint.kind == CallKind::kOther);
    return list ? core::digest_of_words(outcome, {}, 4 * kKinWordsMin) : 0;
}

/// True if an address, a time or a UUID is what the call asked for, so that its masked form says
/// nothing: of a debugger, a player, a calendar. The answer of a clock, or a receipt, is no such
/// value.
bool asks_for_value(const CallFingerprint& fingerprint, const core::ToolFinished& call,
                    std::string_view command, std::string_view plain) {
    const bool asks = fingerprint.kind == CallKind::kOther || fingerprint.kind == CallKind::kRead ||
                      fingerprint.kind == CallKind::kPoll;
    const bool takes = asks_for_next(call.tool, call.args.kept, command);
    if (!call.ok || !asks || !is_bare_value(plain, takes)) return false;
    const std::string_view words = command.empty() ? std::string_view{call.tool} : command;
    return !fingerprint.is(core::Shape::kAcknowledged) && !core::begins_work(words) &&
           !asks_a_clock(words);
}

/// Makes the outcome of the canonical result: with the error, and of what failed without the places
/// that each edit moves.
void append_outcome(std::string& canonical, const core::ToolFinished& call, bool red) {
    canonical.push_back(call.ok ? '+' : '-');
    if (call.error) {
        core::append_masked(canonical, call.error->message.kept);
        canonical.append(call.error->error_class);
    }
    if (!call.ok || red) canonical = without_places(canonical);
}

/// True for a summary of tests: "2 failed", "3 tests passed", "1 failing". Compilers count errors.
bool counts_tests(std::string_view said) {
    static constexpr std::array<std::string_view, 6> kWords{" failed",  " failing", " failures",
                                                            " failure", " passed",  " passing"};
    const std::string text = core::lower(said);
    return std::any_of(kWords.begin(), kWords.end(), [&text](std::string_view word) {
        for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
            std::string_view before = std::string_view{text}.substr(0, at);
            for (const std::string_view noun : {" tests", " test"})
                if (before.ends_with(noun)) before.remove_suffix(noun.size());
            if (!before.empty() && core::is_digit(before.back())) return true;
        }
        return false;
    });
}

/// The failures that a check counts: in its summary, or as the errors of a compiler.
std::optional<std::uint64_t> failing_of(const core::ToolFinished& call, std::string_view plain) {
    if (call.ok) return core::failing_count(plain);
    const std::string_view said =
        plain.empty() && call.error ? std::string_view{call.error->message.kept} : plain;
    const std::optional<std::uint64_t> counted = core::failing_count(said);
    const std::optional<std::uint64_t> places = count_places(said);
    if (!places || (counted && counts_tests(said))) return counted;
    // A build that fails is worse than any number of failing tests.
    constexpr std::uint64_t kNotBuilt = std::uint64_t{1} << 32U;
    return std::min(counted.value_or(*places), kNotBuilt) + kNotBuilt;
}

/// True for the answer "no" of a search through files, in an object.
bool found_no_file(const core::ToolFinished& call, std::string_view plain) {
    return call.result_digest.empty() && core::class_of_tool(call.tool) == "class:read" &&
           lists_nothing(plain);
}

}  // namespace

CallFingerprint fingerprint_of(JsonValue data, const core::ToolFinished& call) {
    const std::optional<JsonValue> args = member(data, "args");
    std::string joined;
    std::string_view command = command_of(args, joined);
    std::string_view path = call.target;
    if (path.empty()) path = text_under(args, kPathKeys);
    const bool moves = moves_on_screen(call.tool, args);
    if (moves && core::is_direction(path)) path = {};
    CallFingerprint fingerprint;
    const auto editing = core::kind_of_editing(call.tool, command, !path.empty());
    if (editing) command = {};
    fingerprint.kind = editing ? *editing : core::kind_of_call(call.tool, command);
    // `move` is a step in a game, where nothing says which file.
    if (fingerprint.kind == CallKind::kEdit && command.empty() && path.empty() && moves)
        fingerprint.kind = CallKind::kOther;
    const std::string action = core::lower(action_of(call.tool, args));
    const bool rests = command.empty() && (action == "wait" || action == "sleep");
    if (rests) fingerprint.kind = call.result.kept.empty() ? CallKind::kSleep : CallKind::kPoll;
    const bool waits = call.ok && core::waits_by_name(call.tool);
    fingerprint.set(core::Shape::kPauses, rests || waits || waits_as_asked(args));
    // The file to which a check writes its output is not what it checks.
    if (path.empty() && fingerprint.kind == CallKind::kVerify)
        path = core::path_in_command(command.substr(0, command.find_first_of("|>")));
    if (path.empty()) path = core::path_in_command(command);
    if (!path.empty()) fingerprint.path = low_digest(plain_path(path));
    std::string text;
    append_question(text, args, call);
    fingerprint.question = core::digest_of(text);
    // The content that a shell command leaves in a file is unknown; that of an editing tool is
    // known.
    const bool writes =
        fingerprint.kind == CallKind::kEdit && command.empty() && call.mutated.empty();
    const bool tells = writes && shape_edit(fingerprint, args, path);
    if (tells && args) fingerprint.content = content_of(*args);

    ResultText result = read_result(member(data, "result"), call, !command.empty());
    // The answer of a read may be a number.
    const bool reads = fingerprint.kind == CallKind::kRead || fingerprint.kind == CallKind::kPoll;
    if (command.empty()) mask_echoes(result.canonical, args, !reads);
    const std::string_view plain =
        without_frame(result.text.empty() ? std::string_view{call.result.kept} : result.text);
    fingerprint.result_bytes = result.bytes;
    const bool no_file = found_no_file(call, plain);
    fingerprint.trivial = no_file || (core::is_trivial(plain) && call.result_digest.empty());
    fingerprint.measured =
        core::is_measurement(command.empty() ? std::string_view{call.tool} : command, plain);
    shape_state(fingerprint, call, command, plain);
    shape_receipt(fingerprint, call, args, command, plain, result.canonical);
    if (fingerprint.kind == CallKind::kVerify) fingerprint.failing = failing_of(call, plain);
    const bool red = fingerprint.failing.value_or(0) > 0;
    const bool handed_in = command.empty() && is_handed_in(call, args, result.canonical, plain);
    if (!handed_in && asks_for_value(fingerprint, call, command, plain))
        result.canonical.append(plain);
    append_outcome(result.canonical, call, red);
    fingerprint.outcome = core::digest_of(result.canonical);
    fingerprint.kin = kin_of(fingerprint, call, command, result.canonical);
    fingerprint.raw_outcome = raw_outcome_of(call, text);
    print_outcome(fingerprint, call, command, plain);
    shape_call(fingerprint, call, args, command, plain);
    fingerprint.set(core::Shape::kBlind, core::is_blind_edit(fingerprint, call));
    const bool asks = fingerprint.kind == CallKind::kRead || fingerprint.kind == CallKind::kPoll ||
                      fingerprint.is(core::Shape::kLooks);
    fingerprint.set(core::Shape::kNothingYet,
                    asks && call.ok && (no_file || core::says_nothing_yet(plain)));
    if (!call.ok) shape_not_yet(fingerprint, call, command, plain);
    shape_deed(fingerprint, call, command, plain);
    return fingerprint;
}

std::string canonical_arguments(JsonValue args) {
    std::string out;
    append_canonical(out, args, false);
    return out;
}

}  // namespace headway::api
