// SPDX-License-Identifier: Apache-2.0
#include "api/canonical.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/classify.hpp"
#include "core/mask.hpp"
#include "core/words.hpp"

namespace headway::api {
namespace {

using core::CallKind;
using core::CallPrint;
using core::FailureKind;

/// Of a canonical text; of what is longer the start counts, and the digest of the client if there
/// is one.
constexpr std::size_t kCanonicalBytesMax = 256U << 10;
/// Strings that hold JSON are read as JSON up to this size and this often inside each other.
constexpr std::size_t kNestedBytesMax = 64U << 10;
constexpr int kNestedMax = 2;

/// Keys without `_` and `-`, in lower case, whose values say when or which time and never what.
constexpr std::array<std::string_view, 33> kVolatileKeys{"nonce",
                                                         "timestamp",
                                                         "ts",
                                                         "requestid",
                                                         "reqid",
                                                         "traceid",
                                                         "spanid",
                                                         "correlationid",
                                                         "messageid",
                                                         "receipt",
                                                         "receipthandle",
                                                         "durationms",
                                                         "duration",
                                                         "elapsed",
                                                         "elapsedms",
                                                         "elapsedseconds",
                                                         "latencyms",
                                                         "latency",
                                                         "tookms",
                                                         "took",
                                                         "startedat",
                                                         "finishedat",
                                                         "completedat",
                                                         "generatedat",
                                                         "fetchedat",
                                                         "checkedat",
                                                         "servertime",
                                                         "pid",
                                                         "tid",
                                                         "idempotencykey",
                                                         "runid",
                                                         "invocationid",
                                                         "t"};
constexpr std::array<std::string_view, 12> kPathKeys{
    "path",      "file", "filepath",     "filename",   "target",       "dir",
    "directory", "cwd",  "notebookpath", "targetfile", "absolutepath", "relativepath"};
constexpr std::array<std::string_view, 6> kCommandKeys{"command",     "cmd",  "script",
                                                       "commandline", "code", "input"};
constexpr std::string_view kCutMark = "chars cut]";

/// A key as the lists above spell it; in `buffer`.
std::string_view plain_key(std::string_view key, std::array<char, 24>& buffer) {
    std::size_t size = 0;
    for (char c : key) {
        if (c == '_' || c == '-') continue;
        if (size == buffer.size()) return {};
        buffer[size++] = core::lower(c);
    }
    return {buffer.data(), size};
}

/// The first letters of the words of a list, by length: most keys are in no list, and one look
/// tells.
template <std::size_t N>
constexpr std::array<std::uint32_t, 25> first_letters(const std::array<std::string_view, N>& list) {
    std::array<std::uint32_t, 25> letters{};
    for (std::string_view word : list)
        letters[word.size()] |= 1U << (static_cast<unsigned char>(word[0]) & 31U);
    return letters;
}
constexpr auto kVolatileLetters = first_letters(kVolatileKeys);
constexpr auto kPathLetters = first_letters(kPathKeys);

template <class List>
bool key_in(std::string_view key, const List& list, const std::array<std::uint32_t, 25>& letters) {
    std::array<char, 24> buffer;
    const std::string_view plain = plain_key(key, buffer);
    if (plain.empty()) return false;
    const std::uint32_t letter = 1U << (static_cast<unsigned char>(plain[0]) & 31U);
    return (letters[plain.size()] & letter) != 0 && core::contains(list, plain);
}

bool is_volatile(std::string_view key) {
    return key_in(key, kVolatileKeys, kVolatileLetters);
}

bool names_a_path(std::string_view key) {
    return key_in(key, kPathKeys, kPathLetters);
}

std::string_view plain_path(std::string_view path) {
    while (path.starts_with("./"))
        path.remove_prefix(2);
    while (path.size() > 1 && path.ends_with('/'))
        path.remove_suffix(1);
    return path;
}

/// Writes one value in canonical form.
class Canonical {
public:
    Canonical(std::string& out, bool mask) : out_(out), mask_(mask) {}

    /// The members of an object but for its paths.
    void without_paths(JsonValue json) { object(json, true); }

    void value(JsonValue json, bool is_path = false) {
        if (out_.size() > kCanonicalBytesMax) return;
        switch (json.kind()) {
            case JsonKind::kObject:
                object(json);
                break;
            case JsonKind::kArray:
                array(json);
                break;
            case JsonKind::kString:
                text(json.text(), is_path);
                break;
            case JsonKind::kNumber:
                number(json.number());
                break;
            default:
                json.append_to(out_);
                break;
        }
    }

    void text(std::string_view string, bool is_path) {
        if (nested(string)) return;
        out_.push_back('"');
        if (mask_) {
            core::append_masked(out_, string.substr(0, kCanonicalBytesMax));
        } else {
            out_.append(is_path ? plain_path(string) : string);
        }
        out_.push_back('"');
    }

private:
    void object(JsonValue json, bool skip_paths = false) {
        std::vector<std::pair<std::string_view, JsonValue>> members;
        members.reserve(json.size());
        json.each([&](JsonValue member) {
            const bool counts = member.kind() != JsonKind::kNull && !is_volatile(member.key());
            if (counts && !(skip_paths && names_a_path(member.key())))
                members.emplace_back(member.key(), member);
            return true;
        });
        std::sort(members.begin(), members.end(),
                  [](const auto& a, const auto& b) { return a.first < b.first; });
        out_.push_back('{');
        for (const auto& [key, member] : members) {
            out_.append(key);
            out_.push_back(':');
            value(member, !mask_ && member.kind() == JsonKind::kString && names_a_path(key));
            out_.push_back(',');
        }
        out_.push_back('}');
    }

    void array(JsonValue json) {
        out_.push_back('[');
        json.each([&](JsonValue item) {
            value(item);
            out_.push_back(',');
            return true;
        });
        out_.push_back(']');
    }

    /// 1.0 and 1 are one number.
    void number(double v) {
        char digits[32];
        // The range first: what no integer can hold must not be turned into one.
        const bool whole =
            v < 9e15 && v > -9e15 && v == static_cast<double>(static_cast<std::int64_t>(v));
        const auto end =
            whole ? std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(v)).ptr
                  : std::to_chars(digits, digits + sizeof digits, v).ptr;
        out_.append(digits, static_cast<std::size_t>(end - digits));
    }

    /// Arguments often come as JSON in a string.
    bool nested(std::string_view string) {
        const std::string_view body = core::trimmed(string);
        if (depth_ == kNestedMax || body.size() < 2 || body.size() > kNestedBytesMax) return false;
        const bool looks = (body.front() == '{' && body.back() == '}') ||
                           (body.front() == '[' && body.back() == ']');
        if (!looks) return false;
        JsonTape tape;
        if (!tape.parse(body)) return false;
        ++depth_;
        value(tape.root());
        --depth_;
        return true;
    }

    std::string& out_;
    bool mask_;
    int depth_ = 0;
};

std::optional<JsonValue> member(JsonValue object, std::string_view name) {
    std::optional<JsonValue> found;
    if (object.kind() != JsonKind::kObject) return found;
    object.each([&](JsonValue child) {
        if (child.key() == name && child.kind() != JsonKind::kNull) found = child;
        return !found;
    });
    return found;
}

/// The string of the member whose key comes first in `keys`, wherever in the object it stands.
template <class List>
std::string_view text_under(std::optional<JsonValue> object, const List& keys) {
    std::string_view found;
    if (!object || object->kind() != JsonKind::kObject) return found;
    auto best = keys.end();
    object->each([&](JsonValue child) {
        if (child.kind() != JsonKind::kString || child.text().empty()) return true;
        std::array<char, 24> buffer;
        const auto at = std::find(keys.begin(), best, plain_key(child.key(), buffer));
        if (at != best) {
            best = at;
            found = child.text();
        }
        return best != keys.begin();
    });
    return found;
}

std::uint64_t low_digest(std::string_view text) {
    return core::digest_of(text).low;
}

/// Everything but the path: two edits with the same content leave a file the same.
std::uint64_t content_of(JsonValue args) {
    if (args.kind() != JsonKind::kObject) return 0;
    std::string out;
    Canonical{out, false}.without_paths(args);
    return low_digest(out);
}

/// The arguments, or the client's digest of them where it left them out or cut them.
void append_question(std::string& out, std::optional<JsonValue> args,
                     const core::ToolFinished& call) {
    out = call.tool;
    out.push_back('\n');
    const std::size_t before = out.size();
    if (args) Canonical{out, false}.value(*args);
    const bool cut = std::string_view{out}.substr(before).find(kCutMark) != std::string_view::npos;
    if (!call.args_digest.empty() && (!args || cut)) out.append("\n#").append(call.args_digest);
    if (!args && call.args_digest.empty()) out.append(call.target);
}

struct ResultText {
    std::string_view text;  ///< as it came: of a string its content, else empty
    std::string canonical;
    std::uint64_t bytes = 0;
};

ResultText read_result(std::optional<JsonValue> result, const core::ToolFinished& call) {
    ResultText read;
    if (result) {
        if (result->kind() == JsonKind::kString) read.text = result->text();
        read.bytes =
            result->kind() == JsonKind::kString ? read.text.size() : call.result.kept.size();
        Canonical{read.canonical, true}.value(*result);
    }
    const bool cut = read.canonical.find(kCutMark) != std::string::npos;
    if (!call.result_digest.empty() && (!result || cut))
        read.canonical.append("\n#").append(call.result_digest);
    return read;
}

void print_failure(CallPrint& print, const core::ToolFinished& call, std::string_view result) {
    std::string_view message =
        call.error ? std::string_view{call.error->message.kept} : std::string_view{};
    if (message.empty()) message = result;
    if (call.error) print.failure = core::failure_of_tool_class(call.error->error_class);
    print.typed_failure = print.failure != FailureKind::kNone;
    if (!print.typed_failure) print.failure = core::failure_of_message(message);
    // Words such as "connection refused" in a red test are what the test is about.
    const bool of_the_test = print.kind == CallKind::kVerify && !print.typed_failure;
    if (of_the_test) print.failure = FailureKind::kAssertion;
    std::string line = core::diagnostic_line(message);
    line.push_back(static_cast<char>('a' + static_cast<int>(print.failure)));
    print.diagnostic = low_digest(line);
}

}  // namespace

CallPrint print_of(JsonValue data, const core::ToolFinished& call) {
    const std::optional<JsonValue> args = member(data, "args");
    const std::string_view command = text_under(args, kCommandKeys);
    std::string_view path = call.target;
    if (path.empty()) path = text_under(args, kPathKeys);
    CallPrint print;
    print.kind = core::kind_of_call(call.tool, command);
    if (path.empty()) path = core::path_in_command(command);
    if (!path.empty()) print.path = low_digest(plain_path(path));

    std::string text;
    append_question(text, args, call);
    print.question = core::digest_of(text);
    // What a shell command leaves in a file is not known; what an editing tool writes is.
    const bool writes = print.kind == CallKind::kEdit && command.empty() && call.mutated.empty();
    if (writes && args) print.content = content_of(*args);

    const ResultText result = read_result(member(data, "result"), call);
    const std::string_view plain =
        result.text.empty() ? std::string_view{call.result.kept} : result.text;
    print.result_bytes = result.bytes;
    print.trivial = core::is_trivial(plain) && call.result_digest.empty();
    print.measured =
        core::is_measurement(command.empty() ? std::string_view{call.tool} : command, plain);
    print.running = call.ok && print.kind != CallKind::kVerify && core::says_running(plain);
    text = result.canonical;
    text.push_back(call.ok ? '+' : '-');
    if (call.error) {
        core::append_masked(text, call.error->message.kept);
        text.append(call.error->error_class);
    }
    print.outcome = core::digest_of(text);
    std::string raw = call.result.kept + call.result_digest;
    if (!call.result.whole()) raw += core::to_hex(call.result.digest);
    if (call.error) raw += call.error->message.kept;
    print.raw_outcome = low_digest(raw);
    if (print.kind == CallKind::kVerify) print.failing = core::failing_count(plain);
    const bool red = print.failing.value_or(0) > 0;
    if (!call.ok || red) print_failure(print, call, plain);
    return print;
}

std::uint64_t question_of(std::string_view tool, const std::optional<JsonValue>& args) {
    core::ToolFinished call;
    call.tool = tool;
    std::string text;
    append_question(text, args, call);
    return low_digest(text);
}

std::string canonical_arguments(JsonValue args) {
    std::string out;
    Canonical{out, false}.value(args);
    return out;
}

}  // namespace headway::api
