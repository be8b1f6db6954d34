// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headway::server {

/// What a mail server says about each recipient, of the lines that go to it and come from it.
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
    /// Those that took no mail but might later.
    bool any_for_later() const;
    /// Those that need not get the mail again: it was taken for them, or never will be. Of those
    /// that it was sent to.
    std::vector<std::string> settled() const;
    /// Who was refused, and how; empty if none was.
    std::string words() const;

private:
    std::string asked_;  ///< about whom the next reply is; empty: about something else
    std::vector<std::string> taken_;
    std::vector<Refusal> refused_;
};

}  // namespace headway::server
