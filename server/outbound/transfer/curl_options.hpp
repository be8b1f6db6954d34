// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

#include <curl/curl.h>

namespace headway::server {

/// Throws std::runtime_error: out of memory, or libcurl is older than the option.
template <class T>
void set_option(CURL* handle, CURLoption option, T value) {
    const CURLcode code = curl_easy_setopt(handle, option, value);
    if (code != CURLE_OK) {
        throw std::runtime_error(std::string{"libcurl refuses an option: "} +
                                 curl_easy_strerror(code));
    }
}

/// What every outbound request is bound to: HTTP/1.1 to the configured host only, its certificate
/// checked against `ca_file`, or the system's authorities when that is empty. Throws like
/// set_option().
void set_common_options(CURL* handle, std::chrono::milliseconds connect_timeout,
                        const std::string& ca_file);

}  // namespace headway::server
