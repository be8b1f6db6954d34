// SPDX-License-Identifier: Apache-2.0
#include "config/judge_keys.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "config/duration.hpp"
#include "core/suggest.hpp"

namespace headway::config {
namespace {

constexpr std::int64_t kSecond = 1'000;
constexpr std::int64_t kHour = 3'600 * kSecond;

constexpr std::array<std::string_view, 2> kSwitch{"off", "on"};
constexpr std::array<std::string_view, 4> kEstimates{"off", "stall", "step", "every"};

core::Error mistake(std::string detail) {
    return {core::ErrorCode::kInvalidConfig, std::move(detail), {}};
}

template <std::size_t N>
core::Result<> check_choice(std::string_view text, const std::array<std::string_view, N>& words) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return {};
    std::string all;
    for (const std::string_view word : words)
        all.append(all.empty() ? "" : ", ").append(word);
    return mistake("\"" + std::string(text) + "\" is not one of " + all +
                   core::did_you_mean(text, words));
}

template <auto Member, std::uint32_t Min, std::uint32_t Max>
Key count_key(std::string name, std::string help) {
    Key key{std::move(name), Kind::kCount, std::to_string(Min) + ".." + std::to_string(Max), false,
            std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        std::uint32_t number = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, number);
        if (error != std::errc{} || rest != end || number < Min || number > Max) {
            return mistake("\"" + std::string(text) + "\" is not a whole number from " +
                           std::to_string(Min) + " to " + std::to_string(Max));
        }
        settings.judge.*Member = number;
        return {};
    };
    key.print = [](const Settings& s) { return std::to_string(s.judge.*Member); };
    return key;
}

// Bounds in milliseconds.
template <auto Member, std::int64_t Min, std::int64_t Max>
Key duration_key(std::string name, std::string help) {
    const std::string least = print_duration(milliseconds{Min});
    const std::string most = print_duration(milliseconds{Max});
    Key key{std::move(name), Kind::kDuration, least + ".." + most, false, std::move(help)};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_TRY(const milliseconds value, parse_duration(text));
        if (value < milliseconds{Min} || value > milliseconds{Max}) {
            return mistake("\"" + std::string(text) + "\" is out of range; use " +
                           print_duration(milliseconds{Min}) + " to " +
                           print_duration(milliseconds{Max}));
        }
        settings.judge.*Member = value;
        return {};
    };
    key.print = [](const Settings& s) { return print_duration(s.judge.*Member); };
    return key;
}

Key on_suspect_key() {
    Key key{"judge.on_suspect", Kind::kText, "off | on", false,
            "A session that becomes suspect is checked without being asked."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_CHECK(check_choice(text, kSwitch));
        settings.judge.on_suspect = text == "on";
        return {};
    };
    key.print = [](const Settings& s) { return std::string(s.judge.on_suspect ? "on" : "off"); };
    return key;
}

Key estimates_key() {
    Key key{"judge.estimates", Kind::kText, "off | stall | step | every", false,
            "When progress is estimated: when it stalls and at phases, or after calls."};
    key.assign = [](Settings& settings, std::string_view text) -> core::Result<> {
        HEADWAY_CHECK(check_choice(text, kEstimates));
        settings.judge.estimates = text;
        return {};
    };
    key.print = [](const Settings& s) { return s.judge.estimates; };
    return key;
}

}  // namespace

void add_judge_keys(std::vector<Key>& table) {
    using J = JudgeSettings;
    table.push_back(on_suspect_key());
    table.push_back(count_key<&J::audit_rounds, 0, 1'000'000>(
        "judge.audit_rounds",
        "Rounds without hard progress after which a session is checked anyway; 0 is never."));
    table.push_back(count_key<&J::checks_max, 0, 10'000>(
        "judge.checks_max", "Checks of one session that Headway asks for by itself; 0 is none."));
    table.push_back(estimates_key());
    table.push_back(count_key<&J::estimate_steps, 1, 10'000>(
        "judge.estimate_steps", "With every: finished calls between two estimates."));
    table.push_back(count_key<&J::estimates_max, 0, 100'000>("judge.estimates_max",
                                                             "Estimates of one session."));
    table.push_back(count_key<&J::retries, 0, 10>(
        "judge.retries", "Further tries when an endpoint is not reached, overloaded or failing."));
    table.push_back(duration_key<&J::silence_timeout, kSecond, kHour>(
        "judge.silence_timeout", "An answer of which no byte comes for so long is given up."));
    table.push_back(duration_key<&J::connect_timeout, 100, kHour / 6>(
        "judge.connect_timeout", "How long connecting to an endpoint may take."));
}

}  // namespace headway::config
