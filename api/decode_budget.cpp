// SPDX-License-Identifier: Apache-2.0
#include "api/decode_budget.hpp"

#include "api/decode_fields.hpp"

namespace headway::api {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

struct ChangeBody {
    std::optional<core::BudgetLimits> set;
    std::optional<core::BudgetLimits> extend;
    std::string by;
    std::string reason;
    static constexpr auto fields() {
        return field_list(
            core::field("set", &ChangeBody::set), core::field("extend", &ChangeBody::extend),
            core::field("by", &ChangeBody::by), core::field("reason", &ChangeBody::reason));
    }
};

}  // namespace

Result<BudgetChange> decode_budget_change(JsonTape& tape, std::string_view body) {
    HEADWAY_CHECK(tape.parse(body.empty() ? std::string_view{"{}"} : body));
    ChangeBody parsed;
    HEADWAY_CHECK(fields::decode_object(tape.root(), parsed));
    if (parsed.set.has_value() == parsed.extend.has_value()) {
        return Error{parsed.set ? ErrorCode::kInvalidField : ErrorCode::kMissingField,
                     "give `set` with the limits that replace the present ones, or `extend` with "
                     "what is added to them, and not both",
                     parsed.set ? "/extend" : "/set"};
    }
    BudgetChange change;
    change.extends = parsed.extend.has_value();
    change.limits = change.extends ? *parsed.extend : *parsed.set;
    change.by = std::move(parsed.by);
    change.reason = std::move(parsed.reason);
    return change;
}

}  // namespace headway::api
