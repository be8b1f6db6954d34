// SPDX-License-Identifier: Apache-2.0
#include "api/encode/system/encode_day.hpp"

#include "api/json/json_writer.hpp"
#include "core/budgets/budget.hpp"

namespace headway::api {
namespace {

void write_cap(JsonWriter& json, const DayReport::Cap& one) {
    const core::DayUse& use = one.use;
    json.open_object();
    json.key("label");
    if (one.cap.label.empty()) {
        json.null();
    } else {
        json.value(one.cap.label);
    }
    json.member("level", core::day_level(one.cap, use));
    json.member("lifted", use.lifted);
    json.member("tokens", use.tokens);
    json.member("max_tokens", core::token_limit(one.cap, use));
    json.key("cost_usd");
    if (use.cost_micros > 0 || use.unpriced == 0) {
        json.value(core::dollars(use.cost_micros));
    } else {
        json.null();
    }
    if (use.unpriced > 0) json.member("unpriced_tokens", use.unpriced);
    json.key("max_cost_usd");
    if (const auto limit = core::cost_limit(one.cap, use)) {
        json.value(core::dollars(*limit));
    } else {
        json.null();
    }
    json.member("summary", core::day_figures(one.cap, use));
    json.close_object();
}

}  // namespace

void append_day(std::string& out, const DayReport& report) {
    JsonWriter json{out};
    json.open_object();
    json.member("day", core::day_name(report.day));
    json.member("begins", report.begins);
    json.member("ends", report.ends);
    json.key("caps");
    json.open_array();
    for (const DayReport::Cap& cap : report.caps)
        write_cap(json, cap);
    json.close_array();
    json.close_object();
}

}  // namespace headway::api
