// SPDX-License-Identifier: Apache-2.0
#include "api/encode/parts/encode_estimate.hpp"

namespace headway::api {
namespace {

struct Names {
    std::string_view percent;
    std::string_view next_milestone;
    std::string_view is_stuck;
};

constexpr Names kOurs{"percent", "next_milestone", "is_stuck"};
constexpr Names kFirstDesign{"progressPercent", "nextMilestone", "isStuck"};

void write(JsonWriter& json, const core::CurrentEstimate* estimate, const Names& names) {
    if (estimate == nullptr || estimate->n == 0) {
        json.null();
        return;
    }
    json.open_object();
    json.member(names.percent, estimate->percent);
    json.member("reasoning", estimate->reasoning);
    json.member(names.next_milestone, estimate->next_milestone);
    json.member("blockers", estimate->blockers);
    json.member(names.is_stuck, estimate->is_stuck);
    json.member("source", estimate->source);
    json.member("fallback", estimate->fallback);
    json.member("n", estimate->n);
    json.member("at", estimate->at);
    json.close_object();
}

}  // namespace

void write_estimate(JsonWriter& json, const core::CurrentEstimate* estimate) {
    write(json, estimate, kOurs);
}

void write_first_design_estimate(JsonWriter& json, const core::CurrentEstimate* estimate) {
    write(json, estimate, kFirstDesign);
}

}  // namespace headway::api
