// SPDX-License-Identifier: Apache-2.0
#include "config/policy_keys.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/limits.hpp"
#include "core/suggest.hpp"

namespace headway::config {
namespace {

using core::DetectorPolicy;
using core::Policy;

constexpr std::uint64_t kLimitMax = 1'000'000'000;
constexpr std::uint64_t kEvidenceMax = 1'000'000;

constexpr std::array<std::string_view, 2> kPresets{"none", "first-designs"};

// Each line is a rule of a first design; docs/first-designs.md is the same table with the sources.
constexpr std::array<PresetValue, 14> kFirstDesigns{{
    {"policy.profile", "strict"},
    {"policy.heartbeat_interval", "10s"},
    {"policy.heartbeat_limit", "5"},
    {"policy.on_stuck", "stop"},
    {"policy.confirm_stop", "judge"},
    {"policy.max_iterations", "25"},
    {"policy.max_tool_failures", "3"},
    {"policy.max_parse_failures", "3"},
    {"policy.tool_time_limit", "1m"},
    {"policy.min_confidence", "0.3"},
    {"policy.low_confidence_attempts", "3"},
    {"policy.detectors",
     "same_file_error=2/3,oscillation=1/2,no_progress=10/10,estimate_plateau=3/3,"
     "duplicate_messages=3/3,tool_failures=3/4"},
    {"budget.builtin", "on"},
    {"budget.updates", "on"},
}};

core::Error mistake(std::string detail) {
    return {core::ErrorCode::kInvalidConfig, std::move(detail), {}};
}

core::Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t min,
                                        std::uint64_t max) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc{} && rest == end && number >= min && number <= max) return number;
    return mistake("\"" + std::string(text) + "\" is not a whole number from " +
                   std::to_string(min) + " to " + std::to_string(max));
}

template <auto Member, std::uint64_t Min, std::uint64_t Max>
Key whole_key(std::string name, std::string help) {
    Key key{std::move(name), Kind::kCount, std::to_string(Min) + ".." + std::to_string(Max), true,
            std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_TRY(const std::uint64_t number, parse_whole(text, Min, Max));
        using Number = std::decay_t<decltype(settings.policy.*Member)>;
        settings.policy.*Member = static_cast<Number>(number);
        return {};
    };
    key.print = [](const Settings& s) { return std::to_string(s.policy.*Member); };
    return key;
}

Key preset_key() {
    Key key{"policy.preset", Kind::kText, "none | first-designs", true,
            "first-designs: the literal rules of docs/first-designs.md, where no key says else."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        if (std::find(kPresets.begin(), kPresets.end(), text) == kPresets.end()) {
            return mistake("\"" + std::string(text) + "\" is not one of none, first-designs" +
                           core::did_you_mean(text, kPresets));
        }
        settings.policy_preset = text;
        return {};
    };
    key.print = [](const Settings& s) { return s.policy_preset; };
    return key;
}

Key confidence_key() {
    Key key{"policy.min_confidence", Kind::kNumber, "0..1", true,
            "Reflections in a row below it fail a session; 0 is off."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        double number = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, number);
        const bool whole = error == std::errc{} && rest == end && std::isfinite(number);
        if (!whole || number < 0 || number > 1)
            return mistake("\"" + std::string(text) + "\" is not a number from 0 to 1");
        settings.policy.min_confidence = number;
        return {};
    };
    key.print = [](const Settings& s) {
        char text[32];
        std::snprintf(text, sizeof text, "%g", s.policy.min_confidence);
        return std::string{text};
    };
    return key;
}

Key confirm_stop_key() {
    constexpr const auto& kNames = core::EnumNames<core::ConfirmStop>::kNames;
    Key key{"policy.confirm_stop", Kind::kText, "off | judge", true,
            "judge: before a stop for stuck a judge is asked, whose A puts it off."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        if (core::parse_name(text, settings.policy.confirm_stop)) return {};
        return mistake("\"" + std::string(text) + "\" is not one of off, judge" +
                       core::did_you_mean(text, kNames));
    };
    key.print = [](const Settings& s) { return std::string(core::name_of(s.policy.confirm_stop)); };
    return key;
}

/// `exact_repeat=5/8` or `stagnation=off`.
core::Result<DetectorPolicy> parse_detector(std::string_view text) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string_view name = text.substr(0, equals);
    DetectorPolicy made;
    if (!core::parse_name(name, made.detector)) {
        return mistake("\"" + std::string(name) + "\" is no detector" +
                       core::did_you_mean(name, core::EnumNames<core::DetectorId>::kNames));
    }
    const std::string_view value = text.substr(std::min(equals + 1, text.size()));
    made.off = value == "off";
    if (made.off) return made;
    const std::size_t slash = value.find('/');
    if (slash == std::string_view::npos) {
        return mistake("\"" + std::string(text) + "\" has no thresholds; write " +
                       std::string(name) + "=SUSPECT/STUCK or " + std::string(name) + "=off");
    }
    HEADWAY_TRY(const std::uint64_t suspect, parse_whole(value.substr(0, slash), 0, kEvidenceMax));
    HEADWAY_TRY(const std::uint64_t stuck, parse_whole(value.substr(slash + 1), 0, kEvidenceMax));
    made.suspect = static_cast<std::uint32_t>(suspect);
    made.stuck = static_cast<std::uint32_t>(stuck);
    return made;
}

std::string print_detector(const DetectorPolicy& one) {
    std::string text = std::string(core::name_of(one.detector)) + "=";
    if (one.off) return text + "off";
    return text + std::to_string(one.suspect) + "/" + std::to_string(one.stuck);
}

core::Result<> assign_detectors(Settings& settings, std::string_view text) {
    std::vector<DetectorPolicy> made;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view word = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        while (word.starts_with(' '))
            word.remove_prefix(1);
        while (word.ends_with(' '))
            word.remove_suffix(1);
        if (word.empty()) continue;
        HEADWAY_TRY(const DetectorPolicy one, parse_detector(word));
        const bool again = std::any_of(made.begin(), made.end(), [&one](const DetectorPolicy& m) {
            return m.detector == one.detector;
        });
        if (again) {
            return mistake("the detector " + std::string(core::name_of(one.detector)) +
                           " stands there twice");
        }
        made.push_back(one);
    }
    settings.policy.detectors = std::move(made);
    return {};
}

Key detectors_key() {
    Key key{"policy.detectors", Kind::kTextList, "NAME=SUSPECT/STUCK or NAME=off", true,
            "Thresholds of detectors in place of the profile's; 0 leaves one as it is there."};
    key.assign = assign_detectors;
    key.print = [](const Settings& s) {
        std::string text;
        for (const DetectorPolicy& one : s.policy.detectors)
            text += (text.empty() ? "" : ",") + print_detector(one);
        return text;
    };
    return key;
}

}  // namespace

void add_policy_limit_keys(std::vector<Key>& table) {
    table.push_back(confirm_stop_key());
    table.push_back(whole_key<&Policy::max_iterations, 0, kLimitMax>(
        "policy.max_iterations", "A later iteration fails a session; 0 is no limit."));
    table.push_back(whole_key<&Policy::max_tool_failures, 0, kLimitMax>(
        "policy.max_tool_failures",
        "One more failure of one tool in a row fails a session; 0 is no limit."));
    table.push_back(whole_key<&Policy::max_parse_failures, 0, kLimitMax>(
        "policy.max_parse_failures",
        "One more turn in a row that cannot be read fails a session; 0 is no limit."));
    table.push_back(confidence_key());
    table.push_back(whole_key<&Policy::low_confidence_attempts, 1, core::kLowConfidenceAttemptsMax>(
        "policy.low_confidence_attempts", "How many reflections below min_confidence."));
    table.push_back(whole_key<&Policy::stats_every, 0, core::kStatsEveryMax>(
        "policy.stats_every", "Finished calls between two progress.stats events; 0 is none."));
    table.push_back(detectors_key());
    table.push_back(preset_key());
}

std::span<const PresetValue> preset_values(std::string_view preset) noexcept {
    if (preset == "first-designs") return kFirstDesigns;
    return {};
}

}  // namespace headway::config
