// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings/judge_settings.hpp"

namespace headway::server {

/// One endpoint with its key and request headers. Its copy of the endpoint's settings, endpoint(),
/// does not contain the key. A target may be constructed on any thread, and is then used on the
/// judge thread.
class JudgeTarget {
public:
    using Report = std::function<void(bool is_error, const std::string& line)>;

    /// Reads the key from `api_key`, else from the file, else from the environment. A mistake is
    /// reported, and kept as problem().
    JudgeTarget(config::JudgeEndpoint endpoint, const Report& report);

    const config::JudgeEndpoint& endpoint() const { return endpoint_; }
    /// Why the endpoint is unusable and what to set, or empty.
    const std::string& problem() const { return problem_; }
    const std::string& url() const { return url_; }
    /// Request headers, each as "Name: value".
    const std::vector<std::string>& headers() const { return headers_; }

    /// Sanitizes foreign text for logs and events: removes the key and the values of the configured
    /// headers, and returns one line of at most `bytes_max` bytes of UTF-8.
    std::string clean(std::string_view text, std::size_t bytes_max) const;

private:
    void read_key();
    void add_configured_header(const std::string& line);
    std::string setting(std::string_view key) const;

    config::JudgeEndpoint endpoint_;
    std::string problem_;
    std::string url_;
    std::vector<std::string> headers_;
    std::vector<std::string> secrets_;  ///< no entry is empty
};

}  // namespace headway::server
