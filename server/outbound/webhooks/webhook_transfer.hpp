// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "server/outbound/webhooks/mail_recipients.hpp"
#include "server/outbound/webhooks/webhook_messages.hpp"
#include "server/outbound/webhooks/webhook_target.hpp"
#include "server/time/clock.hpp"
#include "system/http_call.hpp"

namespace headway::server {

/// One try to send one message over the network. Each try opens its own connection and checks every
/// resolved address, because the address of a reused connection would not be checked.
class WebhookTransfer : private system::HttpReceiver {
public:
    /// Starts the transfer at once. `target` must outlive the transfer; `link` is the dashboard's
    /// URL; `without` are recipients to whom no e-mail is sent. Throws std::bad_alloc, and
    /// std::runtime_error if libcurl refuses an option.
    WebhookTransfer(CURLM* multi, const WebhookTarget& target, WebhookJob job,
                    std::string_view link, const std::vector<std::string>& without = {});
    WebhookTransfer(const WebhookTransfer&) = delete;
    WebhookTransfer& operator=(const WebhookTransfer&) = delete;
    ~WebhookTransfer() override = default;

    CURL* handle() const { return call_.handle(); }
    /// The result for libcurl's code.
    WebhookResult ended(CURLcode code) const;
    WebhookResult cancelled() const;
    /// True if each recipient has received the e-mail, or was refused while others received it. If
    /// the e-mail failed as a whole, no recipient is settled; otherwise some recipients would seem
    /// to have received it.
    bool settles(CURLcode code) const { return code == CURLE_OK || only_rest_refused(code); }
    /// The mail server's reply for each recipient.
    const MailRecipients& recipients() const { return recipients_; }

private:
    static std::size_t on_upload(char* bytes, std::size_t size, std::size_t count,
                                 void* user) noexcept;
    static int on_dialog(CURL* handle, curl_infotype kind, char* bytes, std::size_t size,
                         void* user) noexcept;
    void set_mail(std::string text, const std::vector<std::string>& without);
    bool only_rest_refused(CURLcode code) const;
    WebhookResult mail_result(CURLcode code, WebhookResult result) const;
    WebhookResult result() const;

    const WebhookTarget& target_;
    WebhookJob job_;
    std::string mail_;          ///< the e-mail, from which libcurl reads
    std::size_t uploaded_ = 0;  ///< bytes of mail_ sent
    system::CurlList addressees_;
    MailRecipients recipients_;
    std::size_t addressed_ = 0;  ///< number of recipients of this try
    bool rest_ = false;          ///< the other recipients were settled by earlier tries
    system::HttpCall call_;  ///< declared after the members that it reads: destroyed before them
    Clock::Steady::time_point started_;
};

/// Connects to the endpoint as a delivery does, but sends nothing, and returns the address that was
/// reached. Blocks for at most connect_timeout. Error: kInvalidConfig, with a hint on what to
/// check. Any thread.
core::Result<std::string> try_connection(const WebhookTarget& target);

}  // namespace headway::server
