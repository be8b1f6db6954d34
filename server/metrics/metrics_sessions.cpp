// SPDX-License-Identifier: Apache-2.0
#include "core/values/verdict.hpp"
#include "server/metrics/metric_families.hpp"

// Metrics of sessions, approvals and webhooks.

namespace headway::server {

void add_approvals(MetricFamilies& families, const ApprovalStats& stats) {
    families.gauge("headway_approvals_pending", "Pending approvals.",
                   static_cast<double>(stats.pending));
    families.counter("headway_approvals_requested_total", "Approvals asked for.", stats.requested);
    families.counter("headway_approvals_expired_total", "Requests that expired without a decision.",
                     stats.expired);
    families.counter("headway_approvals_redeemed_total", "Approvals used.", stats.redeemed);
    auto& decided = families.family("headway_approvals_decided_total",
                                    "Decisions, by decision, those of grants and expiry too.",
                                    MetricType::Counter);
    for (std::size_t i = 0; i < stats.decided.size(); ++i) {
        add_labelled(decided, "decision",
                     std::string{core::name_of(static_cast<core::Decision>(i))}, stats.decided[i]);
    }
    auto& alarms =
        families.family("headway_approval_alarms_total",
                        "Calls that ran or did not run against the decision.", MetricType::Counter);
    for (std::size_t i = 0; i < stats.alarms.size(); ++i) {
        add_labelled(alarms, "alarm",
                     std::string{core::name_of(static_cast<core::ApprovalAlarmKind>(i))},
                     stats.alarms[i]);
    }
    auto& open = families.family("headway_approval_alarms",
                                 "Sessions with an unacknowledged alarm, by the most urgent one.",
                                 MetricType::Gauge);
    for (std::size_t i = 0; i < stats.alarmed.size(); ++i) {
        ClientMetric& metric = open.metric.emplace_back();
        metric.label.push_back(
            {"alarm", std::string{core::name_of(static_cast<core::ApprovalAlarmKind>(i))}});
        metric.gauge.value = static_cast<double>(stats.alarmed[i]);
    }
}

void add_webhooks(MetricFamilies& families, const std::vector<WebhookStats>& webhooks) {
    const auto add = [&](const char* name, const char* help, std::uint64_t WebhookStats::*member,
                         MetricType type) {
        auto& family = families.family(name, help, type);
        for (const WebhookStats& webhook : webhooks) {
            ClientMetric& metric = family.metric.emplace_back();
            metric.label.push_back({"webhook", webhook.name});
            const auto value = static_cast<double>(webhook.*member);
            (type == MetricType::Gauge ? metric.gauge.value : metric.counter.value) = value;
        }
    };
    add("headway_webhook_pending", "Messages waiting to be delivered.", &WebhookStats::pending,
        MetricType::Gauge);
    add("headway_webhook_dead", "Dead letters that are kept.", &WebhookStats::dead,
        MetricType::Gauge);
    add("headway_webhook_delivered_total", "Messages delivered.", &WebhookStats::delivered,
        MetricType::Counter);
    add("headway_webhook_failed_total", "Tries that failed.", &WebhookStats::failed,
        MetricType::Counter);
    add("headway_webhook_died_total", "Messages that became dead letters.", &WebhookStats::died,
        MetricType::Counter);
    add("headway_webhook_dropped_total", "Dead letters deleted for lack of room.",
        &WebhookStats::dropped, MetricType::Counter);
}

void add_sessions(MetricFamilies& families, const EngineStats& stats) {
    auto& open =
        families.family("headway_sessions_open", "Open sessions, by verdict.", MetricType::Gauge);
    for (std::size_t i = 0; i < core::kVerdictCount; ++i) {
        const auto verdict = static_cast<core::Verdict>(i);
        if (core::is_final(verdict)) continue;
        ClientMetric& metric = open.metric.emplace_back();
        metric.label.push_back({"verdict", std::string{core::name_of(verdict)}});
        metric.gauge.value = static_cast<double>(stats.open[i]);
    }
    auto& levels =
        families.family("headway_sessions_budget",
                        "Open sessions in memory with a budget, by its level.", MetricType::Gauge);
    for (std::size_t i = 0; i < stats.budget_levels.size(); ++i) {
        ClientMetric& metric = levels.metric.emplace_back();
        metric.label.push_back(
            {"level", std::string{core::name_of(static_cast<core::BudgetLevel>(i))}});
        metric.gauge.value = static_cast<double>(stats.budget_levels[i]);
    }
    auto& channels = families.family("headway_hook_channels",
                                     "Open sessions whose agents send hooks, by how these arrive.",
                                     MetricType::Gauge);
    for (std::size_t i = 0; i < stats.hook_channels.size(); ++i) {
        ClientMetric& metric = channels.metric.emplace_back();
        metric.label.push_back(
            {"channel", std::string{core::name_of(static_cast<core::ChannelHealth>(i))}});
        metric.gauge.value = static_cast<double>(stats.hook_channels[i]);
    }
    auto& failures = families.family("headway_tool_failures_total", "Failed calls, by kind.",
                                     MetricType::Counter);
    for (std::size_t i = 1; i < stats.tool_failures.size(); ++i) {
        add_labelled(failures, "class",
                     std::string{core::name_of(static_cast<core::FailureKind>(i))},
                     stats.tool_failures[i]);
    }
}

}  // namespace headway::server
