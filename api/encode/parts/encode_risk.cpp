// SPDX-License-Identifier: Apache-2.0
#include "api/encode/parts/encode_risk.hpp"

#include <cmath>

#include "core/judgement/risk.hpp"

namespace headway::api {

void write_risk(JsonWriter& json, const core::SessionState& state) {
    const auto risk = core::shown_risk(state);
    if (risk) json.member("risk", std::round(*risk * 1'000) / 1'000);
}

}  // namespace headway::api
