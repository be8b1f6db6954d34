// SPDX-License-Identifier: Apache-2.0
#include "server/metrics/metrics.hpp"

#include <utility>
#include <vector>

#include "core/base/limits.hpp"
#include "core/base/version.hpp"
#include "core/values/verdict.hpp"
#include "server/http/message/endpoint.hpp"
#include "server/metrics/metric_families.hpp"

namespace headway::server {
namespace {

/// Requests by route; aliases share one label.
void add_routes(MetricFamilies& families, const std::vector<std::uint64_t>& requests) {
    auto& family = families.family("headway_http_route_requests_total", "Requests by route.",
                                   MetricType::Counter);
    const auto rows = route_table();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::uint64_t count = 0;
        bool first = true;
        for (std::size_t j = 0; j < rows.size(); ++j) {
            if (rows[j].metric != rows[i].metric) continue;
            first = first && j >= i;
            count += requests[j];
        }
        if (first) add_labelled(family, "route", std::string{rows[i].metric}, count);
    }
}

/// Adds a metric with the judge's name and, if it has a name, `label`.
ClientMetric& add_judge_metric(MetricFamily& family, const JudgeEndpointStats& judge,
                               const char* label = nullptr, std::string_view value = {}) {
    ClientMetric& metric = family.metric.emplace_back();
    metric.label.push_back({"judge", judge.name});
    if (label != nullptr) metric.label.push_back({label, std::string{value}});
    return metric;
}

/// The bounds of resources, for alerts on their gauges.
void add_bounds(MetricFamilies& families, const MetricsInput& input) {
    namespace limits = core::limits;
    auto& bounds =
        families.family("headway_bound", "Maximum number at once, by resource.", MetricType::Gauge);
    const auto add = [&bounds](const char* what, std::uint64_t most) {
        ClientMetric& metric = bounds.metric.emplace_back();
        metric.label.push_back({"of", what});
        metric.gauge.value = static_cast<double>(most);
    };
    add("http_connections", input.connections_max);
    add("http_held_bytes", limits::kUnreadBytesMax);
    add("queue", limits::kCommandQueueMax);
    add("streams", limits::kStreamsMax);
    add("waiters", limits::kWaitersMax);
    add("views", limits::kViewCacheMax);
    add("access_failing_addresses", limits::kAuthAddressesMax);
}

void add_http(MetricFamilies& families, const MetricsInput& input) {
    families.counter("headway_http_connections_accepted_total", "Connections accepted.",
                     input.http.accepted);
    families.counter("headway_http_connections_refused_total", "Connections over the cap.",
                     input.http.refused_connections);
    families.counter("headway_http_users_refused_total",
                     "Connections to the Unix socket by other users.", input.http.refused_users);
    families.counter("headway_http_accept_errors_total", "Failed accepts.",
                     input.http.accept_errors);
    families.gauge("headway_http_held_bytes", "Bytes of unread replies and unfinished bodies.",
                   static_cast<double>(input.http.held_bytes + input.held));
    families.counter("headway_http_connections_cut_total",
                     "Connections closed because the total of unread bytes was too high.",
                     input.http.cut);
    families.gauge("headway_http_connections", "Connections open now.",
                   static_cast<double>(input.http.open));
    families.counter("headway_http_requests_total", "Requests, also refused ones.",
                     input.http.requests);
    families.counter("headway_http_requests_refused_total", "Requests refused before routing.",
                     input.http.refused_requests);
    families.counter("headway_access_refused_total",
                     "Requests refused for a missing or invalid token, or a missing scope.",
                     input.refused_access);
    families.counter("headway_access_failures_total", "Failed authentications.",
                     input.access_failures);
    families.counter("headway_access_paused_total",
                     "Failed authentications that were rate-limited.", input.access_paused);
    families.gauge("headway_access_failing_addresses", "Client addresses with recorded failures.",
                   static_cast<double>(input.failing_addresses));
    add_routes(families, input.routes);
    families.gauge("headway_streams", "SSE clients.", static_cast<double>(input.streams));
    families.counter("headway_stream_frames_total", "SSE events sent.", input.frames_sent);
    families.counter("headway_streams_lagged_total", "SSE clients cut for reading too slowly.",
                     input.lagged);
    families.gauge("headway_waiters", "Long polls waiting.", static_cast<double>(input.waiters));
    families.gauge("headway_views", "Session views cached.", static_cast<double>(input.views));
}

void add_checks(MetricFamilies& families, const CheckStats& stats) {
    auto& asked = families.family("headway_checks_requested_total",
                                  "Status checks asked for, by cause.", MetricType::Counter);
    for (std::size_t i = 0; i < stats.asked.size(); ++i)
        add_labelled(asked, "cause", std::string{core::EnumNames<core::CheckCause>::kNames[i]},
                     stats.asked[i]);
    auto& outcomes = families.family("headway_checks_completed_total",
                                     "Ended status checks, by outcome.", MetricType::Counter);
    for (std::size_t i = 0; i < stats.outcomes.size(); ++i)
        add_labelled(outcomes, "outcome",
                     std::string{core::EnumNames<core::JudgeOutcome>::kNames[i]},
                     stats.outcomes[i]);
    auto& answers = families.family("headway_checks_answers_total",
                                    "Answers of judges to status checks.", MetricType::Counter);
    for (std::size_t i = 0; i < stats.answers.size(); ++i)
        add_labelled(answers, "answer", std::string{core::EnumNames<core::CheckAnswer>::kNames[i]},
                     stats.answers[i]);
    auto& estimates =
        families.family("headway_estimates_total",
                        "Estimates of progress asked of judges, by result.", MetricType::Counter);
    add_labelled(estimates, "kind", "given", stats.estimates[0]);
    add_labelled(estimates, "kind", "fallback", stats.estimates[1]);
}

double breaker_number(BreakerState state) {
    if (state == BreakerState::kClosed) return 0;
    return state == BreakerState::kHalfOpen ? 1 : 2;
}

/// Current state of the endpoints.
void add_judge_state(MetricFamilies& families, const JudgeStats& stats) {
    auto& waiting =
        families.family("headway_judge_questions_waiting", "Queued questions.", MetricType::Gauge);
    for (const JudgeEndpointStats& judge : stats.endpoints)
        add_judge_metric(waiting, judge).gauge.value = static_cast<double>(judge.waiting);
    auto& in_flight =
        families.family("headway_judge_in_flight", "Questions in flight.", MetricType::Gauge);
    for (const JudgeEndpointStats& judge : stats.endpoints)
        add_judge_metric(in_flight, judge).gauge.value = static_cast<double>(judge.in_flight);
    auto& breaker =
        families.family("headway_judge_breaker_state", "0 closed, 1 half open (one probe), 2 open.",
                        MetricType::Gauge);
    for (const JudgeEndpointStats& judge : stats.endpoints)
        add_judge_metric(breaker, judge).gauge.value = breaker_number(judge.breaker);
}

/// Totals of questions and their cost.
void add_judge_history(MetricFamilies& families, const JudgeStats& stats) {
    auto& outcomes = families.family("headway_judge_outcomes_total", "Ended questions, by outcome.",
                                     MetricType::Counter);
    auto& names = core::EnumNames<core::JudgeOutcome>::kNames;
    for (const JudgeEndpointStats& judge : stats.endpoints) {
        for (std::size_t i = 0; i < judge.outcomes.size(); ++i)
            add_judge_metric(outcomes, judge, "outcome", names[i]).counter.value =
                static_cast<double>(judge.outcomes[i]);
    }
    auto& tokens = families.family("headway_judge_tokens_total",
                                   "Tokens, as the endpoint counted them.", MetricType::Counter);
    for (const JudgeEndpointStats& judge : stats.endpoints) {
        add_judge_metric(tokens, judge, "kind", "prompt").counter.value =
            static_cast<double>(judge.prompt_tokens);
        add_judge_metric(tokens, judge, "kind", "completion").counter.value =
            static_cast<double>(judge.completion_tokens);
    }
    auto& cost = families.family("headway_judge_cost_usd_total",
                                 "US dollars by the configured prices.", MetricType::Counter);
    for (const JudgeEndpointStats& judge : stats.endpoints)
        add_judge_metric(cost, judge).counter.value = judge.cost_usd;
    auto& seconds = families.family("headway_judge_answer_seconds",
                                    "From the question to the end of its answer, with retries.",
                                    MetricType::Summary);
    for (const JudgeEndpointStats& judge : stats.endpoints) {
        ClientMetric::Summary& summary = add_judge_metric(seconds, judge).summary;
        summary.sample_count = judge.ended_as(core::JudgeOutcome::kAnswered);
        summary.sample_sum = static_cast<double>(judge.answered_ms) / 1e3;
    }
    families.counter("headway_judge_turned_away_total",
                     "Questions refused: too many open ones, or no such judge.", stats.turned_away);
}

void add_engine(MetricFamilies& families, const MetricsInput& input) {
    const EngineStats& stats = input.engine;
    families.counter("headway_events_total", "Events stored.", stats.events);
    families.counter("headway_duplicate_events_total", "Events known by their event_id.",
                     stats.duplicates);
    families.counter("headway_commits_total", "Transactions committed.", stats.commits);
    families.counter("headway_commit_failures_total", "Transactions rolled back.",
                     stats.commit_failures);
    ClientMetric seconds;
    seconds.counter.value = static_cast<double>(stats.commit_microseconds) / 1e6;
    families
        .family("headway_commit_seconds_total", "Time from the first append to durable.",
                MetricType::Counter)
        .metric.push_back(seconds);
    families.counter("headway_snapshots_total", "Sessions saved.", stats.snapshots);
    families.counter("headway_evictions_total", "Idle sessions that left memory.", stats.evictions);
    families.counter("headway_checkpoints_total", "WAL checkpoints.", stats.checkpoints);
    families.counter("headway_retention_steps_total", "Steps of deleting old sessions.",
                     stats.deleted_steps);
    families.gauge("headway_sessions_resident", "Sessions in memory.",
                   static_cast<double>(stats.resident));
    families.gauge("headway_wal_pages", "WAL pages not yet checkpointed.",
                   static_cast<double>(stats.wal_pages));
    if (stats.daemons > 0) {
        families.gauge("headway_daemons", "Daemons that share the store, seen in the last hour.",
                       static_cast<double>(stats.daemons));
        families.counter("headway_store_conflicts_total",
                         "Writes that had to wait for another daemon.", stats.conflicts);
        families.counter("headway_store_retries_total",
                         "Transactions that ended in a deadlock or another conflict with another "
                         "daemon, and were run again.",
                         stats.retries);
        families.counter("headway_store_round_trips_total", "Round trips to the store.",
                         stats.round_trips);
    }
    families.gauge("headway_writable", "1 while commits succeed.", stats.writable ? 1 : 0);
    families.gauge("headway_disk_short", "1 while reports are refused for lack of space.",
                   stats.short_of_space ? 1 : 0);
    families.gauge("headway_disk_free_bytes", "Free on the disk of the database.",
                   static_cast<double>(stats.free_bytes));
    families.counter("headway_reports_refused_full_total",
                     "Reports refused for lack of space on the disk.", stats.refused_full);
    families.gauge("headway_queue", "Requests waiting for the engine.",
                   static_cast<double>(input.queue));
    add_approvals(families, stats.approvals);
    add_sessions(families, stats);
    add_checks(families, stats.checks);
    if (stats.webhooks != nullptr) add_webhooks(families, *stats.webhooks);
    auto& verdicts = families.family("headway_verdicts_total", "Verdict changes, by verdict.",
                                     MetricType::Counter);
    for (std::size_t i = 0; i < core::kVerdictCount; ++i) {
        add_labelled(verdicts, "verdict", std::string{core::name_of(static_cast<core::Verdict>(i))},
                     stats.verdicts[i]);
    }
}

}  // namespace

std::string metrics_text(const MetricsInput& input) {
    MetricFamilies families;
    auto& build = families.family("headway_build_info", "What runs.", MetricType::Gauge);
    ClientMetric info;
    info.label = {{"version", std::string{core::version().version}},
                  {"git", std::string{core::version().git}}};
    info.gauge.value = 1;
    build.metric.push_back(info);
    add_http(families, input);
    add_bounds(families, input);
    add_engine(families, input);
    if (input.judge != nullptr) {
        add_judge_state(families, *input.judge);
        add_judge_history(families, *input.judge);
    }
    return families.text();
}

}  // namespace headway::server
