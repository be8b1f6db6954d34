// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headway::server {

/// Replies of a mail server about each recipient, from the lines that go to it and come from it.
/// libcurl only says whether all were refused. Pure.
class MailRecipients {
public:
    struct Refusal {
        std::string address;
        int status = 0;  ///< 4xx: later; 5xx: never
    };

    void sent(std::string_view line);      ///< a command
    void received(std::string_view line);  ///< a line of a reply

    const std::vector<Refusal>& refused() const { return refused_; }
    /// True if some recipients took no mail but might later.
    bool any_for_later() const;
    /// Those that need not get the mail again: it was taken for them, or never will be. Only those
    /// that it was sent to.
    std::vector<std::string> settled() const;
    /// Recipients that were refused, and how; empty if none was.
    std::string words() const;

private:
    std::string asked_;  ///< about whom the next reply is; empty: about something else
    std::vector<std::string> taken_;
    std::vector<Refusal> refused_;
};

}  // namespace headway::server
