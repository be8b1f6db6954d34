// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "server/engine/base/stats.hpp"

// Internal to metrics*.cpp.

namespace headway::server {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

class MetricFamilies {
public:
    void counter(const char* name, const char* help, std::uint64_t value) {
        add(name, help, MetricType::Counter).counter.value = static_cast<double>(value);
    }
    void gauge(const char* name, const char* help, double value) {
        add(name, help, MetricType::Gauge).gauge.value = value;
    }
    /// Adds a family whose metrics have labels.
    MetricFamily& family(const char* name, const char* help, MetricType type) {
        MetricFamily family;
        family.name = name;
        family.help = help;
        family.type = type;
        return families_.emplace_back(std::move(family));
    }
    std::string text() const { return prometheus::TextSerializer{}.Serialize(families_); }

private:
    ClientMetric& add(const char* name, const char* help, MetricType type) {
        return family(name, help, type).metric.emplace_back();
    }
    std::vector<MetricFamily> families_;
};

inline void add_labelled(MetricFamily& family, const char* label, std::string value,
                         std::uint64_t number) {
    ClientMetric metric;
    metric.label = {{label, std::move(value)}};
    metric.counter.value = static_cast<double>(number);
    family.metric.push_back(std::move(metric));
}

void add_approvals(MetricFamilies& families, const ApprovalStats& stats);
void add_webhooks(MetricFamilies& families, const std::vector<WebhookStats>& webhooks);
/// Adds the current state of sessions; labels have closed sets of values.
void add_sessions(MetricFamilies& families, const EngineStats& stats);

}  // namespace headway::server
