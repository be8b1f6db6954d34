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
    if (id.empty() || id.size() > core::limits::kCheckIdBytesMax) return false;
    if (id == "." || id == "..") return false;
    return std::all_of(id.begin(), id.end(), [](const char& c) {
        return c == '.' || valid_id({&c, 1});  // the letters of sessions
    });
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
        return Error{ErrorCode::kInvalidId, "a check's id is 1 to 128 of A-Z a-z 0-9 . _ ~ : -",
                     "/checkId"};
    }
    return decoded;
}

}  // namespace headway::api
