// SPDX-License-Identifier: Apache-2.0
#include "api/json/canonical_json.hpp"

#include <boost/container/small_vector.hpp>
#include <charconv>
#include <cstdint>
#include <utility>

#include "core/calls/command_parts.hpp"
#include "core/calls/mask.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

/// Size of a canonical text; for a longer one its start is compared, and the digest of the client
/// if there is one.
constexpr std::size_t kCanonicalBytesMax = 256U << 10;
/// Strings that hold JSON are read as JSON up to this size and this often inside each other.
constexpr std::size_t kNestedBytesMax = 64U << 10;
constexpr int kNestedMax = 2;
/// Members of most objects, so that they need no memory of their own.
constexpr std::size_t kMembersUsual = 8;

/// Keys without `_` and `-`, in lower case, whose values say when or which time and never what.
constexpr std::array<std::string_view, 38> kVolatileKeys{"nonce",
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
                                                         "attempt",
                                                         "attemptnumber",
                                                         "retry",
                                                         "retries",
                                                         "retrycount",
                                                         "t"};

/// Keys of results only: as arguments they are the thing that is asked for.
constexpr std::array<std::string_view, 8> kVolatileInResults{
    "durationseconds", "durationsecs", "elapsedsecs", "elapsedtime",
    "walltime",        "uptime",       "tooluseid",   "toolcallid"};

/// Keys beside a list that say where it goes on, or which version it is: made up for each answer.
constexpr std::array<std::string_view, 2> kListMarks{"nextcursor", "etag"};

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
constexpr auto kVolatileInResultsLetters = first_letters(kVolatileInResults);
constexpr auto kListMarkLetters = first_letters(kListMarks);
constexpr auto kPathLetters = first_letters(kPathKeys);
constexpr std::array<std::string_view, 4> kShellKeys{"command", "cmd", "script", "commandline"};
constexpr auto kShellLetters = first_letters(kShellKeys);

template <class List>
bool key_in(std::string_view key, const List& list, const std::array<std::uint32_t, 25>& letters) {
    std::array<char, 24> buffer;
    const std::string_view plain = plain_key(key, buffer);
    if (plain.empty()) return false;
    const std::uint32_t letter = 1U << (static_cast<unsigned char>(plain[0]) & 31U);
    return (letters[plain.size()] & letter) != 0 && core::contains(list, plain);
}

bool is_volatile(std::string_view key, bool in_result) {
    return key_in(key, kVolatileKeys, kVolatileLetters) ||
           (in_result && key_in(key, kVolatileInResults, kVolatileInResultsLetters));
}

bool holds_list(JsonValue object) {
    bool list = false;
    object.each([&list](JsonValue member) {
        list = member.kind() == JsonKind::kArray;
        return !list;
    });
    return list;
}

bool names_a_command(std::string_view key) {
    return key_in(key, kShellKeys, kShellLetters);
}

/// In code of more lines a comment may be why it was written again.
bool is_one_line_with_comment(std::string_view command) {
    return command.find('#') != std::string_view::npos &&
           command.find('\n') == std::string_view::npos;
}

bool names_a_path(std::string_view key) {
    return key_in(key, kPathKeys, kPathLetters);
}

/// Writes one value in canonical form.
class Canonical {
public:
    Canonical(std::string& out, bool mask) : out_(out), mask_(mask) {}

    /// The members of an object, except for its paths.
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
        boost::container::small_vector<std::pair<std::string_view, JsonValue>, kMembersUsual>
            members;
        members.reserve(json.size());
        const bool list = mask_ && holds_list(json);
        json.each([&](JsonValue member) {
            const bool counts = member.kind() != JsonKind::kNull &&
                                !is_volatile(member.key(), mask_) &&
                                !(list && key_in(member.key(), kListMarks, kListMarkLetters));
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
            const bool plain = !mask_ && member.kind() == JsonKind::kString;
            if (plain && names_a_command(key) && is_one_line_with_comment(member.text())) {
                text(core::without_comments(member.text()), false);
            } else {
                value(member, plain && names_a_path(key));
            }
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
        JsonDocument document;
        if (!document.parse(body)) return false;
        ++depth_;
        value(document.root());
        --depth_;
        return true;
    }

    std::string& out_;
    bool mask_;
    int depth_ = 0;
};

}  // namespace

std::string_view plain_key(std::string_view key, std::array<char, 24>& buffer) {
    std::size_t size = 0;
    for (char c : key) {
        if (c == '_' || c == '-') continue;
        if (size == buffer.size()) return {};
        buffer[size++] = core::lower(c);
    }
    return {buffer.data(), size};
}

std::string_view plain_path(std::string_view path) {
    while (path.starts_with("./"))
        path.remove_prefix(2);
    while (path.size() > 1 && path.ends_with('/'))
        path.remove_suffix(1);
    return path;
}

void append_canonical(std::string& out, JsonValue json, bool mask) {
    Canonical{out, mask}.value(json);
}

void append_without_paths(std::string& out, JsonValue object) {
    Canonical{out, false}.without_paths(object);
}

std::optional<JsonValue> member(JsonValue object, std::string_view name) {
    std::optional<JsonValue> found;
    if (object.kind() != JsonKind::kObject) return found;
    object.each([&](JsonValue child) {
        if (child.key() == name && child.kind() != JsonKind::kNull) found = child;
        return !found;
    });
    return found;
}

}  // namespace headway::api
