// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/decode/bodies.hpp"
#include "api/decode/check_policy.hpp"
#include "api/decode/decode.hpp"
#include "api/json/decode_fields.hpp"

// The opening of a session.

namespace headway::api {
using core::Error;
using core::ErrorCode;
using core::Result;

Result<DecodedOpen> decode_open(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body.empty() ? std::string_view{"{}"} : body));
    OpenBody open;
    if (auto decoded = fields::decode_object(document.root(), open); !decoded) {
        core::Error error = std::move(decoded).error();
        if (error.field == "/policy/risk")
            error.detail =
                "is gone: the learned risk told no more than the number of calls; leave it out";
        return error;
    }
    if (auto checked = check_policy(open.policy); !checked) {
        return fields::under(std::move(checked).error(), "policy");
    }
    if (!open.parent.empty() && !valid_id(open.parent)) {
        return fields::under(
            fields::wrong("must be a session id: 1 to 128 of A-Z a-z 0-9 . _ ~ : -"), "parent");
    }
    if (!open.id.empty() && !valid_id(open.id)) {
        return Error{ErrorCode::kInvalidId,
                     "a session id is 1 to 128 of A-Z a-z 0-9 . _ ~ : - and not . or ..", "/id"};
    }
    DecodedOpen decoded;
    decoded.id = std::move(open.id);
    decoded.about.goal = std::move(open.goal);
    decoded.about.agent = std::move(open.agent);
    decoded.about.parent = std::move(open.parent);
    decoded.about.labels = std::move(open.labels);
    decoded.about.policy = open.policy;
    const OpenBudget& budget = open.budget;
    decoded.about.budget = {budget.timeout_seconds, budget.max_steps, budget.max_tokens,
                            budget.max_cost_usd};
    decoded.about.complexity = open.complexity;
    decoded.suggested = open.budget.suggested;
    // Stored sorted, so that the same labels in another order are the same opening.
    std::sort(decoded.about.labels.begin(), decoded.about.labels.end(),
              [](const core::Label& a, const core::Label& b) { return a.key < b.key; });
    return decoded;
}

}  // namespace headway::api
