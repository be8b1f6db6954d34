// SPDX-License-Identifier: Apache-2.0
#include "server/endpoints/routing/engine_settings.hpp"

#include <utility>

namespace headway::server {
namespace {

/// Uses the first endpoint of each role.
core::JudgeRules judge_rules(const config::JudgeSettings& settings) {
    core::JudgeRules rules;
    rules.on_suspect = settings.on_suspect;
    rules.audit_rounds = settings.audit_rounds;
    rules.checks_max = settings.checks_max;
    rules.estimate_steps = settings.estimate_steps;
    rules.estimates_max = settings.estimates_max;
    core::parse_name(settings.estimates, rules.estimates);  // validated at load
    for (const config::JudgeEndpoint& endpoint : settings.endpoints) {
        std::string& name = endpoint.role == "confirm" ? rules.confirm : rules.primary;
        if (name.empty()) name = endpoint.name;
    }
    return rules;
}

}  // namespace

ReloadableSettings reloadable_settings(const config::Settings& settings) {
    return {settings.policy,
            settings.approvals,
            settings.storage.retention,
            settings.budget,
            settings.policy_floor,
            {settings.redaction.capture == "digests", settings.redaction.digest_agents},
            settings.fan_out,
            settings.prices,
            settings.day};
}

EngineSettings engine_settings(const config::Settings& settings, const ServiceNotifier& manager) {
    EngineSettings result{reloadable_settings(settings)};
    result.resident_max = settings.storage.sessions_resident_max;
    result.judge = judge_rules(settings.judge);
    result.resident_bytes = settings.storage.sessions_resident_bytes;
    result.digest_at = settings.digest.at;
    result.digest_span = settings.digest.since;
    result.clock_confirm = settings.storage.clock_confirm;
    // Three times per interval, so that one slow commit does no harm.
    if (const auto watchdog = manager.watchdog()) {
        result.feed_every = *watchdog / 3;
        result.feed_watchdog = [&manager] { manager.alive(); };
    }
    return result;
}

}  // namespace headway::server
