// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/base/fields.hpp"
#include "core/base/result.hpp"

// Requests for status checks, with the field names of the first design.

namespace headway::api {

/// The body of `POST /check-status`.
struct DecodedCheck {
    std::string session;
    std::string check_id;  ///< the client's id for the check; empty: Headway chooses an id
    static constexpr auto fields() {
        return core::field_list(core::required("sessionId", &DecodedCheck::session),
                                core::field("checkId", &DecodedCheck::check_id));
    }
};

/// Errors: kInvalidJson, kMissingField, kUnknownField, kInvalidField, kInvalidId.
core::Result<DecodedCheck> decode_check(JsonDocument& document, std::string_view body);

/// True if `id` has 1 to limits::kCheckIdBytesMax characters, all of them from `A-Za-z0-9._~:-`,
/// and is neither `.` nor `..`. Pure.
bool valid_check_id(std::string_view id) noexcept;

}  // namespace headway::api
