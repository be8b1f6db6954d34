// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/base/time.hpp"

// Schedules of jobs that send pings, and the time of the next start. Pure.

namespace headway::core {

/// The five fields of a line of crontab(5): minute, hour, day of the month, month, day of the week.
class Cron {
public:
    /// Parses numbers, lists, ranges, steps and names of months and days. Error: kInvalidParameter,
    /// whose detail names the field.
    static Result<Cron> parse(std::string_view text);

    /// The first matching minute after `at`; kNever if no minute matches within the next five
    /// years. Both times are local times.
    Timestamp next(Timestamp at) const;

private:
    bool matches_day(std::chrono::sys_days day) const;

    std::bitset<60> minutes_;
    std::bitset<24> hours_;
    std::bitset<32> days_;
    std::bitset<13> months_;
    std::bitset<7> weekdays_;  ///< days of the week; 0 is Sunday
    bool any_day_ = false;     ///< the field of the day of the month is `*`
    bool any_weekday_ = false;
};

struct PingSchedule {
    Millis every{0};   ///< time between two starts; 0: `cron` is used
    std::string cron;  ///< line of crontab(5), as it was given
    Millis grace{0};
    /// True if the late start of the job has been reported.
    bool reported = false;
    /// The end of the additional grace, which is given once if the daemon was down when a start was
    /// due; else kNever.
    Timestamp excused = kNever;

    bool operator==(const PingSchedule&) const = default;
};

inline constexpr std::chrono::minutes kPingEveryMin{1};
inline constexpr std::chrono::hours kPingEveryMax{15 * 24};
inline constexpr std::chrono::minutes kPingGraceDefault{5};
inline constexpr std::chrono::hours kPingGraceMax{7 * 24};
/// A start that is early by at most this much is accepted, because the clock of the job may be
/// ahead.
inline constexpr std::chrono::minutes kPingEarly{1};

/// How far local time is ahead of UTC at the given time.
using LocalOffset = std::function<Millis(Timestamp)>;

/// The next start of a job that started at `last`, without the grace; kNever if no time matches.
Timestamp next_start(const PingSchedule& schedule, Timestamp last, const LocalOffset& offset);

/// "every 1d, grace 1h" and "cron 30 2 * * *, grace 5m": for people and for storage.
std::string print_schedule(const PingSchedule& schedule);
/// The inverse of print_schedule(); nothing for any other text.
std::optional<PingSchedule> read_schedule(std::string_view text);

}  // namespace headway::core
