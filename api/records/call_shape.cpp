// SPDX-License-Identifier: Apache-2.0
#include "api/records/call_shape.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "api/calls/receipts.hpp"
#include "api/calls/screen_moves.hpp"
#include "api/records/handed_in.hpp"
#include "core/calls/answers.hpp"
#include "core/calls/command.hpp"
#include "core/calls/mask.hpp"
#include "core/calls/tool_names.hpp"
#include "core/detection/classify.hpp"
#include "core/text/bare_code.hpp"
#include "core/text/phrases.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

using core::CallFingerprint;
using core::CallKind;
using core::FailureKind;

constexpr std::array<std::string_view, 6> kOldKeys{"old",    "oldstring", "oldstr",
                                                   "search", "oldtext",   "before"};

constexpr std::array<std::string_view, 6> kNewKeys{"new",     "newstring", "newstr",
                                                   "replace", "newtext",   "after"};

constexpr std::array<std::string_view, 5> kWholeKeys{"content", "filetext", "contents", "text",
                                                     "data"};

bool is_number(JsonValue json) {
    return json.kind() == JsonKind::kUnsigned || json.kind() == JsonKind::kNegative ||
           json.kind() == JsonKind::kNumber;
}

/// True for an edit at a line: an argument is a number, or a command that begins with a range.
bool names_lines(std::optional<JsonValue> args) {
    bool lines = false;
    if (!args || args->kind() != JsonKind::kObject) return false;
    args->each([&](JsonValue member) {
        lines = lines || (is_number(member) && member.key().find("line") != member.key().npos);
        if (member.kind() == JsonKind::kString && member.key() == "command") {
            const std::string_view text = member.text();
            const std::size_t word = text.find(' ');
            lines = lines ||
                    (word != text.npos && word + 1 < text.size() && core::is_digit(text[word + 1]));
        }
        return true;
    });
    return lines;
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

/// True for a line that tells what happened and not where things are now: "You walk down the
/// corridor", not "a wall 1 step forward".
bool shows_no_place(std::string_view text) {
    constexpr std::size_t kLineBytesMax = 100;
    static constexpr std::array<std::string_view, 8> kNoMove{
        "wall", "block", "can't", "cannot", "not ", "nothing", "no ", "unchanged"};
    return !text.empty() && text.size() <= kLineBytesMax && text.find('\n') == text.npos &&
           text.find('{') == text.npos && std::none_of(text.begin(), text.end(), core::is_digit) &&
           !core::mentions(core::lower(text), kNoMove);
}

constexpr std::array<std::string_view, 4> kOwnHosts{"localhost", "127.0.0.1", "0.0.0.0", "::1"};

/// True for failures of the place that was asked, which is one of many places. A service that
/// cannot be reached is rather the one that the work needs.
bool of_the_place(FailureKind failure) {
    return failure == FailureKind::kNotFound || failure == FailureKind::kAuth ||
           failure == FailureKind::kTransient || failure == FailureKind::kTimeout;
}

/// True if it says that a lock is held, or a port of this machine taken or closed.
bool waits_for_own_machine(std::string_view text) {
    static constexpr std::array<std::string_view, 6> kHeld{
        "could not get lock", "state lock", "database is locked",
        "index.lock",         "eaddrinuse", "address already in use"};
    static constexpr std::array<std::string_view, 3> kClosed{"connection refused", "econnrefused",
                                                             "failed to connect to"};
    return core::mentions(text, kHeld) ||
           (core::mentions(text, kClosed) && core::mentions(text, kOwnHosts));
}

/// True if no letter or digit stands around this part of the text.
bool stands_alone(std::string_view text, std::size_t at, std::size_t size) {
    return (at == 0 || !core::is_word(text[at - 1])) &&
           (at + size == text.size() || !core::is_word(text[at + size]));
}

bool has_word(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
        if (stands_alone(text, at, word.size())) return true;
    return false;
}

/// True if the first words of a command say that it makes something: `gh pr create`. Options, paths
/// and names of files are no such words.
bool makes_something(std::string_view command) {
    constexpr int kWordsMax = 3;
    const core::CommandParts parts{command};
    return std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
        if (core::has_no_effect(core::CommandParts{part})) return false;
        std::string buffer;
        std::string words;
        std::string_view rest = core::without_options(part, buffer);
        for (int i = 0; i < kWordsMax; ++i) {
            rest = core::trimmed(rest);
            const std::string_view word = rest.substr(0, rest.find(' '));
            if (word.empty() || word.find_first_of("-'\"") == 0) break;
            if (word.find_first_of("/.") == word.npos) words.append(word).append(" ");
            rest.remove_prefix(word.size());
        }
        return core::hands_something_in(words);
    });
}

/// True for the address of an item and no more, as `gh` prints it of an item that it changed or
/// made: it ends with a number, and its item is that of the question or a new one.
bool is_item_receipt(std::string_view command, std::string_view line) {
    constexpr std::string_view kDigits = "0123456789";
    if (!line.starts_with("http") || line.find_first_of(" \n") != line.npos) return false;
    const std::size_t last = line.find_last_not_of(kDigits);
    if (last + 1 == line.size() || core::is_word(line[last])) return false;
    const std::string_view item = line.substr(0, line.find('#'));
    const std::string_view number = item.substr(item.find_last_not_of(kDigits) + 1);
    return (!number.empty() && has_word(command, number)) || makes_something(command);
}

/// True if the status stands in the text as one: "HTTP 404", "status code 404", "(404)". The
/// address of a page may have it as a number.
bool says_status(std::string_view text, std::string_view status) {
    static constexpr std::array<std::string_view, 6> kBefore{"http ",  "http/", "status",
                                                             "error ", "code",  "("};
    constexpr std::size_t kLooked = 12;
    for (std::size_t at = text.find(status); at != text.npos; at = text.find(status, at + 1)) {
        if (!stands_alone(text, at, status.size())) continue;
        if (at == 0) return true;
        const std::size_t looked = std::min(at, kLooked);
        const std::string before = core::lower(text.substr(at - looked, looked));
        if (before.back() != '/' && core::mentions(before, kBefore)) return true;
    }
    return false;
}

/// True if a search found something, and says beside it what it could not read. Its exit status is
/// then no failure: `grep -r` gives 2, `find` 1.
bool answers_in_part(const core::CommandParts& parts, std::string_view said) {
    static constexpr std::array<std::string_view, 8> kSearches{"find", "grep", "egrep", "rg",
                                                               "fd",   "du",   "ls",    "tree"};
    const auto first = std::find_if(parts.begin(), parts.end(), [](std::string_view part) {
        return !core::has_no_effect(part);
    });
    if (first == parts.end() || !core::is_one_of(*first, kSearches)) return false;
    const std::string_view program = first->substr(0, first->find(' '));
    bool refused = false;
    bool found = false;
    while (!said.empty()) {
        const std::string_view line = core::trimmed(said.substr(0, said.find('\n')));
        said.remove_prefix(std::min(said.find('\n'), said.size() - 1) + 1);
        if (line.empty() || core::is_only_exit_status(line)) continue;
        const bool complains = line.starts_with(program) && line.substr(program.size(), 1) == ":";
        (complains ? refused : found) = true;
    }
    return refused && found;
}

/// The address of a page that was fetched and is not there, or is refused; empty for other calls.
std::string_view missing_page(const CallFingerprint& fingerprint, const core::ToolFinished& call,
                              const std::optional<JsonValue>& args, std::string_view result) {
    static constexpr std::array<std::string_view, 2> kAddresses{"url", "uri"};
    if (call.ok || !core::fetches_page(call.tool)) return {};
    const std::string_view said = call.error ? std::string_view{call.error->message.kept} : result;
    const std::string_view start = said.substr(0, kEchoBytesMax);
    const bool misses =
        of_the_place(fingerprint.failure) || says_status(start, "404") || says_status(start, "410");
    return misses ? text_under(args, kAddresses) : std::string_view{};
}

/// True for a script in a page that does something there; another without an answer is a question
/// that was asked wrongly.
bool acts_by_script(const core::ToolFinished& call) {
    static constexpr core::Phrases kActs{std::array<std::string_view, 18>{
        "click", "scroll", "dispatch", "submit", "focus", "blur", "press", "keyboard", "mouse",
        ".fill", ".type", ".check", ".value =", ".value=", "href =", "reload", "play(", "drag"}};
    return core::runs_in_page(call.tool) &&
           kActs.any_in(std::string_view{call.args.kept}.substr(0, kShapeBytesMax));
}

/// The address in a command, behind its scheme, unless it is one of this machine.
std::string_view address_elsewhere(std::string_view command) {
    const std::size_t scheme = command.find("://");
    if (scheme == command.npos || core::mentions(command, kOwnHosts)) return {};
    const std::string_view address = command.substr(scheme + 3);
    return address.substr(0, address.find_first_of(" '\"\n"));
}

/// Marks a failure that is the answer "no" about a target.
void shape_absence(CallFingerprint& fingerprint, std::string_view target) {
    if (target.empty()) return;
    fingerprint.set(core::Shape::kAbsent, true);
    fingerprint.path = core::digest_of(target).low;
}

/// True if a call took a part of a queue and did it; the same call takes the next part.
bool works_off(const CallFingerprint& fingerprint, const core::ToolFinished& call,
               std::string_view command, std::string_view result) {
    const bool acts = fingerprint.kind == CallKind::kOther || fingerprint.kind == CallKind::kEdit;
    if (!acts || !call.ok || command.size() > kShapeBytesMax) return false;
    if (!core::says_worked_off(result)) return false;
    return core::says_more(result) || core::takes_next(command.empty() ? call.tool : command);
}

/// The signs that a tool's name and the names of its arguments give.
void shape_by_name(CallFingerprint& fingerprint, const core::ToolFinished& call,
                   const std::optional<JsonValue>& args, std::string_view text) {
    using core::Shape;
    fingerprint.set(Shape::kReplaces,
                    fingerprint.kind == CallKind::kEdit && !text_under(args, kOldKeys).empty());
    const bool confirms = fingerprint.trivial || core::is_receipt(text) || confirms_step(text);
    const bool steps =
        call.ok && call.result_digest.empty() && confirms && core::steps_on(call.tool);
    fingerprint.set(Shape::kSteps, steps);
    fingerprint.set(Shape::kAcknowledged, steps);
    fingerprint.set(Shape::kActs, steps);
    fingerprint.set(Shape::kNothing,
                    fingerprint.kind != CallKind::kRead && core::only_remembers(call.tool));
}

}  // namespace

bool shape_edit(CallFingerprint& fingerprint, std::optional<JsonValue> args,
                std::string_view path) {
    const std::string_view before = text_under(args, kOldKeys);
    const std::string_view after = text_under(args, kNewKeys);
    const bool replaces = !before.empty() || !after.empty();
    fingerprint.set(core::Shape::kCosmetic,
                    !before.empty() && core::differ_in_looks_only(before, after, path));
    const bool by_lines = names_lines(args);
    fingerprint.set(core::Shape::kWhole,
                    !replaces && !by_lines && !text_under(args, kWholeKeys).empty());
    return !by_lines || !before.empty();
}

std::string_view action_of(std::string_view tool, const std::optional<JsonValue>& args) {
    if (!core::is_screen(tool) && !moves_on_screen(tool, args)) return {};
    static constexpr std::array<std::string_view, 1> kActionKeys{"action"};
    return text_under(args, kActionKeys);
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
    const bool has_text = !call.result.kept.empty() || (call.error && !call.error->message.empty());
    // A count of zero is as much: `grep -c` says it beside its exit status.
    const bool empty =
        has_text && (text.empty() || text == "\"\"" || text == "null" || text == "0");
    fingerprint.set(Shape::kSilent,
                    silent && !command.empty() && empty && call.result_digest.empty());
    const bool receipt =
        call.ok && (core::is_receipt(result) || works_off(fingerprint, call, command, text));
    fingerprint.set(Shape::kAcknowledged,
                    call.ok && call.result_digest.empty() &&
                        (fingerprint.trivial || receipt || core::is_acknowledgement(result)));
    if (command.empty()) {
        const bool script = call.ok && has_text && text.empty() && acts_by_script(call);
        const std::string_view action = action_of(call.tool, args);
        fingerprint.set(Shape::kActs, receipt || script || moves_on_screen(call.tool, args) ||
                                          core::acts_on_screen(action) ||
                                          core::may_act_on_screen(action));
        shape_by_name(fingerprint, call, args, text);
        shape_absence(fingerprint, missing_page(fingerprint, call, args, text));
        fingerprint.set(Shape::kMoves, fingerprint.is(Shape::kActs) && call.ok && !receipt &&
                                           shows_no_place(text));
        return;
    }
    fingerprint.set(Shape::kCommand, true);
    fingerprint.set(Shape::kActs, receipt);
    if (command.size() > kShapeBytesMax) return;  // the rest may do anything
    const core::CommandParts parts{command};
    fingerprint.set(Shape::kActs, receipt || (call.ok && core::sends_input(parts)));
    if (call.ok && is_item_receipt(command, text)) fingerprint.set(Shape::kAcknowledged, true);
    fingerprint.set(Shape::kLooks, core::only_looks(parts));
    if (fingerprint.path == 0 && fingerprint.is(Shape::kLooks) && has_word(command, "git diff"))
        fingerprint.path = core::kAllChanges;
    fingerprint.set(Shape::kGuard, core::is_guard(command));
    if (!call.ok) {
        const bool refused = fingerprint.is(Shape::kLooks) && of_the_place(fingerprint.failure);
        const std::string_view address = refused ? address_elsewhere(command) : "";
        shape_absence(fingerprint, address.empty() ? core::probed_target(parts) : address);
    }
    fingerprint.set(Shape::kSleeps,
                    core::sleeps_and_more(parts) ||
                        (ran_out_of_time(fingerprint, call, result) && core::waits_itself(parts)));
    fingerprint.set(Shape::kRests,
                    fingerprint.kind == CallKind::kOther && core::rests_first(command));
    fingerprint.set(Shape::kRestores, core::takes_files_back(parts));
    fingerprint.set(Shape::kNothing, core::does_nothing(parts));
    const std::string_view said = bare ? text : std::string_view{call.error->message.kept};
    if (!call.ok && !fingerprint.typed_failure && fingerprint.is(Shape::kLooks) &&
        answers_in_part(parts, said)) {
        fingerprint.set(Shape::kAnswered, true);
        fingerprint.trivial = false;
        fingerprint.failure = FailureKind::kNone;
        fingerprint.diagnostic = 0;
    }
    // "Step 4: processing ..." of an echo are its own words, and nothing is under way.
    if (fingerprint.is(Shape::kNothing)) fingerprint.running = false;
}

bool waits_as_asked(const std::optional<JsonValue>& args) {
    constexpr double kLong = 10;
    if (!args || args->kind() != JsonKind::kObject) return false;
    bool waits = false;
    args->each([&](JsonValue member) {
        if (!is_number(member)) return true;
        const std::string key = core::lower(member.key());
        const bool millis = key.ends_with("ms") || key.ends_with("millis");
        waits = waits || (key.find("wait") != key.npos &&
                          member.number() >= (millis ? 1'000 * kLong : kLong));
        return true;
    });
    return waits;
}

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
    const std::string_view text = (bare ? result : error).substr(0, kEchoBytesMax);
    fingerprint.running = fingerprint.failure == FailureKind::kOther && core::says_pending(text);
    if (!rests || !waits_for_own_machine(core::lower(text))) return;
    fingerprint.failure = FailureKind::kOther;  // no provider refuses anything
    fingerprint.set(core::Shape::kBusy, true);
}

void shape_receipt(CallFingerprint& fingerprint, const core::ToolFinished& call,
                   const std::optional<JsonValue>& args, std::string_view command,
                   std::string_view plain, std::string& canonical) {
    constexpr std::size_t kReceiptBytesMax = 512;
    if (shape_handed_in(fingerprint, call, args, command, plain, canonical)) return;
    if (!call.ok || canonical.size() > kReceiptBytesMax) return;
    if (!command.empty()) {
        const bool does =
            fingerprint.kind == CallKind::kOther || fingerprint.kind == CallKind::kEdit;
        const std::string_view line = core::trimmed(plain);
        const bool one = line.find('\n') == line.npos && !line.empty();
        const bool address = line.starts_with("http") && line.find(' ') == line.npos;
        if (does && one && (address || core::is_acknowledgement(line)) &&
            !core::only_looks(core::CommandParts{command.substr(0, kShapeBytesMax)}))
            canonical = core::receipt_form(canonical, address);
        return;
    }
    const bool edits = fingerprint.kind == CallKind::kEdit && !call.args.empty();
    if (edits && fingerprint.path != 0) {
        canonical = "edited";
    } else if ((edits || fingerprint.kind == CallKind::kOther) &&
               is_handed_in(call, args, canonical, plain)) {
        fingerprint.set(core::Shape::kAcknowledged, names_new_id(canonical, call.args.kept));
        canonical = core::receipt_form(without_new_ids(canonical, call.args.kept), true);
    } else if (fingerprint.kind == CallKind::kOther && core::is_sub_agent(call.tool)) {
        canonical = core::receipt_form(canonical, false);  // its numbers are what it found
    }
}

}  // namespace headway::api
