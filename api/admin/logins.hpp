// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/json/json_document.hpp"
#include "core/base/fields.hpp"
#include "core/base/result.hpp"
#include "core/base/time.hpp"

// Logins as JSON text; replies are appended to `out`. Functions change only arguments.

namespace headway::api {

struct LoginBody {
    std::string code;
    static constexpr auto fields() { return field_list(core::required("code", &LoginBody::code)); }
};

/// Reads the code from the body of a login. Errors: as in decode.hpp.
core::Result<std::string> decode_login(JsonDocument& document, std::string_view body);
void append_login(std::string& out, std::string_view secret, core::Timestamp expires_at);

void append_login_code(std::string& out, std::string_view url, core::Timestamp expires_at);

/// The caller and its rights.
struct Me {
    bool logged_in = false;
    std::string name;  ///< the caller's name; empty: unknown
    std::string mode;  ///< the access mode
    std::vector<std::string> scopes;
    bool read = false;
    bool control = false;
    bool approve = false;
    bool admin = false;
};
void append_me(std::string& out, const Me& me);

}  // namespace headway::api
