// SPDX-License-Identifier: Apache-2.0
#include "api/encode/encode_checks.hpp"

#include <cmath>
#include <string_view>

#include "api/json/json_writer.hpp"

namespace headway::api {
namespace {

void write_done(JsonWriter& json, const core::CheckCompleted& done) {
    json.key("status");
    if (done.answer) {
        const char letter = core::letter_of(*done.answer);
        json.value(std::string_view{&letter, 1});
        json.member("answer", core::name_of(*done.answer));
        json.member("reason", done.reason);
        json.member("evidence", done.evidence);
        json.member("confidence", done.confidence);
    } else {
        json.null();
    }
    json.member("outcome", core::name_of(done.outcome));
    if (!done.error.empty()) json.member("error", done.error);
    if (!done.model.empty()) json.member("model", done.model);
    json.member("use", done.use);
}

double rounded(double value) {
    return std::round(value * 100) / 100;
}

double share(std::uint64_t part, std::uint64_t whole) {
    return rounded(static_cast<double>(part) / static_cast<double>(whole));
}

/// Precondition: it counts something.
void write_summary(JsonWriter& json, const core::EstimateSummary& summary) {
    json.open_object();
    json.member("source", summary.source);
    json.member("model", summary.model);
    json.member("count", summary.count);
    json.member("mean_abs_error", rounded(summary.mean_abs_error));
    json.member("bias", rounded(summary.bias));
    json.member("completed", share(summary.completed, summary.count));
    json.key("deciles");
    json.open_array();
    for (std::size_t i = 0; i < core::kDeciles; ++i) {
        const core::DecileSummary& decile = summary.deciles[i];
        if (decile.count == 0) continue;
        json.open_object();
        json.member("from", i * 10);
        json.member("count", decile.count);
        json.member("completed", share(decile.completed, decile.count));
        json.close_object();
    }
    json.close_array();
    json.close_object();
}

}  // namespace

void append_check(std::string& out, const CheckDocument& document) {
    JsonWriter json(out);
    json.open_object();
    json.member("checkId", document.asked.check_id);
    json.member("sessionId", document.session);
    json.member("state", std::string_view{document.done ? "completed" : "running"});
    if (document.done) {
        write_done(json, *document.done);
    } else {
        json.key("status");
        json.null();
    }
    json.member("cause", core::name_of(document.asked.cause));
    json.member("judge", document.asked.judge);
    if (!document.asked.by.empty()) json.member("by", document.asked.by);
    json.member("requested", document.asked_n);
    json.member("requestedAt", document.asked_at);
    if (document.done) {
        json.member("completed", document.done_n);
        json.member("ts", document.done_at);
    }
    json.close_object();
}

void append_estimates(std::string& out, std::span<const core::EstimateSummary> summaries) {
    JsonWriter json(out);
    json.open_object();
    json.key("estimates");
    json.open_array();
    for (const core::EstimateSummary& summary : summaries)
        write_summary(json, summary);
    json.close_array();
    json.close_object();
}

}  // namespace headway::api
