// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/webhooks/mail_recipients.hpp"

#include <algorithm>
#include <charconv>

namespace headway::server {

void MailRecipients::sent(std::string_view line) {
    constexpr std::string_view kRcpt = "RCPT TO:<";
    asked_.clear();
    if (!line.starts_with(kRcpt)) return;
    line.remove_prefix(kRcpt.size());
    asked_ = line.substr(0, line.find('>'));
}

void MailRecipients::received(std::string_view line) {
    if (asked_.empty() || line.size() < 3) return;
    if (line.size() > 3 && line[3] == '-') return;  // more lines of this reply follow
    int status = 0;
    const auto read = std::from_chars(line.data(), line.data() + 3, status);
    if (read.ec != std::errc{} || read.ptr != line.data() + 3) return;
    if (status / 100 == 2) {
        taken_.push_back(asked_);
    } else {
        refused_.push_back({asked_, status});
    }
    asked_.clear();
}

bool MailRecipients::any_for_later() const {
    return std::any_of(refused_.begin(), refused_.end(),
                       [](const Refusal& one) { return one.status / 100 == 4; });
}

std::vector<std::string> MailRecipients::settled() const {
    std::vector<std::string> settled = taken_;
    for (const Refusal& one : refused_) {
        if (one.status / 100 != 4) settled.push_back(one.address);
    }
    return settled;
}

std::string MailRecipients::words() const {
    std::string words;
    for (const Refusal& one : refused_) {
        words += words.empty() ? "" : ", ";
        words += "SMTP " + std::to_string(one.status) + " for " + one.address;
    }
    return words;
}

}  // namespace headway::server
