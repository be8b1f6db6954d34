// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "api/json/json_document.hpp"
#include "core/base/fields.hpp"
#include "core/base/result.hpp"

// Requests about status checks, with the first design's names.

namespace headway::api {

/// The body of `POST /check-status`.
struct DecodedCheck {
    std::string session;
    std::string check_id;  ///< empty: Headway chooses an id
    static constexpr auto fields() {
        return core::field_list(core::required("sessionId", &DecodedCheck::session),
                                core::field("checkId", &DecodedCheck::check_id));
    }
};

/// Errors: kInvalidJson, kMissingField, kUnknownField, kInvalidField, kInvalidId.
core::Result<DecodedCheck> decode_check(JsonDocument& document, std::string_view body);

/// True for 1 to limits::kCheckIdBytesMax of A-Z a-z 0-9 . _ : - Pure.
bool valid_check_id(std::string_view id) noexcept;

}  // namespace headway::api
