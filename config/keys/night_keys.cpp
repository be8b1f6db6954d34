// SPDX-License-Identifier: Apache-2.0
#include "config/load/sections.hpp"
#include "config/values/clock_time.hpp"

namespace headway::config {
namespace {

core::Result<> assign_digest_at(Settings& settings, const Value& value) {
    settings.digest.at.reset();
    if (value.text().empty()) return {};
    HEADWAY_TRY(settings.digest.at, parse_clock_time(value.text()));
    return {};
}

Value print_digest_at(const Settings& settings) {
    const auto& at = settings.digest.at;
    return Value(at ? print_clock_time(*at) : std::string{});
}

}  // namespace

void add_digest_keys(std::vector<Key>& table) {
    Key key{"digest.at", Kind::kText, "as 07:30", kRestart,
            "Local time at which people get a digest of the night, by each endpoint that is for "
            "people; empty: never."};
    key.assign = assign_digest_at;
    key.print = print_digest_at;
    table.push_back(std::move(key));
    table.push_back(time_row<3'600'000, 7 * kDayMs, &Settings::digest, &DigestSettings::since>(
        "digest.since", kRestart, "How far the digest looks back."));
}

void add_keep_going_keys(std::vector<Key>& table) {
    constexpr auto kAt = &Settings::keep_going;
    table.push_back(switch_row<kOnOff, 0, kAt, &KeepGoingSettings::enabled>(
        "keep_going.enabled", kReload,
        "on: `headway run` resumes each agent that it can, as with --keep-going. This section is "
        "read by `headway run` at each start, not by the daemon."));
    table.push_back(whole_row<kResumesMin, kResumesMost, kAt, &KeepGoingSettings::max_resumes>(
        "keep_going.max_resumes", kReload, "Resumes in a row without progress."));
    table.push_back(
        time_row<kKeepGoingMin.count(), kKeepGoingMost.count(), kAt, &KeepGoingSettings::until>(
            "keep_going.until", kReload, "No resume starts later than this after the start."));
    table.push_back(
        time_row<kMarginMin.count(), kMarginMax.count(), kAt, &KeepGoingSettings::margin>(
            "keep_going.margin", kReload,
            "Wait after the reset of a limit; other waits are multiples."));
}

}  // namespace headway::config
