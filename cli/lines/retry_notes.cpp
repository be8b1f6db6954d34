// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/retry_notes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "cli/lines/line_words.hpp"
#include "core/detection/provider_stop.hpp"
#include "core/events/work_payloads.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"

namespace headway::cli {
namespace {

constexpr std::string_view kBegin = "Attempt ";
constexpr std::string_view kFailed = " failed";
constexpr std::string_view kAfter = "Retrying after ";
constexpr std::string_view kBackoff = "Retrying with backoff";

/// "Attempt 5 failed", anywhere in the line, since a prefix of the logger may come before it.
std::size_t begin_of_note(std::string_view line) {
    for (std::size_t at = line.find(kBegin); at != line.npos; at = line.find(kBegin, at + 1)) {
        std::size_t end = at + kBegin.size();
        const std::size_t digits = end;
        while (end < line.size() && core::is_digit(line[end]))
            ++end;
        if (end > digits && line.substr(end).starts_with(kFailed)) return at;
    }
    return line.npos;
}

/// Milliseconds, perhaps with a fraction.
std::optional<std::uint64_t> delay_in(std::string_view note) {
    const std::size_t at = note.find(kAfter);
    if (at == note.npos) return std::nullopt;
    const std::string_view text = note.substr(at + kAfter.size());
    std::uint64_t delay = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, delay);
    if (read.ec != std::errc{}) return std::nullopt;
    std::string_view unit{read.ptr, static_cast<std::size_t>(end - read.ptr)};
    if (unit.starts_with('.')) {
        unit.remove_prefix(1);
        while (!unit.empty() && core::is_digit(unit.front()))
            unit.remove_prefix(1);
    }
    if (!unit.starts_with("ms")) return std::nullopt;
    return delay;
}

LineEvent error_of(const std::string& note) {
    AgentLine agent_line;
    ToldError error{note};
    error.status = status_in(note);
    error.retryable = true;
    error.retry_in_ms = delay_in(note);
    add_error(agent_line, error);
    return std::move(agent_line.events.front());
}

}  // namespace

std::vector<LineEvent> RetryNotes::feed(std::string_view bytes) {
    std::vector<LineEvent> errors;
    while (!bytes.empty()) {
        const std::size_t end = std::min(bytes.find('\n'), bytes.size());
        const std::size_t room = kLineBytesMax - line_.size();
        line_ += bytes.substr(0, std::min(end, room));
        if (end == bytes.size()) break;
        end_line(errors);
        bytes.remove_prefix(end + 1);
    }
    return errors;
}

void RetryNotes::end_line(std::vector<LineEvent>& errors) {
    const std::string line = std::exchange(line_, {});
    if (const std::size_t begin = begin_of_note(line); begin != line.npos) {
        note_ = line.substr(begin);
        lines_ = 0;
    } else if (!note_.empty()) {
        // The end of a long note counts: it names the time of the wait.
        if (note_.size() > kNoteBytesMax / 2) note_.resize(kNoteBytesMax / 2);
        note_ += "\n" + line;
    }
    if (note_.empty()) return;
    const bool whole = delay_in(note_).has_value() || note_.find(kBackoff) != note_.npos;
    if (whole) errors.push_back(error_of(std::exchange(note_, {})));
    if (++lines_ > kNoteLinesMax) note_.clear();
}

namespace {

constexpr std::size_t kErrorWordsMax = 500;

core::ErrorReported error_in(std::string_view line) {
    core::ErrorReported error;
    error.message = core::bounded_text(std::string(line));
    error.status = status_in(line);
    error.ends_turn = true;
    const std::string_view name = line.substr(0, line.find(": "));
    if (name == "NotFoundError") return error;  // a session or a file, perhaps, and no model
    if (name.size() < line.size() && name.ends_with("Error") && name.find(' ') == name.npos)
        error.error_class = name;
    return error;
}

}  // namespace

bool says_end_of_rest(std::string_view lines) {
    const std::size_t at = lines.find("Background tasks still running after ");
    return at != lines.npos && lines.find("; terminating", at) != lines.npos;
}

namespace {

core::Cause cause_in(std::string_view line) {
    return core::stop_of(error_in(line)).cause;
}

bool is_known(core::Cause cause) {
    return cause != core::Cause::kNone && cause != core::Cause::kUnknown;
}

/// True for a line that names an error, whatever its cause.
bool names_error(std::string_view line) {
    constexpr std::array<std::string_view, 5> kNames{"error", "exception", "fatal", "failed",
                                                     "panicked"};
    if (line.starts_with("at ") || line.ends_with("[object Object]")) return false;
    const std::string text = core::lower(line);
    return std::any_of(kNames.begin(), kNames.end(),
                       [&text](std::string_view name) { return text.find(name) != text.npos; });
}

/// True for a line of the stack or of the members that Node.js prints below an error.
bool is_detail(std::string_view line) {
    return line.starts_with("at ") || line.starts_with("[cause]") || line.starts_with('}') ||
           line.ends_with(',') || line.ends_with('{');
}

/// True for a cause that is taken from words which another process may have written. A resume in
/// vain costs less than a night that waits for a person.
bool may_be_of_other(core::Cause cause) {
    return !is_known(cause) || core::passes(cause) || cause == core::Cause::kUsageLimit;
}

/// The last error that the lines name, in the words that say most of its cause; else the last line.
std::string last_error(std::string_view lines) {
    std::string last;
    std::string named;
    std::string caused;  // line of this error that names a cause
    bool open = false;   // the lines so far end with this error
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        const std::string line =
            core::shortened(core::trimmed(lines.substr(0, end)), kErrorWordsMax);
        lines.remove_prefix(std::min(end + 1, lines.size()));
        if (!has_words(line)) continue;
        last = line;
        const bool known = is_known(cause_in(line));
        if (open && is_detail(line)) {
            if (known && caused.empty()) caused = line;
            continue;
        }
        open = known || names_error(line);
        if (!open) continue;
        named = line;
        caused = known ? line : std::string{};
    }
    return !caused.empty() ? caused : !named.empty() ? named : last;
}

}  // namespace

Json error_at_end(std::string_view lines, bool of_others) {
    const std::string words = last_error(lines);
    if (words.empty() || (of_others && !may_be_of_other(cause_in(words)))) return {};
    const core::ErrorReported error = error_in(words);
    Json data = {{"message", words}, {"ends_turn", true}};
    if (!error.error_class.empty()) data["class"] = error.error_class;
    if (error.status) data["status"] = *error.status;
    return data;
}

}  // namespace headway::cli
