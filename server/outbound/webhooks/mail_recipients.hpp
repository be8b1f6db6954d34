// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headway::server {

/// The reply of a mail server for each recipient, parsed from the lines that were sent and
/// received, because libcurl only reports whether all recipients were refused. Pure.
class MailRecipients {
public:
    struct Refusal {
        std::string address;
        int status = 0;  ///< SMTP status; 4xx: try later; 5xx: never
    };

    void sent(std::string_view line);      ///< takes a command
    void received(std::string_view line);  ///< takes a line of a reply

    const std::vector<Refusal>& refused() const { return refused_; }
    /// True if the server refused some recipients but may accept them later.
    bool any_for_later() const;
    /// Recipients that a retry can leave out: the server has accepted the e-mail for them, or never
    /// will.
    std::vector<std::string> settled() const;
    /// A text with the refused recipients and the replies about them; empty if none was refused.
    std::string words() const;

private:
    std::string asked_;  ///< recipient of the next reply; empty: the reply concerns no recipient
    std::vector<std::string> taken_;
    std::vector<Refusal> refused_;
};

}  // namespace headway::server
