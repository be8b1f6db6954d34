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

}  // namespace headway::config
