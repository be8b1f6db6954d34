// SPDX-License-Identifier: Apache-2.0
#include "api/judge/judge_answer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "api/json/json_in_text.hpp"
#include "api/judge/data_fence.hpp"
#include "core/base/limits.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

namespace limits = core::limits;

constexpr std::array<std::string_view, 1> kAnswerNames{"answer"};
constexpr std::array<std::string_view, 2> kPercentNames{"progressPercent", "progress_percent"};
constexpr double kConfidenceNotGiven = 0.5;

/// Collects an answer; the first thing that is wrong ends it.
class StatusReader {
public:
    explicit StatusReader(std::span<const std::uint64_t> shown) : shown_(shown) {}

    void reject(std::string error) {
        if (out_.error.empty()) out_.error = std::move(error);
    }
    bool rejected() const { return !out_.error.empty(); }

    void letter(char letter) { letter_ = letter; }

    void confidence(double value) {
        if (value >= 0 && value <= 1) {  // false for NaN
            out_.confidence = value;
        } else {
            reject("a confidence that is not from 0 to 1");
        }
    }

    void cite(std::uint64_t n) {
        if (!std::binary_search(shown_.begin(), shown_.end(), n)) {
            reject("cites event " + std::to_string(n) + ", which it was not shown");
        } else if (out_.evidence.size() < limits::kEvidenceMax &&
                   std::find(out_.evidence.begin(), out_.evidence.end(), n) ==
                       out_.evidence.end()) {
            out_.evidence.push_back(n);
        }
    }

    void reason(std::string_view text) {
        out_.reason = core::bounded_text(inert_clean(text, limits::kJudgeReasonBytesMax));
    }

    /// Numbers as "#12"; a '#' inside a word is something else.
    void cite_from(std::string_view text) {
        for (std::size_t i = 0; i + 1 < text.size(); ++i) {
            if (text[i] != '#' || !core::is_digit(text[i + 1])) continue;
            if (i > 0 && core::is_word(text[i - 1])) continue;
            std::uint64_t n = 0;
            const char* const end = text.data() + text.size();
            if (std::from_chars(text.data() + i + 1, end, n).ec != std::errc{}) {
                reject("cites an event by a number that is too great");
            } else {
                cite(n);
            }
        }
    }

    bool has_evidence() const { return !out_.evidence.empty(); }

    /// `bare`: in the form of the first design, which knows no evidence.
    StatusAnswer take(bool bare) {
        if (letter_ == 'B' && out_.evidence.empty() && !bare) reject("B without evidence");
        if (rejected()) {
            out_.evidence.clear();
            out_.confidence = 0;
        } else {
            out_.answer = static_cast<core::CheckAnswer>(letter_ - 'A');
        }
        return std::move(out_);
    }

private:
    std::span<const std::uint64_t> shown_;
    char letter_ = 0;
    StatusAnswer out_{{}, {}, {}, kConfidenceNotGiven, {}};
};

constexpr bool is_answer(char c) {
    return c >= 'A' && c <= 'D';
}

std::optional<JsonValue> member_of(JsonValue object, std::string_view name) {
    std::optional<JsonValue> found;
    object.each([&](JsonValue member) {
        if (member.key() != name) return true;
        found = member;
        return false;
    });
    return found && found->kind() != JsonKind::kNull ? found : std::nullopt;
}

bool is_number(JsonKind kind) {
    return kind == JsonKind::kUnsigned || kind == JsonKind::kNegative || kind == JsonKind::kNumber;
}

std::string_view text_of(const std::optional<JsonValue>& value) {
    return value && value->kind() == JsonKind::kString ? value->text() : std::string_view{};
}

bool stands_alone(std::string_view text, std::size_t at) {
    const bool before = at > 0 && (core::is_word(text[at - 1]) || text[at - 1] == '\'');
    const bool behind =
        at + 1 < text.size() && (core::is_word(text[at + 1]) || text[at + 1] == '\'' ||
                                 static_cast<unsigned char>(text[at + 1]) >= 0x80);
    return !before && !behind;
}

/// Whether `text` names another letter in a way that leaves open which is meant: "B or C", "A/B",
/// "A) ... B) ...". A letter in a sentence ("file A is read") is none.
bool names_another(std::string_view text, char letter) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!is_answer(text[i]) || text[i] == letter || !stands_alone(text, i)) continue;
        if (i + 1 < text.size() && text[i + 1] == ')') return true;
        std::string_view before = text.substr(0, i);
        while (!before.empty() && (core::is_space(before.back()) || before.back() == '*'))
            before.remove_suffix(1);
        if (before.ends_with('(')) before.remove_suffix(1);
        const bool joined = before.ends_with('/') || before.ends_with('|') ||
                            before.ends_with('&') || before.ends_with(',') ||
                            before.ends_with(" or") || before.ends_with(" and");
        // Only right behind the first letter: later, "or A ..." may be any sentence.
        if (joined && i <= 8) return true;
    }
    return false;
}

/// "A" is an article, too: in JSON, behind it, without any mark, has to come what the question says
/// of A.
bool is_article(std::string_view behind) {
    if (!behind.starts_with(' ')) return false;
    const std::string word = core::lower(core::trimmed(behind).substr(0, 16));
    if (word.empty() || !core::is_letter(word.front())) return false;
    return !word.starts_with("making progress") && !word.starts_with("progressing");
}

/// Prose about trouble that begins with the article: "A loop is visible". The form of the first
/// design ("A it keeps reading") needs no mark behind the letter.
bool tells_trouble(std::string_view behind) {
    constexpr std::array<std::string_view, 9> kWords{"loop", "repeat", "person", "human", "block",
                                                     "fail", "stuck",  "cycle",  "user"};
    const std::string word = core::lower(core::trimmed(behind).substr(0, 16));
    return std::any_of(kWords.begin(), kWords.end(),
                       [&word](std::string_view one) { return word.starts_with(one); });
}

/// Whether behind a letter comes what may stand between it and a reason.
bool ends_letter(std::string_view behind) {
    if (behind.empty() || core::is_space(behind.front())) return true;
    constexpr std::string_view kMarks = ").:,;-*\"`]/|&";
    constexpr std::array<std::string_view, 2> kDashes{"–", "—"};
    return kMarks.find(behind.front()) != std::string_view::npos ||
           behind.starts_with(kDashes[0]) || behind.starts_with(kDashes[1]);
}

std::string_view without_marks(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n*_`\"'([#>");
    return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

/// A letter and a reason (first design "status = content[0], reason = content.slice(2)").
void read_letter(std::string_view text, StatusReader& out) {
    std::string_view rest = without_marks(text);
    constexpr std::string_view kAnswer = "answer";
    if (core::lower(rest.substr(0, kAnswer.size())) == kAnswer) {
        rest = without_marks(rest.substr(kAnswer.size()));
        if (rest.starts_with(':')) rest = without_marks(rest.substr(1));
    }
    if (rest.empty() || !is_answer(rest.front()) || !ends_letter(rest.substr(1))) {
        out.reject(text.empty() ? "nothing was said" : "neither JSON with an answer nor a letter");
        return;
    }
    if (names_another(rest, rest.front())) {
        out.reject("more than one letter");
        return;
    }
    if (rest.front() == 'A' && rest.substr(1).starts_with(' ') && tells_trouble(rest.substr(1))) {
        out.reject("an A that may be the article");
        return;
    }
    out.letter(rest.front());
    std::string_view reason = rest.substr(1);
    while (!reason.empty() &&
           (core::is_space(reason.front()) ||
            std::string_view{").:,;-*\"`]"}.find(reason.front()) != std::string_view::npos))
        reason.remove_prefix(1);
    out.reason(core::trimmed(reason));
    out.cite_from(reason);
}

/// "B", "b", "B)" or "B) Stuck in a loop".
void read_choice(const std::optional<JsonValue>& value, StatusReader& out) {
    const std::string_view text = core::trimmed(text_of(value));
    const char first = text.empty() ? '\0' : text.front();
    const char letter = text.size() == 1 && first >= 'a' ? static_cast<char>(first - 32) : first;
    if (!is_answer(letter) || !ends_letter(text.substr(1)) ||
        (letter == 'A' && is_article(text.substr(1)))) {
        out.reject("an answer that is not A, B, C or D");
    } else if (names_another(text, letter)) {
        out.reject("more than one letter");
    } else {
        out.letter(letter);
    }
}

/// 12, "12" or "#12".
void cite_value(JsonValue value, StatusReader& out) {
    if (value.kind() == JsonKind::kUnsigned) {
        out.cite(value.unsigned_integer());
        return;
    }
    std::string_view text = text_of(value);
    if (text.starts_with('#')) text.remove_prefix(1);
    std::uint64_t n = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, n);
    if (text.empty() || error != std::errc{} || rest != end) {
        out.reject("evidence that is no number of an event");
    } else {
        out.cite(n);
    }
}

void read_object(JsonValue object, StatusReader& out) {
    read_choice(member_of(object, "answer"), out);
    const auto reason = text_of(member_of(object, "reason"));
    out.reason(core::trimmed(reason));
    if (const auto confidence = member_of(object, "confidence")) {
        // Text ("high") is refused like a number out of range.
        out.confidence(is_number(confidence->kind()) ? confidence->number() : -1);
    }
    if (const auto evidence = member_of(object, "evidence")) {
        if (evidence->kind() == JsonKind::kArray) {
            evidence->each([&out](JsonValue item) {
                cite_value(item, out);
                return !out.rejected();
            });
        } else {
            cite_value(*evidence, out);
        }
    }
    if (!out.has_evidence()) out.cite_from(reason);
}

/// The end of a text that is too long, from a whole character on.
std::string_view readable(std::string_view text) {
    if (text.size() > limits::kJudgeReadBytesMax) {
        text.remove_prefix(text.size() - limits::kJudgeReadBytesMax);
        while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xc0U) == 0x80U)
            text.remove_prefix(1);
    }
    return without_thoughts(text);
}

std::optional<double> percent_of(JsonValue value) {
    if (is_number(value.kind())) return value.number();
    std::string_view text = core::trimmed(text_of(value));
    if (text.ends_with('%')) text = core::trimmed(text.substr(0, text.size() - 1));
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (text.empty() || error != std::errc{} || rest != end) return std::nullopt;
    return number;
}

void add_blocker(JsonValue value, EstimateAnswer& out) {
    std::string blocker = inert_clean(core::trimmed(text_of(value)), limits::kStringBytesMax);
    if (!blocker.empty() && out.blockers.size() < limits::kJudgeBlockersMax) {
        out.blockers.push_back(std::move(blocker));
    }
}

void read_estimate(JsonValue object, EstimateAnswer& out) {
    out.reasoning = core::bounded_text(inert_clean(
        core::trimmed(text_of(member_of(object, "reasoning"))), limits::kJudgeReasoningBytesMax));
    auto milestone = member_of(object, "nextMilestone");
    if (!milestone) milestone = member_of(object, "next_milestone");
    out.next_milestone = inert_clean(core::trimmed(text_of(milestone)), limits::kStringBytesMax);
    const auto blockers = member_of(object, "blockers");
    if (blockers && blockers->kind() == JsonKind::kArray) {
        blockers->each([&out](JsonValue item) {
            add_blocker(item, out);
            return true;
        });
    } else if (blockers) {
        add_blocker(*blockers, out);
    }
}

}  // namespace

StatusAnswer read_status_answer(std::string_view text, std::span<const std::uint64_t> shown) {
    StatusReader out{shown};
    const std::string_view words = readable(text);
    JsonDocument document;
    const bool bare = !parse_last_object(words, kAnswerNames, document);
    if (bare) {
        read_letter(words, out);
    } else {
        read_object(document.root(), out);
    }
    return out.take(bare);
}

EstimateAnswer read_estimate_answer(std::string_view text) {
    EstimateAnswer out;
    JsonDocument document;
    if (!parse_last_object(readable(text), kPercentNames, document)) {
        out.error = "no JSON object with progressPercent";
        return out;
    }
    read_estimate(document.root(), out);
    auto value = member_of(document.root(), kPercentNames[0]);
    if (!value) value = member_of(document.root(), kPercentNames[1]);
    const std::optional<double> percent = value ? percent_of(*value) : std::nullopt;
    if (percent && *percent >= 0 && *percent <= 100) {  // false for NaN
        out.percent = percent;
    } else {
        out.error = "a progressPercent that is not from 0 to 100";
    }
    return out;
}

}  // namespace headway::api
