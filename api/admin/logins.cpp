// SPDX-License-Identifier: Apache-2.0
#include "api/admin/logins.hpp"

#include <utility>

#include "api/json/decode_fields.hpp"
#include "api/json/json_writer.hpp"

namespace headway::api {

core::Result<std::string> decode_login(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body.empty() ? std::string_view{"{}"} : body));
    LoginBody login;
    HEADWAY_CHECK(fields::decode_object(document.root(), login));
    return std::move(login.code);
}

void append_login(std::string& out, std::string_view secret, core::Timestamp expires_at) {
    JsonWriter json{out};
    json.open_object();
    json.member("secret", secret);
    json.member("expires_at", expires_at);
    json.close_object();
}

void append_login_code(std::string& out, std::string_view url, core::Timestamp expires_at) {
    JsonWriter json{out};
    json.open_object();
    json.member("url", url);
    json.member("expires_at", expires_at);
    json.close_object();
}

void append_me(std::string& out, const Me& me) {
    JsonWriter json{out};
    json.open_object();
    json.member("logged_in", me.logged_in);
    json.key("name");
    if (me.name.empty()) {
        json.null();
    } else {
        json.value(me.name);
    }
    json.member("mode", me.mode);
    json.member("scopes", me.scopes);
    json.key("can");
    json.open_object();
    json.member("read", me.read);
    json.member("control", me.control);
    json.member("approve", me.approve);
    json.member("admin", me.admin);
    json.close_object();
    json.close_object();
}

}  // namespace headway::api
