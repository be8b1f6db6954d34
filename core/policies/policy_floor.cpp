// SPDX-License-Identifier: Apache-2.0
#include "core/policies/policy_floor.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/calls/tool_class.hpp"
#include "core/detectors/detectors.hpp"

namespace headway::core {
namespace {

/// For limits where 0 means none.
template <class T>
bool weaker_limit(T next, T now) {
    return now != T{} && (next == T{} || next > now);
}

/// Orders what may follow `stuck`, the weakest first: advise, ask, stop, halt.
int strength(OnStuck what) {
    return static_cast<int>(what);
}

/// True if `own` is none (0) or more than `factor` times `base`.
bool past(std::uint32_t own, std::uint32_t base, std::uint32_t factor) {
    return base != 0 && own > std::uint64_t{base} * factor;
}

std::string at(std::string_view list, std::size_t index, std::string_view name) {
    return "/" + std::string{list} + "/" + std::to_string(index) + "/" + std::string{name};
}

class Raiser {
public:
    Raiser(const PolicyFloor& floor, const Policy& defaults, Policy& policy)
        : floor_(floor), defaults_(defaults), policy_(policy) {}

    std::vector<std::string> run() {
        switches();
        limits();
        tools();
        detectors();
        HEADWAY_ASSERT(strength(policy_.when_stuck()) >= strength(defaults_.when_stuck()) ||
                       floor_.on_stuck.has_value());
        return std::move(raised_);
    }

private:
    void switches() {
        if (floor_.profile.value_or(defaults_.profile) == Profile::kStrict)
            set(policy_.profile, Profile::kStrict, "/profile");
        if (floor_.loop_detection.value_or(defaults_.loop_detection))
            set(policy_.loop_detection, true, "/loop_detection");
        if (floor_.judge.value_or(defaults_.judge)) set(policy_.judge, true, "/judge");
        if (!floor_.trust_origin) policy_.trust_origin = false;  // the opening may not set it
        if (!defaults_.trust_user) set(policy_.trust_user, false, "/trust_user");
        Policy least = defaults_;
        if (floor_.on_stuck) least.on_stuck = *floor_.on_stuck;
        if (strength(policy_.when_stuck()) < strength(least.when_stuck()))
            set(policy_.on_stuck, least.when_stuck(), "/on_stuck");
    }

    void limits() {
        const auto interval = std::max(floor_.heartbeat_interval, defaults_.heartbeat_interval);
        if (policy_.heartbeat_interval > interval)
            set(policy_.heartbeat_interval, interval, "/heartbeat_interval_ms");
        const auto beats = std::max(floor_.heartbeat_limit, defaults_.heartbeat_limit);
        if (policy_.heartbeat_limit > beats)
            set(policy_.heartbeat_limit, beats, "/heartbeat_limit");
        limit(policy_.max_iterations, floor_.max_iterations, defaults_.max_iterations,
              "/max_iterations");
        limit(policy_.max_tool_failures, floor_.max_tool_failures, defaults_.max_tool_failures,
              "/max_tool_failures");
        limit(policy_.max_parse_failures, floor_.max_parse_failures, defaults_.max_parse_failures,
              "/max_parse_failures");
        limit(policy_.tool_time_limit, floor_.tool_time_limit, defaults_.tool_time_limit,
              "/tool_time_limit_ms");
        limit(policy_.wait_polls, std::uint32_t{0}, defaults_.wait_polls, "/wait_polls");
        limit(policy_.wait_patience, Millis{0}, defaults_.wait_patience, "/wait_patience_ms");
        const double sure =
            floor_.min_confidence != 0 ? floor_.min_confidence : defaults_.min_confidence;
        if (policy_.min_confidence < sure) set(policy_.min_confidence, sure, "/min_confidence");
        if (policy_.low_confidence_attempts > defaults_.low_confidence_attempts)
            set(policy_.low_confidence_attempts, defaults_.low_confidence_attempts,
                "/low_confidence_attempts");
        // A stop that waits for a judge comes later, or never.
        if (defaults_.confirm_stop == ConfirmStop::kOff)
            set(policy_.confirm_stop, ConfirmStop::kOff, "/confirm_stop");
    }

    void tools() {
        const Millis longest = floor_.tool_time_limit != Millis{0} ? floor_.tool_time_limit
                                                                   : defaults_.tool_time_limit;
        for (std::size_t i = 0; i < policy_.tools.size(); ++i) {
            ToolPolicy& tool = policy_.tools[i];
            const ToolPolicy* own = defaults_.tool(tool.tool);
            const bool ignored = own != nullptr && own->ignore;
            const bool may_ignore = std::any_of(
                floor_.ignore_tools.begin(), floor_.ignore_tools.end(),
                [&tool](const std::string& rule) { return rule_covers(rule, tool.tool); });
            if (tool.ignore && !ignored && !may_ignore)
                set(tool.ignore, false, at("tools", i, "ignore"));
            if (tool.polls && (own == nullptr || !own->polls))
                set(tool.polls, false, at("tools", i, "polls"));
            const auto patience = std::max(floor_.patience, own != nullptr ? own->patience : 1U);
            if (tool.patience > patience) set(tool.patience, patience, at("tools", i, "patience"));
            if (own != nullptr && own->requires_approval && !tool.requires_approval)
                set(tool.requires_approval, true, at("tools", i, "requires_approval"));
            const std::uint64_t most = longest_of(own, static_cast<std::uint64_t>(longest.count()));
            const bool lifted = tool.time_limit_ms == 0 && own != nullptr &&
                                own->time_limit_ms != 0 && above_limit_of_all(most);
            if (most != 0 && (lifted || tool.time_limit_ms > most))
                set(tool.time_limit_ms, most, at("tools", i, "time_limit_ms"));
        }
        for (const ToolPolicy& own : defaults_.tools) {
            const bool limits = own.time_limit_ms != 0 && above_limit_of_all(own.time_limit_ms);
            const bool binds = own.requires_approval || limits;
            if (!binds || policy_.tool(own.tool) != nullptr) continue;
            policy_.tools.push_back(own);
            if (!limits) policy_.tools.back().time_limit_ms = 0;
            raised_.push_back("/policy/tools");
        }
    }

    /// True if a tool without a limit of its own may take longer than this.
    bool above_limit_of_all(std::uint64_t ms) const {
        const auto of_all = static_cast<std::uint64_t>(policy_.tool_time_limit.count());
        return of_all == 0 || of_all > ms;
    }

    /// Longest time that a call of the tool may be allowed, in ms; 0 = no limit. The operator's
    /// limit for this tool holds unless the floor gives more.
    std::uint64_t longest_of(const ToolPolicy* own, std::uint64_t of_all) const {
        if (own == nullptr || own->time_limit_ms == 0) return of_all;
        const auto room = static_cast<std::uint64_t>(floor_.tool_time_limit.count());
        return std::max(own->time_limit_ms, room);
    }

    void detectors() {
        Policy base = policy_;
        base.heartbeat_limit = std::min(base.heartbeat_limit, defaults_.heartbeat_limit);
        base.detectors = defaults_.detectors;
        for (std::size_t i = 0; i < policy_.detectors.size(); ++i) {
            DetectorPolicy& own = policy_.detectors[i];
            if (own.off && !floor_.detectors_off && !base.is_off(own.detector))
                set(own.off, false, at("detectors", i, "off"));
            const Thresholds limits = thresholds_of(base, own.detector);
            const std::uint32_t factor = std::max(1U, floor_.threshold_factor);
            if (past(own.suspect, limits.suspect, factor))
                set(own.suspect, limits.suspect * factor, at("detectors", i, "suspect"));
            if (past(own.stuck, limits.stuck, factor))
                set(own.stuck, limits.stuck * factor, at("detectors", i, "stuck"));
        }
        for (const DetectorPolicy& own : defaults_.detectors) {
            const bool named =
                std::any_of(policy_.detectors.begin(), policy_.detectors.end(),
                            [&own](const auto& other) { return other.detector == own.detector; });
            if (named) continue;
            policy_.detectors.push_back(own);
            raised_.push_back("/policy/detectors");
        }
    }

    template <class T>
    void limit(T& value, T floor, T otherwise, const char* name) {
        const T most = floor != T{} ? floor : otherwise;
        if (weaker_limit(value, most)) set(value, most, name);
    }

    template <class T>
    void set(T& value, const std::type_identity_t<T>& raised, std::string name) {
        if (value == raised) return;
        value = raised;
        HEADWAY_ASSERT(name.starts_with('/'));
        raised_.push_back("/policy" + std::move(name));
    }

    const PolicyFloor& floor_;
    const Policy& defaults_;
    Policy& policy_;
    std::vector<std::string> raised_;
};

template <class T>
bool is_given(const std::optional<T>& field) {
    return field.has_value();
}

template <class T>
bool is_given(const std::vector<T>& list) {
    return !list.empty();
}

std::string weaker_tool(const Policy& next, const Policy& now) {
    for (std::size_t i = 0; i < next.tools.size(); ++i) {
        const ToolPolicy& tool = next.tools[i];
        const ToolPolicy* own = now.tool(tool.tool);
        const ToolPolicy before = own != nullptr ? *own : ToolPolicy{};
        if (tool.ignore && !before.ignore) return at("tools", i, "ignore");
        if (tool.polls && !before.polls) return at("tools", i, "polls");
        if (tool.patience > before.patience) return at("tools", i, "patience");
        if (!tool.requires_approval && before.requires_approval)
            return at("tools", i, "requires_approval");
        if (weaker_limit(next.time_limit(tool.tool), now.time_limit(tool.tool)))
            return at("tools", i, "time_limit_ms");
    }
    for (const ToolPolicy& before : now.tools) {
        if (next.tool(before.tool) != nullptr) continue;
        const bool limits = weaker_limit(next.tool_time_limit, now.time_limit(before.tool));
        if (before.requires_approval || limits) return "/tools";
    }
    return {};
}

std::string weaker_detector(const Policy& next, const Policy& now) {
    for (std::size_t i = 0; i < kDetectorCount; ++i) {
        const auto id = static_cast<DetectorId>(i);
        const Thresholds after = thresholds_of(next, id);
        const Thresholds before = thresholds_of(now, id);
        const bool off = next.is_off(id) && !now.is_off(id);
        if (off || weaker_limit(after.suspect, before.suspect) ||
            weaker_limit(after.stuck, before.stuck)) {
            return "/detectors";
        }
    }
    return {};
}

}  // namespace

std::vector<std::string> raise_to(const PolicyFloor& floor, const Policy& defaults,
                                  Policy& policy) {
    return Raiser{floor, defaults, policy}.run();
}

std::string weaker_field(const Policy& next, const Policy& now) {
    if (next.profile < now.profile) return "/profile";
    if (next.heartbeat_interval > now.heartbeat_interval) return "/heartbeat_interval_ms";
    if (next.heartbeat_limit > now.heartbeat_limit) return "/heartbeat_limit";
    if (!next.loop_detection && now.loop_detection) return "/loop_detection";
    if (!next.judge && now.judge) return "/judge";
    if (strength(next.when_stuck()) < strength(now.when_stuck())) return "/on_stuck";
    if (weaker_limit(next.max_iterations, now.max_iterations)) return "/max_iterations";
    if (weaker_limit(next.max_tool_failures, now.max_tool_failures)) return "/max_tool_failures";
    if (weaker_limit(next.max_parse_failures, now.max_parse_failures)) return "/max_parse_failures";
    if (weaker_limit(next.tool_time_limit, now.tool_time_limit)) return "/tool_time_limit_ms";
    if (next.min_confidence < now.min_confidence) return "/min_confidence";
    if (next.low_confidence_attempts > now.low_confidence_attempts)
        return "/low_confidence_attempts";
    if (next.confirm_stop > now.confirm_stop) return "/confirm_stop";
    if (weaker_limit(next.wait_polls, now.wait_polls)) return "/wait_polls";
    if (weaker_limit(next.wait_patience, now.wait_patience)) return "/wait_patience_ms";
    if (next.trust_origin && !now.trust_origin) return "/trust_origin";
    if (next.trust_user && !now.trust_user) return "/trust_user";
    const std::string tool = weaker_tool(next, now);
    return tool.empty() ? weaker_detector(next, now) : tool;
}

std::string differing_field(const PolicyOverride& asked, const Policy& a, const Policy& b) {
    const PolicyOverride first = whole_policy(a);
    const PolicyOverride second = whole_policy(b);
    std::string name;
    for_each_field<PolicyOverride>([&](const auto& field, std::size_t) {
        const bool differs = !(first.*field.member == second.*field.member);
        if (name.empty() && differs && is_given(asked.*field.member))
            name = "/" + std::string{field.name};
    });
    return name;
}

PolicyOverride whole_policy(const Policy& policy) {
    PolicyOverride whole;
    whole.profile = policy.profile;
    whole.heartbeat_interval_ms = static_cast<std::uint64_t>(policy.heartbeat_interval.count());
    whole.heartbeat_limit = policy.heartbeat_limit;
    whole.loop_detection = policy.loop_detection;
    whole.judge = policy.judge;
    whole.on_stuck = policy.on_stuck;
    whole.max_iterations = policy.max_iterations;
    whole.max_tool_failures = policy.max_tool_failures;
    whole.max_parse_failures = policy.max_parse_failures;
    whole.tool_time_limit_ms = static_cast<std::uint64_t>(policy.tool_time_limit.count());
    whole.legacy = policy.legacy;
    whole.min_confidence = policy.min_confidence;
    whole.tools = policy.tools;
    whole.detectors = policy.detectors;
    whole.trust_origin = policy.trust_origin;
    whole.low_confidence_attempts = policy.low_confidence_attempts;
    whole.stats_every = policy.stats_every;
    whole.confirm_stop = policy.confirm_stop;
    whole.wait_polls = policy.wait_polls;
    whole.wait_patience_ms = static_cast<std::uint32_t>(policy.wait_patience.count());
    whole.trust_user = policy.trust_user;
    return whole;
}

}  // namespace headway::core
