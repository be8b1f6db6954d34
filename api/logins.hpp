#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/time.hpp"

// Replies about logins as JSON text, appended to `out`. Pure.

namespace headway::api {

void append_login_code(std::string& out, std::string_view url, core::Timestamp expires_at);

/// Who asks, and what he may do.
struct Me {
    bool logged_in = false;
    std::string name;  ///< empty: nobody that we know
    std::string mode;  ///< of access
    std::vector<std::string> scopes;
    bool read = false;
    bool control = false;
    bool approve = false;
    bool admin = false;
};
void append_me(std::string& out, const Me& me);

}  // namespace headway::api
