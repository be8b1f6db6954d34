// SPDX-License-Identifier: Apache-2.0
#include "config/load/policy_keys.hpp"

#include <algorithm>
#include <array>

#include "config/load/sections.hpp"
#include "config/values/duration.hpp"
#include "config/values/parse.hpp"
#include "core/base/limits.hpp"
#include "core/text/suggest.hpp"

namespace headway::config {
namespace {

using core::DetectorPolicy;
using core::Policy;

constexpr std::uint64_t kLimitMax = 1'000'000'000;
constexpr std::int64_t kWeek = 7 * kDayMs;
constexpr std::uint64_t kEvidenceMax = 1'000'000;

constexpr std::array<std::string_view, 2> kPresets{"none", "first-designs"};

// Each line is a rule of a first design; docs/first-designs.md is the same table with the sources.
constexpr std::array<PresetValue, 15> kFirstDesigns{{
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
     "duplicate_messages=3/3,tool_failures=3/4,exact_repeat=4/4"},
    {"judge.estimates", "step"},
    {"budget.builtin", "on"},
    {"budget.updates", "on"},
}};

/// `exact_repeat=5/8` or `stagnation=off`.
core::Result<DetectorPolicy> parse_detector(std::string_view text) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string_view name = text.substr(0, equals);
    DetectorPolicy policy;
    if (!core::parse_name(name, policy.detector)) {
        return mistake(in_quotes(name) + " is no detector" +
                       core::did_you_mean(name, core::EnumNames<core::DetectorId>::kNames));
    }
    const std::string_view thresholds = text.substr(std::min(equals + 1, text.size()));
    policy.off = thresholds == "off";
    if (policy.off) return policy;
    const std::size_t slash = thresholds.find('/');
    if (slash == std::string_view::npos) {
        return mistake(in_quotes(text) + " has no thresholds; write " + std::string(name) +
                       "=SUSPECT/STUCK or " + std::string(name) + "=off");
    }
    HEADWAY_TRY(const std::uint64_t suspect,
                parse_whole(thresholds.substr(0, slash), 0, kEvidenceMax));
    HEADWAY_TRY(const std::uint64_t stuck,
                parse_whole(thresholds.substr(slash + 1), 0, kEvidenceMax));
    policy.suspect = static_cast<std::uint32_t>(suspect);
    policy.stuck = static_cast<std::uint32_t>(stuck);
    if (stuck != 0 && suspect > stuck)
        return mistake(in_quotes(text) + " would never be suspect: stuck comes first");
    return policy;
}

std::string print_detector(const DetectorPolicy& one) {
    std::string text = std::string(core::name_of(one.detector)) + "=";
    if (one.off) return text + "off";
    return text + std::to_string(one.suspect) + "/" + std::to_string(one.stuck);
}

core::Result<> assign_detectors(Settings& settings, const Value& value) {
    std::vector<DetectorPolicy> policys;
    for (const std::string& word : value.items()) {
        HEADWAY_TRY(const DetectorPolicy one, parse_detector(word));
        const bool again =
            std::any_of(policys.begin(), policys.end(),
                        [&one](const DetectorPolicy& m) { return m.detector == one.detector; });
        if (again) {
            return mistake("the detector " + std::string(core::name_of(one.detector)) +
                           " stands there twice");
        }
        policys.push_back(one);
    }
    settings.policy.detectors = std::move(policys);
    return {};
}

/// `bash=10m`.
core::Result<core::ToolPolicy> parse_time_limit(std::string_view text) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string_view::npos || equals == 0)
        return mistake(in_quotes(text) +
                       " is no limit of a tool; write NAME=TIME, such as bash=10m");
    HEADWAY_CHECK(check_tool(text.substr(0, equals)));
    core::ToolPolicy tool_policy{std::string{text.substr(0, equals)}};
    HEADWAY_TRY(const auto limit, parse_time(Value(std::string{text.substr(equals + 1)}),
                                             core::Millis{1}, core::Millis{kDayMs}));
    tool_policy.time_limit_ms = static_cast<std::uint64_t>(limit.count());
    return tool_policy;
}

core::Result<> assign_time_limits(Settings& settings, const Value& value) {
    std::vector<core::ToolPolicy> tools = settings.policy.tools;
    for (core::ToolPolicy& tool : tools)
        tool.time_limit_ms = 0;
    for (const std::string& word : value.items()) {
        HEADWAY_TRY(const core::ToolPolicy one, parse_time_limit(word));
        const auto found =
            std::find_if(tools.begin(), tools.end(),
                         [&one](const core::ToolPolicy& tool) { return tool.tool == one.tool; });
        if (found == tools.end()) {
            tools.push_back(one);
        } else if (found->time_limit_ms != 0) {
            return mistake("the tool " + in_quotes(one.tool) + " stands there twice");
        } else {
            found->time_limit_ms = one.time_limit_ms;
        }
        if (tools.size() > core::limits::kToolPoliciesMax)
            return mistake("too many tools together with the other lists of policy tools");
    }
    std::erase_if(tools,
                  [](const core::ToolPolicy& own) { return own == core::ToolPolicy{own.tool}; });
    settings.policy.tools = std::move(tools);
    return {};
}

Key time_limits_key() {
    Key key{"policy.tool_time_limits", Kind::kTextList, "NAME=TIME", kReload,
            "Limits of single tools in place of policy.tool_time_limit."};
    key.assign = assign_time_limits;
    key.print = [](const Settings& s) {
        Value::List items;
        for (const core::ToolPolicy& tool : s.policy.tools) {
            if (tool.time_limit_ms != 0)
                items.push_back(tool.tool + "=" + print_duration(core::Millis{tool.time_limit_ms}));
        }
        return Value(std::move(items));
    };
    return key;
}

Key detectors_key() {
    Key key{"policy.detectors", Kind::kTextList, "NAME=SUSPECT/STUCK or NAME=off", kReload,
            "Thresholds of detectors in place of the profile's; 0 keeps the profile's."};
    key.assign = assign_detectors;
    key.print = [](const Settings& s) {
        Value::List items;
        for (const DetectorPolicy& one : s.policy.detectors)
            items.push_back(print_detector(one));
        return Value(std::move(items));
    };
    return key;
}

}  // namespace

void add_policy_limit_keys(std::vector<Key>& table) {
    constexpr auto kAt = &Settings::policy;
    table.push_back(time_limits_key());
    table.push_back(enum_row<kAt, &Policy::confirm_stop>(
        "policy.confirm_stop", kReload,
        "judge: a judge is asked before a stop for stuck, and its answer A postpones the stop."));
    table.push_back(whole_row<0, kLimitMax, kAt, &Policy::max_iterations>(
        "policy.max_iterations", kReload, "A later iteration fails a session; 0 is no limit."));
    table.push_back(whole_row<0, kLimitMax, kAt, &Policy::max_tool_failures>(
        "policy.max_tool_failures", kReload,
        "One more failure of one tool in a row fails a session; 0 is no limit."));
    table.push_back(whole_row<0, kLimitMax, kAt, &Policy::max_parse_failures>(
        "policy.max_parse_failures", kReload,
        "One more turn in a row that cannot be read fails a session; 0 is no limit."));
    table.push_back(value_row<parse_fraction, kAt, &Policy::min_confidence>(
        Kind::kNumber, "0..1", "policy.min_confidence", kReload,
        "Confidence below which reflections in a row fail a session; 0 is off."));
    table.push_back(
        whole_row<1, core::kLowConfidenceAttemptsMax, kAt, &Policy::low_confidence_attempts>(
            "policy.low_confidence_attempts", kReload,
            "Reflections in a row below min_confidence that fail a session."));
    table.push_back(whole_row<0, core::kStatsEveryMax, kAt, &Policy::stats_every>(
        "policy.stats_every", kReload,
        "Finished calls between two progress.stats events; 0 is none."));
    table.push_back(whole_row<0, core::kWaitPollsMax, kAt, &Policy::wait_polls>(
        "policy.wait_polls", kReload,
        "Polls in which nothing moved, after which a wait needs a person; 0 is never."));
    table.push_back(time_row<0, kWeek, kAt, &Policy::wait_patience>(
        "policy.wait_patience", kReload,
        "Time in which nothing moved, after which a wait needs a person; 0s is never."));
    table.push_back(switch_row<kOffOn, 1, kAt, &Policy::trust_user>(
        "policy.trust_user", kReload,
        "off: messages of others that an agent reports lift nothing; messages of operators do."));
    table.push_back(detectors_key());
    table.push_back(word_row<kPresets, &Settings::policy_preset>(
        "policy.preset", kReload,
        "first-designs: the literal rules of docs/first-designs.md, where no key differs."));
}

std::span<const PresetValue> preset_values(std::string_view preset) noexcept {
    if (preset == "first-designs") return kFirstDesigns;
    return {};
}

}  // namespace headway::config
