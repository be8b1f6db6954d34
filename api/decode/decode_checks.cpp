// SPDX-License-Identifier: Apache-2.0
#include "api/decode/decode_checks.hpp"

#include <algorithm>

#include "api/decode/decode.hpp"
#include "api/json/decode_fields.hpp"
#include "core/base/limits.hpp"

namespace headway::api {

using core::Error;
using core::ErrorCode;
using core::Result;

bool valid_check_id(std::string_view id) noexcept {
    constexpr std::size_t kPiece = 64;
    if (id.empty() || id.size() > core::limits::kCheckIdBytesMax) return false;
    for (std::size_t at = 0; at < id.size(); at += kPiece) {
        if (!valid_id(id.substr(at, kPiece))) return false;  // the letters of sessions
    }
    return true;
}

Result<DecodedCheck> decode_check(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body));
    DecodedCheck decoded;
    HEADWAY_CHECK(fields::decode_object(document.root(), decoded));
    if (!valid_id(decoded.session)) {
        return Error{ErrorCode::kInvalidId,
                     "a session id is 1 to 128 of A-Z a-z 0-9 . _ ~ : - and not . or ..",
                     "/sessionId"};
    }
    if (!decoded.check_id.empty() && !valid_id(decoded.check_id)) {
        return Error{ErrorCode::kInvalidId, "a check's id is 1 to 128 of A-Z a-z 0-9 . _ : -",
                     "/checkId"};
    }
    return decoded;
}

}  // namespace headway::api
