// SPDX-License-Identifier: Apache-2.0
#include "core/values/ping_schedule.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace headway::core {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

constexpr std::string_view kReported = ", told";
constexpr std::string_view kGraceWord = ", grace ";
constexpr std::string_view kExcusedWord = ", excused ";

constexpr std::array<std::string_view, 12> kMonthNames{"jan", "feb", "mar", "apr", "may", "jun",
                                                       "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kDays{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct CronField {
    std::string_view name;
    unsigned low = 0;
    unsigned high = 0;
};
constexpr std::array<CronField, 5> kFields{{{"minute", 0, 59},
                                            {"hour", 0, 23},
                                            {"day of the month", 1, 31},
                                            {"month", 1, 12},
                                            {"day of the week", 0, 7}}};

Error bad_cron(std::string detail) {
    return {ErrorCode::kInvalidParameter,
            std::move(detail) + "; write the five fields of crontab, such as 30 2 * * 1-5", "cron"};
}

std::vector<std::string_view> split(std::string_view text, char by) {
    std::vector<std::string_view> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find(by, from), text.size());
        parts.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return parts;
}

std::optional<unsigned> number_of(std::string_view text) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<unsigned> value_of(std::string_view text, const CronField& field) {
    const auto named = [text](const auto& names) -> std::optional<unsigned> {
        for (std::size_t i = 0; i < names.size(); ++i) {
            const bool same = std::equal(
                text.begin(), text.end(), names[i].begin(), names[i].end(),
                [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
            if (same) return static_cast<unsigned>(i);
        }
        return std::nullopt;
    };
    if (const auto number = number_of(text)) return number;
    if (field.high == 12) {
        const auto month = named(kMonthNames);
        return month ? std::optional{*month + 1} : std::nullopt;
    }
    return field.high == 7 ? named(kDays) : std::nullopt;
}

/// The numbers that a field stands for, of which there are at most 60.
Result<std::bitset<64>> read_field(std::string_view text, const CronField& field) {
    std::bitset<64> set;
    const auto wrong = [&](std::string_view part) {
        return bad_cron("the " + std::string{field.name} + " \"" + std::string{part} +
                        "\" is not from " + std::to_string(field.low) + " to " +
                        std::to_string(field.high));
    };
    for (const std::string_view part : split(text, ',')) {
        const std::size_t slash = part.find('/');
        const std::string_view range = part.substr(0, slash);
        std::optional<unsigned> step = 1U;
        if (slash != part.npos) step = number_of(part.substr(slash + 1));
        const std::size_t dash = range.find('-');
        std::optional<unsigned> low = field.low;
        std::optional<unsigned> high = field.high;
        if (range != "*") {
            low = value_of(range.substr(0, dash), field);
            high = dash != range.npos   ? value_of(range.substr(dash + 1), field)
                   : slash == part.npos ? low
                                        : std::optional{field.high};
        }
        const bool fits = step && *step > 0 && low && high && *low >= field.low &&
                          *high <= field.high && *low <= *high;
        if (!fits) return wrong(part);
        for (unsigned i = *low; i <= *high; i += *step)
            set.set(i);
    }
    return set;
}

/// "90m" as "90m", "24h" as "1d".
std::string span_text(Millis span) {
    const auto count = span.count();
    const std::pair<std::int64_t, const char*> units[] = {
        {86'400'000, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1'000, "s"}, {1, "ms"}};
    for (const auto& [ms, unit] : units)
        if (count % ms == 0 && count >= ms) return std::to_string(count / ms) + unit;
    return "0s";
}

std::optional<Millis> read_span(std::string_view text) {
    const std::size_t unit = text.find_first_not_of("0123456789");
    const auto number = number_of(text.substr(0, unit));
    if (!number || unit == text.npos) return std::nullopt;
    const std::string_view name = text.substr(unit);
    if (name == "d") return hours{*number * 24};
    if (name == "h") return hours{*number};
    if (name == "m") return minutes{*number};
    if (name == "s") return std::chrono::seconds{*number};
    return name == "ms" ? std::optional{Millis{*number}} : std::nullopt;
}

}  // namespace

Result<Cron> Cron::parse(std::string_view text) {
    std::vector<std::string_view> words;
    for (const std::string_view word : split(text, ' '))
        if (!word.empty()) words.push_back(word);
    if (words.size() != kFields.size())
        return bad_cron("there are " + std::to_string(words.size()) + " fields");
    std::array<std::bitset<64>, 5> sets;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        HEADWAY_TRY(sets[i], read_field(words[i], kFields[i]));
    }
    Cron cron;
    const auto take = [](auto& to, const std::bitset<64>& from) {
        for (std::size_t i = 0; i < to.size(); ++i)
            to.set(i, from.test(i));
    };
    take(cron.minutes_, sets[0]);
    take(cron.hours_, sets[1]);
    take(cron.days_, sets[2]);
    take(cron.months_, sets[3]);
    take(cron.weekdays_, sets[4]);
    if (sets[4].test(7)) cron.weekdays_.set(0);  // both are Sunday
    cron.any_day_ = words[2].starts_with('*');
    cron.any_weekday_ = words[4].starts_with('*');
    return cron;
}

/// As cron does: with both of the days given, one that fits is enough.
bool Cron::matches_day(std::chrono::sys_days day) const {
    const std::chrono::year_month_day date{day};
    if (!months_.test(static_cast<unsigned>(date.month()))) return false;
    const bool by_date = days_.test(static_cast<unsigned>(date.day()));
    const bool by_weekday = weekdays_.test(std::chrono::weekday{day}.c_encoding());
    if (any_day_ || any_weekday_) return by_date && by_weekday;
    return by_date || by_weekday;
}

Timestamp Cron::next(Timestamp at) const {
    const auto from = std::chrono::floor<minutes>(at) + minutes{1};
    const auto first = std::chrono::floor<days>(from);
    const auto last = first + days{5 * 366};
    for (auto day = first; day <= last; day += days{1}) {
        if (!matches_day(day)) continue;
        for (std::size_t hour = 0; hour < hours_.size(); ++hour) {
            if (!hours_.test(hour)) continue;
            for (std::size_t minute = 0; minute < minutes_.size(); ++minute) {
                const auto found = day + hours{hour} + minutes{minute};
                if (minutes_.test(minute) && found >= from) return found;
            }
        }
    }
    return kNever;
}

Timestamp next_start(const PingSchedule& schedule, Timestamp last, const LocalOffset& offset) {
    if (schedule.every > Millis{0}) return last + schedule.every;
    const auto cron = Cron::parse(schedule.cron);
    if (!cron) return kNever;
    const Timestamp here = cron->next(last + kPingEarly + offset(last));
    if (here == kNever) return kNever;
    // The offset at that time, which the change to or from summer time may have moved.
    const Timestamp about = here - offset(last);
    const Timestamp due = here - offset(about);
    // A time that the clock skips comes right behind the gap.
    return due + offset(due) == here ? due : about;
}

std::string print_schedule(const PingSchedule& schedule) {
    const std::string when =
        schedule.every > Millis{0} ? "every " + span_text(schedule.every) : "cron " + schedule.cron;
    std::string text = when + std::string{kGraceWord} + span_text(schedule.grace);
    if (schedule.excused != kNever)
        text +=
            std::string{kExcusedWord} + std::to_string(schedule.excused.time_since_epoch().count());
    return text + std::string{schedule.reported ? kReported : ""};
}

std::optional<PingSchedule> read_schedule(std::string_view text) {
    PingSchedule schedule;
    if (text.ends_with(kReported)) {
        schedule.reported = true;
        text.remove_suffix(kReported.size());
    }
    if (const std::size_t word = text.rfind(kExcusedWord); word != text.npos) {
        std::int64_t at = 0;
        const char* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data() + word + kExcusedWord.size(), end, at);
        if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
        schedule.excused = Timestamp{Millis{at}};
        text = text.substr(0, word);
    }
    const std::size_t grace = text.find(kGraceWord);
    if (grace == text.npos) return std::nullopt;
    const auto waits = read_span(text.substr(grace + kGraceWord.size()));
    const std::string_view when = text.substr(0, grace);
    if (!waits) return std::nullopt;
    schedule.grace = *waits;
    if (when.starts_with("cron ")) {
        schedule.cron = when.substr(5);
        return Cron::parse(schedule.cron) ? std::optional{schedule} : std::nullopt;
    }
    const auto every = when.starts_with("every ") ? read_span(when.substr(6)) : std::nullopt;
    if (!every || *every <= Millis{0}) return std::nullopt;
    schedule.every = *every;
    return schedule;
}

}  // namespace headway::core
